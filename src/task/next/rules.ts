// What is to be done about a task now, and when to look again.
import type { Message } from '../../message/schema.ts'
import { isOver } from '../../session/rules.ts'
import type { Session } from '../../session/schema.ts'
import { isFinal } from '../rules.ts'
import type { Task } from '../schema.ts'

export type Next =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'wait'; readonly until: number }
  /** Its time is over: wish so. */
  | { readonly kind: 'expire' }
  /** Take its message back. */
  | { readonly kind: 'withdraw' }
  /** Interrupt its turn. */
  | { readonly kind: 'press' }
  /** No turn runs: tell its message. */
  | { readonly kind: 'adrift' }

/** An interrupted turn may take this long to end. Sooner, a second Esc could open a menu of an agent that is idle. */
const pressMs = 15_000
/** A dialog that was just drawn is deaf for a moment; while it is up, no menu can open. */
const dialogMs = 3_000
/** How long a turn may be missing: a hook that tells of it may still wait for this host. */
const adriftMs = 15_000

const waitUntil = (times: readonly (number | undefined)[]): Next => {
  const set = times.filter((time) => time !== undefined)
  return set.length === 0 ? { kind: 'nothing' } : { kind: 'wait', until: Math.min(...set) }
}

/** How long it waited for an agent is not counted. */
const expiry = ({ timeout, wish, startedAt, begunAt, at }: Task): number | undefined =>
  timeout === undefined || wish !== undefined ? undefined : (startedAt ?? begunAt ?? at) + timeout * 1000

/** It was a host before who pressed: what it was waiting for since then, it took along. */
const isInherited = ({ pressed }: Task, since: number): boolean => pressed !== undefined && pressed.at < since

/** Which Esc is the next one. The keeper presses each only once, and says so to the next host that asks for it. */
export const timesOf = (task: Task, since: number): number =>
  (task.pressed?.times ?? 0) + (isInherited(task, since) ? 0 : 1)

/** When its turn is to be interrupted; undefined = not while this is so. */
const pressAt = (task: Task, session: Session, since: number): number | undefined => {
  const { wish, pressed } = task
  // A turn in doubt is ending already; one whose budget is used up is ended by whoever counts.
  if (
    wish === undefined ||
    wish.why === 'budget' ||
    session.turn === undefined ||
    session.doubt !== undefined
  )
    return undefined
  if (pressed === undefined || isInherited(task, since)) return wish.at
  return pressed.at + (session.waiting.length > 0 ? dialogMs : pressMs)
}

/** `since`: from when on this host has heard the session. */
export const next = (
  task: Task,
  message: Message | undefined,
  session: Session,
  at: number,
  since: number,
): Next => {
  if (isFinal(task) || message === undefined) return { kind: 'nothing' }
  const expires = expiry(task)
  if (expires !== undefined && at >= expires) return { kind: 'expire' }
  if (message.life === 'queued' && (task.wish !== undefined || isOver(session))) return { kind: 'withdraw' }
  if (message.life !== 'started' || isOver(session)) return waitUntil([expires])
  if (session.turn === undefined) {
    const lost = Math.max(session.since, since) + adriftMs
    return at >= lost ? { kind: 'adrift' } : waitUntil([expires, lost])
  }
  const press = pressAt(task, session, since)
  return press !== undefined && at >= press ? { kind: 'press' } : waitUntil([expires, press])
}
