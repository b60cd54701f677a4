// Which text brings a review about, as far as so many tries can tell.
import type { Attempt } from '../schema.ts'

export type TemplateStats = {
  readonly template: string
  readonly tries: number
  readonly success: number
  readonly not_spawned: number
  readonly no_decision: number
  readonly bad_session_id: number
  /** Neither is known to have worked or failed, and they count for nothing. */
  readonly pending: number
  readonly withdrawn: number
  /** Blocks that were shown before a verdict came; absent without one. */
  readonly mean_blocks?: number
  /** How many of those that ended brought a verdict; absent where none has ended. */
  readonly rate?: number
  /** Between which bounds it lies in 95 of 100 cases. */
  readonly low?: number
  readonly high?: number
}

/** For 95 %. */
const z = 1.959963984540054

/** Wilson's interval: honest for few tries too, and never outside of 0 and 1. */
export const interval = (good: number, all: number): { readonly low: number; readonly high: number } => {
  const rate = good / all
  const square = (z * z) / all
  const middle = (rate + square / 2) / (1 + square)
  const half = (z / (1 + square)) * Math.sqrt((rate * (1 - rate)) / all + square / (4 * all))
  return { low: Math.max(0, middle - half), high: Math.min(1, middle + half) }
}

/** Reviews that no text asked for: of a process, or of a reviewer that came by itself. */
const nameOf = ({ template, by }: Attempt): string => template ?? (by === 'process' ? 'process' : 'unasked')

const rowOf = (template: string, attempts: readonly Attempt[]): TemplateStats => {
  const count = (outcome: Attempt['outcome']): number =>
    attempts.filter((each) => each.outcome === outcome).length
  const successes = attempts.filter(({ outcome }) => outcome === 'success')
  const ended = attempts.length - count('pending') - count('withdrawn')
  const blocks = successes.reduce((sum, each) => sum + each.blocks, 0)
  return {
    template,
    tries: attempts.length,
    success: successes.length,
    not_spawned: count('not_spawned'),
    no_decision: count('no_decision'),
    bad_session_id: count('bad_session_id'),
    pending: count('pending'),
    withdrawn: count('withdrawn'),
    ...(successes.length > 0 && { mean_blocks: blocks / successes.length }),
    ...(ended > 0 && { rate: successes.length / ended, ...interval(successes.length, ended) }),
  }
}

/** By the name of the template. */
export const statsOf = (attempts: readonly Attempt[]): readonly TemplateStats[] => {
  const groups = new Map<string, Attempt[]>()
  for (const each of attempts) groups.set(nameOf(each), [...(groups.get(nameOf(each)) ?? []), each])
  return [...groups.entries()]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([template, all]) => rowOf(template, all))
}
