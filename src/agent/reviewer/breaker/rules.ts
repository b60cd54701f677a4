// When a reviewer is not asked.
//
//   closed ──fails `most` times in a row, or is asked too often──▶ open ──5 min──▶ closed, and the next failure opens it
import type { Breaker } from '../schema.ts'

const minutes = 60_000

/** In a row; and how many reviews, in how long. */
export const limits = { failures: 3, reviews: 60, within: 5 * minutes, pause: 5 * minutes }

export const closed: Breaker = { failures: 0, began: [] }

const openFor = (why: string, now: number): NonNullable<Breaker['open']> => ({
  until: now + limits.pause,
  why,
})

/** Whether a review may begin now; `refused` = why not. */
export const begin = (
  before: Breaker,
  now: number,
): { readonly breaker: Breaker; readonly refused?: string } => {
  const { open, ...rest } = before
  // A clock that was set back must not keep people busy for longer.
  const shut = open !== undefined && now < open.until && now >= open.until - limits.pause
  if (shut) return { breaker: before, refused: open.why }
  const recent = rest.began.filter((at) => at > now - limits.within && at <= now)
  if (recent.length >= limits.reviews) {
    const why = `the reviewer was asked ${recent.length} times within ${limits.within / minutes} minutes`
    return { breaker: { failures: rest.failures, began: [], open: openFor(why, now) }, refused: why }
  }
  return { breaker: { failures: rest.failures, began: [...recent, now] } }
}

export const ended = (before: Breaker, ok: boolean, now: number): Breaker => {
  if (ok) return { ...before, failures: 0 }
  const failures = Math.min(before.failures + 1, limits.failures)
  if (failures < limits.failures) return { ...before, failures }
  const why = `the reviewer failed ${limits.failures} times in a row`
  return { ...before, failures, open: before.open ?? openFor(why, now) }
}
