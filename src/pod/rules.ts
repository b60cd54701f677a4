import { namePattern } from '../base/name/schema.ts'
import { doubt, type Remark, wrong } from '../base/remark/rules.ts'
import { applyOverrides } from '../role/override/rules.ts'
import type { PodFile, PodMember } from './schema.ts'

type Entry = PodFile['agents'][number]

/** A flag wins over the environment, that over the template, that over the name of its file. */
export const podName = (from: {
  readonly flag?: string | undefined
  readonly env?: string | undefined
  readonly template?: string | undefined
  readonly stem: string
}): string => from.flag || from.env || from.template || from.stem

const names = ({ name, role, count }: Entry): string[] => {
  const base = name ?? role
  return count === 1 ? [base] : Array.from({ length: count }, (_, place) => `${base}-${place + 1}`)
}

const given = (overrides: Entry['overrides']): string[] =>
  Object.entries(overrides).map(([key, value]) => `${key}=${value}`)

export const expandPod = (template: PodFile, pod: string): PodMember[] =>
  template.agents.flatMap((entry) =>
    names(entry).map((name, place) => ({
      name,
      role: entry.role,
      pod,
      overrides: given(entry.overrides),
      index: place + 1,
    })),
  )

const checkEntry = (entry: Entry, place: number, taken: ReadonlySet<string>): Remark[] => {
  const at = ['agents', place]
  const own = names(entry)
  const twice = own.find((name) => taken.has(name))
  const long = own.find((name) => !namePattern.test(name))
  const overrides = Object.entries(entry.overrides).flatMap(([key, value]) => {
    const changed = applyOverrides({ name: entry.role, instructions: '-' }, [`${key}=${value}`])
    return 'problems' in changed ? changed.problems.map((text) => wrong([...at, 'overrides', key], text)) : []
  })
  return [
    ...(twice === undefined ? [] : [wrong([...at, 'name'], `"${twice}" is used twice in this pod`)]),
    ...(long === undefined ? [] : [wrong([...at, 'name'], `"${long}" is too long for a name`)]),
    ...(entry.count === 0 ? [doubt([...at, 'count'], 'is 0: none of these is launched')] : []),
    ...overrides,
  ]
}

/** Each is a process of its own, with a terminal and a model behind it. */
export const agentLimit = 100

export const checkPod = (template: PodFile): Remark[] => {
  const sum = template.agents.reduce((all, { count }) => all + count, 0)
  if (sum > agentLimit) return [wrong(['agents'], `are ${sum} together; a pod has at most ${agentLimit}`)]
  const taken = new Set<string>()
  return template.agents.flatMap((entry, place) => {
    const found = checkEntry(entry, place, taken)
    for (const name of names(entry)) taken.add(name)
    return found
  })
}
