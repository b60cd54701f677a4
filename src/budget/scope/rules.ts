// Whose budget it is.
import type { RootBudget, Scope } from '../schema.ts'

export type Owner = {
  readonly agent: string
  readonly role?: string | undefined
  readonly pod?: string | undefined
}

/** All that what an agent uses is counted for. */
export const scopesOf = ({ agent, role, pod }: Owner): readonly Scope[] => [
  `agent/${agent}`,
  ...(role === undefined ? [] : [`role/${role}`]),
  ...(pod === undefined ? [] : [`pod/${pod}`]),
  'root',
]

export const scopeOf = ({ agent, role, pod }: RootBudget): Scope => {
  if (agent !== undefined) return `agent/${agent}`
  if (role !== undefined) return `role/${role}`
  return pod === undefined ? 'root' : `pod/${pod}`
}
