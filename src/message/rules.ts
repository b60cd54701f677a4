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
  const { session: _session, sentAt: _sentAt, escapedAt: _escapedAt, turn: _turn, ...rest } = message
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

const interrupted = (message: Message): Message =>
  advance(message, 'ended', { end: 'interrupted', reason: 'the turn was interrupted' })

const failed = (message: Message): Message =>
  advance(message, 'ended', { end: 'failed', reason: 'the turn failed' })

/** A turn that begins takes trouble away: what is there came with the end of the last one. */
const hasFailed = ({ limit, trouble, turn }: Session): boolean =>
  (limit ?? trouble) !== undefined && turn === undefined

const cutOff = (message: Message, session: Session): Message =>
  hasFailed(session) ? failed(message) : interrupted(message)

/** Nothing says that a turn ended which Esc ended before any output; the session has found out by waiting. */
const overtake = (message: Message, session: Session): Message =>
  message.life === 'started' && isPast(session, message.turn) ? cutOff(message, session) : message

/**
 * To be asked after each signal that the session heard. A host that has just come does not know which turn a
 * message was in, but that none goes on.
 */
export const follow = (message: Message, session: Session): Message => {
  const { turn, started, ending, ids } = session
  const idle = started && !ending && turn === undefined && ids.includes(message.session ?? '')
  return message.life === 'started' && idle ? cutOff(message, session) : overtake(message, session)
}

/** More than its prompt is known of the turn. */
const see = (message: Message): Message =>
  message.life === 'started' && !message.seen ? { ...message, seen: true } : message

const hearHook = (message: Message, event: HookEvent, session: Session): Message => {
  if (event.subagent !== undefined) return message
  if (event.kind === 'prompted' && event.header?.id === message.id) {
    // It carries the id of the turn that it is queued behind, which may be over by now, or not be known by its id.
    const { turn } = session
    const behind = turn !== undefined && (turn.id === undefined || turn.id === event.turn)
    return behind || isPast(session, event.turn)
      ? advance(message, 'accepted')
      : begin(message, event.turn, session)
  }
  const mine = message.life === 'started' && (message.turn === undefined || message.turn === event.turn)
  if (event.kind === 'turn_ended' && mine)
    return advance(message, 'ended', {
      end: 'answered',
      ...(event.last !== '' && { answer: event.last.slice(0, longestAnswer) }),
    })
  if (event.kind === 'tool_asked' && mine) return see(message)
  return event.kind === 'turn_failed' && mine ? failed(message) : message
}

type Prompted = Extract<TranscriptEvent, { kind: 'prompted' }>

/** All that was queued is one turn, and ends with the last of it. */
const join = (message: Message, { turn, waited }: Prompted, session: Session): Message => {
  const joins = waited && session.fresh && message.life === 'started' && message.turn === session.told
  if (!joins || turn === undefined || turn === message.turn) return message
  const joined = { ...message, turn }
  return isPast(session, turn) ? advance(joined, 'ended') : joined
}

const hearTranscript = (message: Message, event: TranscriptEvent, session: Session): Message => {
  if (event.kind === 'interrupted') {
    const told = message.turn !== undefined && message.turn === session.told && !session.fresh
    return message.life === 'started' && told ? interrupted(message) : message
  }
  if (!('header' in event) || event.header?.id !== message.id)
    return event.kind === 'prompted' ? join(message, event, session) : message
  if (event.kind === 'queued') return advance(message, 'accepted')
  if (event.kind === 'prompted') return see(begin(message, event.turn, session))
  if (event.kind === 'unqueued' && event.entered) return see(begin(message, session.told, session))
  return message
}

const isSent = ({ life }: Message): boolean => life === 'sent' || life === 'accepted'

/** What never entered a turn is safe to type into the next session, but only if that is certain. */
const hearOver = (message: Message, complete: boolean): Message => {
  // The hook told of the prompt, but it was never written down: the conversation does not know it.
  const lost = complete && message.life === 'started' && !message.seen
  if (message.life === 'started' && !lost)
    return advance(message, 'ended', { end: 'over', reason: 'the session ended' })
  if (!isSent(message) && !lost) return message
  return complete ? again(message) : fail(message, 'the session ended; it may have arrived', true)
}

/** `session` is what was known before the signal. */
export const hear = (
  before: Message,
  signal: Signal | MessageSignal,
  session: Session,
  at: number,
): Message => {
  const message = overtake(before, session)
  switch (signal.from) {
    case 'hook':
      return signal.held ? message : hearHook(message, signal.event, session)
    case 'answer':
      // Its end was held for a review; sent on, it goes on.
      return signal.event.kind === 'turn_ended' && !signal.refused
        ? hearHook(message, signal.event, session)
        : message
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
    case 'adrift':
      return message.life === 'started' ? interrupted(message) : message
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
