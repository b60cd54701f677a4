// Messages that nobody wrote: nudges for an agent that is idle too long, reminders of a response that is due.
import { milliseconds } from '../../base/duration/rules.ts'
import type { Role } from '../../role/schema.ts'
import { isQuiet } from '../../session/rules.ts'
import type { Session } from '../../session/schema.ts'
import type { Message } from '../schema.ts'

type Heartbeat = NonNullable<Role['heartbeat']>

export type Nudge = {
  /** The same for a whole idle period: stored once, it cannot be sent twice. */
  readonly id: string
  readonly text: string
  /** A shell command that must succeed first; empty = none. */
  readonly condition: string
}

const idOf = ({ id, since }: Session): string => `nudge-${id.slice(0, 36)}-${since}`

/**
 * When the next nudge is due; undefined while the agent is not idle, or was nudged. At most one in an idle period:
 * `known` are the ids of this agent's messages.
 */
export const nudgeAt = (
  session: Session,
  heartbeat: Heartbeat | undefined,
  known: ReadonlySet<string>,
): number | undefined =>
  heartbeat === undefined || !isQuiet(session) || known.has(idOf(session))
    ? undefined
    : session.since + milliseconds(heartbeat.idle_timeout)

export const nudges = (
  session: Session,
  heartbeat: Heartbeat | undefined,
  at: number,
  known: ReadonlySet<string>,
): Nudge | undefined => {
  const due = nudgeAt(session, heartbeat, known)
  if (heartbeat === undefined || due === undefined || at < due) return undefined
  return { id: idOf(session), text: heartbeat.message, condition: heartbeat.condition }
}

/** An agent that was reminded this often will not respond. */
const mostReminders = 10
const patienceMs = 60_000

export type Reminder = { readonly id: string; readonly text: string }

/** At most one in an idle period, and only for what the agent has read. */
export const reminds = (message: Message, session: Session, at: number): Reminder | undefined => {
  const { id, from, life, expects } = message
  if (expects === undefined || expects.closedBy !== undefined || life !== 'ended') return undefined
  if (expects.reminded >= mostReminders || !isQuiet(session) || at < session.since + patienceMs)
    return undefined
  if (expects.remindedAt !== undefined && expects.remindedAt >= session.since) return undefined
  return {
    id: `${id.slice(0, 50)}-reminder-${expects.reminded + 1}`,
    text: `${from.name} still expects a response to message ${id}. Send it with: agency send ${from.name} --closes ${id} "..."`,
  }
}
