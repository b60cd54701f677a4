// The life of a message.
//
//   queued ──typed──▶ sent ──hook, queue line──▶ accepted ──in a turn──▶ started ──turn over──▶ ended
//     │  ▲             │  │                          │
//     │  └─not typed───┘  └──silence, refused──▶ failed (unsure: a sign of it later still counts)
//     └──▶ withdrawn         session over, and its transcript shows no turn with it ──▶ queued again
//
// Exactly once: `sent` is stored before a key is typed. After a crash the keeper, which outlives the host, says
// whether it typed the message; if the keeper is gone the transcript is complete and says whether it ever entered a
// turn. Where neither can tell it is never typed again: a person is told that it may have arrived.
import type { HookEvent, TranscriptEvent } from '../driver/schema.ts'
import { fact } from '../journal/rules.ts'
import type { Event, Fact } from '../journal/schema.ts'
import type { Session, Signal } from '../session/schema.ts'
import { type Life, longestAnswer, type Message, type MessageSignal } from './schema.ts'

/** How long a typed message may stay unconfirmed. The hook fires within milliseconds; machines can be slow. */
export const confirmMs = 60_000

const rank: Readonly<Record<Life, number>> = {
  queued: 0,
  sent: 1,
  accepted: 2,
  started: 3,
  ended: 4,
  failed: 5,
  withdrawn: 5,
}

/** A sign of it in the session outweighs that we had given it up. */
const rankOf = (message: Message): number => (message.unsure ? rank.sent : rank[message.life])

/** Never backwards: what is told late or again changes nothing. */
const advance = (message: Message, life: Life, more: Partial<Message> = {}): Message => {
  if (rank[life] <= rankOf(message)) return message
  const { reason: _reason, unsure: _unsure, ...rest } = message
  return { ...rest, ...more, life }
}

const again = (message: Message): Message => {
  const { session: _session, sentAt: _sentAt, escapedAt: _escapedAt, ...rest } = message
  return { ...rest, life: 'queued' }
}

const fail = (message: Message, reason: string, unsure: boolean): Message => ({
  ...message,
  life: 'failed',
  reason,
  ...(unsure && { unsure }),
})

const isPast = (session: Session, turn: string | undefined): boolean =>
  turn !== undefined && session.turn?.id !== turn && session.ended.includes(turn)

/** In a turn; its end may have been heard already, because the transcript lags behind the hooks. */
const begin = (message: Message, turn: string | undefined, session: Session): Message => {
  const started = advance(message, 'started', turn === undefined ? {} : { turn })
  return started !== message && isPast(session, turn) ? advance(started, 'ended') : started
}

/**
 * Nothing says that a turn ended which Esc ended before any output; the session has found out by waiting. To be asked
 * after each signal that the session heard; `before` is what was known until then.
 */
export const follow = (message: Message, session: Session, before: Session): Message => {
  const { turn } = message
  if (message.life !== 'started' || turn === undefined || before.turn === undefined) return message
  // A host that has just started does not know the id of the turn that it found running.
  const unnamed = before.turn.id === undefined && session.turn === undefined && session.told === turn
  const left = before.turn.id === turn && session.turn?.id !== turn
  return unnamed || left ? advance(message, 'ended', { reason: 'the turn was interrupted' }) : message
}

const hearHook = (message: Message, event: HookEvent, session: Session): Message => {
  if (event.subagent !== undefined) return message
  if (event.kind === 'prompted' && event.header?.id === message.id) {
    const queued = session.turn !== undefined && session.turn.id === event.turn
    return queued ? advance(message, 'accepted') : begin(message, event.turn, session)
  }
  const mine = message.life === 'started' && message.turn === event.turn
  if (event.kind === 'turn_ended' && mine)
    return advance(message, 'ended', event.last === '' ? {} : { answer: event.last.slice(0, longestAnswer) })
  if (event.kind === 'turn_failed' && mine) return advance(message, 'ended', { reason: 'the turn failed' })
  return message
}

