// What is known of a pod before anything is done, and what is said of each agent afterwards.
import type { PodMember } from '../../pod/schema.ts'

/** An agent that is there, or was. */
export type Present = {
  readonly name: string
  readonly role?: string | undefined
  readonly pod?: string | undefined
  /** Its state in a few words. */
  readonly text: string
  readonly over: boolean
}

export type Result = {
  readonly name: string
  readonly role?: string | undefined
  readonly result: 'launched' | 'running' | 'would launch' | 'ended' | 'failed'
  /** Its state in a few words, or why it failed. */
  readonly text: string
  readonly error?: string
  readonly problems?: readonly string[]
}

const inWords: Readonly<Record<Result['result'], string>> = {
  launched: 'launched',
  running: 'already running',
  'would launch': 'would be launched',
  ended: 'ended',
  failed: 'failed',
}

export const linesOf = ({ name, result, text, problems = [] }: Result): string[] => {
  const detail = text === '' ? '' : `${result === 'failed' ? ':' : ','} ${text}`
  return [`${name}: ${inWords[result]}${detail}`, ...problems.map((problem) => `    ${problem}`)]
}

/** `2 launched, 1 failed`. */
export const tally = (results: readonly Result[]): string =>
  Object.entries(inWords)
    .map(([result, words]) => [results.filter((each) => each.result === result).length, words] as const)
    .filter(([count]) => count > 0)
    .map(([count, words]) => `${count} ${words}`)
    .join(', ')

/** What a launch finds under the name: undefined = it is free. Only the agent that is meant counts as up. */
export const standing = (member: PodMember, present: readonly Present[]): Result | undefined => {
  const { name, role, pod } = member
  const found = present.find((each) => each.name === name && !each.over)
  if (found === undefined) return undefined
  if (found.pod === pod && found.role === role) return { name, role, result: 'running', text: found.text }
  const where = found.pod === undefined ? 'in no pod' : `in the pod "${found.pod}"`
  const what = found.role === undefined ? 'without a role' : `with the role "${found.role}"`
  const text = `another agent has that name: it runs ${where}, ${what}`
  return { name, role, result: 'failed', text, error: 'name_in_use' }
}

export type RunningPod = { readonly pod: string; readonly agents: readonly Present[] }

const byName = (one: Present, other: Present): number => (one.name < other.name ? -1 : 1)

/** Pods of which something runs, with all their agents. */
export const runningPods = (present: readonly Present[]): RunningPod[] =>
  [...new Set(present.flatMap(({ pod, over }) => (pod === undefined || over ? [] : [pod])))]
    .sort()
    .map((pod) => ({ pod, agents: present.filter((each) => each.pod === pod).sort(byName) }))
