// Which agents a task could go to, where nobody named one.
import { isOver } from '../../../registry/rules.ts'
import type { ComponentInterface, ComponentState, ComponentType } from '../../../registry/schema.ts'

export type Candidate = {
  readonly name: string
  readonly type: ComponentType
  readonly interfaces: readonly ComponentInterface[]
  readonly state: ComponentState
}

/** `early` = one is still starting and may yet be free. */
export type Choice =
  | { readonly kind: 'free'; readonly names: readonly string[] }
  | { readonly kind: 'early'; readonly name: string }
  | { readonly kind: 'none'; readonly why: string }

export const takesTasks = ({ type, interfaces, state }: Candidate): boolean =>
  type === 'agent' && interfaces.includes('taskable') && !isOver(state)

/** `what` says which agents these are. */
export const chooseFrom = (candidates: readonly Candidate[], what: string): Choice => {
  const able = candidates.filter(takesTasks)
  const names = able.filter(({ state }) => state === 'idle').map(({ name }) => name)
  if (names.length > 0) return { kind: 'free', names }
  const early = able.find(({ state }) => state === 'starting')
  if (early !== undefined) return { kind: 'early', name: early.name }
  const busy = able
    .map(({ name, state }) => `${name} is ${state === 'error' ? 'in error' : state}`)
    .join(', ')
  return { kind: 'none', why: busy === '' ? `there is no ${what}` : busy }
}