/** The CLI makes one turn of all that it had queued, under the id of the last; its transcript has each under its own. */
const join = (message: Message, turn: string | undefined, session: Session): Message => {
  const mine = message.life === 'started' && message.turn !== undefined && message.turn === session.told
  if (!mine || session.spoken || turn === undefined || turn === message.turn) return message
  const joined = { ...message, turn }
  return isPast(session, turn) ? advance(joined, 'ended') : joined
}

const hearTranscript = (message: Message, event: TranscriptEvent, session: Session): Message => {
  if (event.kind === 'interrupted') {
    const mine = message.life === 'started' && message.turn !== undefined && message.turn === session.told
    return mine ? advance(message, 'ended', { reason: 'the turn was interrupted' }) : message
  }
  if (event.kind === 'prompted' && event.header?.id !== message.id) return join(message, event.turn, session)
  if (!('header' in event) || event.header?.id !== message.id) return message
  if (event.kind === 'queued') return advance(message, 'accepted')
  if (event.kind === 'prompted') return begin(message, event.turn, session)
  if (event.kind === 'unqueued' && event.entered) return begin(message, session.told, session)
  return message
}

const isSent = ({ life }: Message): boolean => life === 'sent' || life === 'accepted'

/** What never entered a turn is safe to type into the next session, but only if that is certain. */
const hearOver = (message: Message, complete: boolean): Message => {
  if (message.life === 'started') return advance(message, 'ended', { reason: 'the session ended' })
  if (!isSent(message)) return message
  return complete ? again(message) : fail(message, 'the session ended; it may have arrived', true)
}

/** `session` is what was known before the signal. */
export const hear = (
  message: Message,
  signal: Signal | MessageSignal,
  session: Session,
  at: number,
): Message => {
  switch (signal.from) {
    case 'hook':
      return hearHook(message, signal.event, session)
    case 'transcript':
      return hearTranscript(message, signal.event, session)
    case 'sending':
      return advance(message, 'sent', { session: signal.session, sentAt: at })
    case 'escaping':
      return message.life === 'queued' ? { ...message, escapedAt: at } : message
    case 'untyped':
      return message.life === 'sent' ? again(message) : message
    case 'silence':
      return message.life === 'sent' && at >= (message.sentAt ?? 0) + confirmMs
        ? fail(message, 'nothing confirmed it; it may have arrived', true)
        : message
    case 'refused':
      return isSent(message) || message.life === 'queued' ? fail(message, signal.reason, false) : message
    case 'withdrawn':
      return message.life === 'queued' ? { ...message, life: 'withdrawn', reason: signal.reason } : message
    case 'over':
      return hearOver(message, signal.complete)
    case 'reminded':
      return message.expects
        ? {
            ...message,
            expects: { ...message.expects, reminded: message.expects.reminded + 1, remindedAt: at },
          }
        : message
    case 'response':
      return message.expects && message.expects.closedBy === undefined
        ? { ...message, expects: { ...message.expects, closedBy: signal.message } }
        : message
    default:
      return message
  }
}

export const isSettled = ({ life, unsure }: Message): boolean =>
  (life === 'ended' || life === 'failed' || life === 'withdrawn') && !unsure

/** Only the agent that was asked can close it, and only towards who asked. */
export const responds = (reply: Message, to: Message): boolean =>
  reply.closes === to.id &&
  to.expects !== undefined &&
  reply.from.kind === 'agent' &&
  reply.from.name === to.to &&
  reply.to === to.from.name

export const queueFact = (message: Message): Fact => fact('message.queued', message.id, message)

export const changeFact = (before: Message, after: Message): Fact | undefined => {
  const { id, from: _from, to: _to, text: _text, lane: _lane, at: _at, closes: _closes, ...progress } = after
  return before === after ? undefined : fact('message.changed', id, progress)
}

export const forgetFact = ({ id }: Message): Fact => fact('message.forgotten', id)

export const reduceMessage = (was: Message | undefined, event: Event): Message | undefined => {
  if (event.type === 'message.queued') return event.data as Message
  if (event.type === 'message.forgotten') return undefined
  if (event.type !== 'message.changed' || was === undefined) return was
  const { id, from, to, text, lane, at, closes } = was
  const kept = { id, from, to, text, lane, at, ...(closes === undefined ? {} : { closes }) }
  return { ...kept, ...(event.data as Pick<Message, 'life'>) }
}
