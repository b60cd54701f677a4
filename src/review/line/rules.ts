// A review in one line, for lists.
import { oneLine } from '../../base/text/rules.ts'
import type { ReviewLine } from '../api.ts'
import type { Review, Trigger } from '../schema.ts'

/** What the call was to do: its command or file where it has one. */
export const gistOf = ({ tool, input }: Trigger, limit: number): string => {
  const { value } = input
  const table = typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  const said = [table.command, table.file_path].find((one) => typeof one === 'string')
  const whole = typeof value === 'string' ? value : JSON.stringify(value)
  return oneLine(`${tool}: ${said ?? whole ?? ''}`, limit)
}

const longest = 100

export const lineOf = (review: Review, agent?: string): ReviewLine => {
  const { session, state, blocks, at, changed, trigger, prompts, decisions } = review
  const last = decisions.at(-1)
  return {
    session,
    ...(agent !== undefined && { agent }),
    state,
    ...(last !== undefined && { verdict: last.verdict }),
    blocks,
    at,
    changed,
    about: trigger === undefined ? oneLine(prompts.at(-1)?.text ?? '', longest) : gistOf(trigger, longest),
  }
}

/** The latest first. */
export const byAge = (one: ReviewLine, other: ReviewLine): number =>
  other.changed - one.changed || (one.session < other.session ? -1 : 1)
