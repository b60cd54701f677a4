// Which message may be handed over now. While a dialog is up, Enter would answer it: then none.
import { isQuiet, stateOf } from '../../session/rules.ts'
import type { Session } from '../../session/schema.ts'
import { span } from '../../session/summary/rules.ts'
import { confirmMs } from '../rules.ts'
import { type Lane, lanes, type Message } from '../schema.ts'

export type Next =
  | { readonly kind: 'nothing' }
  /** Not now; ask again at `until`, or when the session changes. */
  | { readonly kind: 'wait'; readonly why: string; readonly until?: number }
  /** Interrupt the running turn, tell the message `escaping`, ask again. */
  | { readonly kind: 'escape'; readonly message: Message }
  /** `clear`: something lies in the input line and would stand before the header. */
  | { readonly kind: 'send'; readonly message: Message; readonly clear: boolean }

/** A person who typed this short a time ago is not done. */
const typingMs = 10_000
/** How long an interrupted turn may take to end; after that the message is queued behind it. */
const escapeMs = 15_000
/** How long an agent is idle before it gets what can wait. */
const lazyMs = 500
/** How long a message in the agent's own queue may lie there after the turn; after that it was given back. */
const unreadMs = 5000
/** How long the prompt of a turn may take to stand in the transcript. */
const writtenMs = 2000
/** A program without hooks that prints nothing for this long waits for input. */
const quietMs = 2000

/** A call that was let run this short a time ago may still open a dialog, and Enter would answer it. */
const dialogMs = 1000
/** When Enter is pressed again for a message that nothing confirms. */
const presses = [2000, 5000, 15_000, 40_000]

const wait = (why: string, until?: number): Next => ({
  kind: 'wait',
  why,
  ...(until === undefined ? {} : { until }),
})

/** Reasons that hold every lane. */
const held = (session: Session, at: number): Next | undefined => {
  const state = stateOf(session)
  // The dialog of a request is up while its reviewer thinks, and for subagents' requests too.
  if (session.waiting.length > 0 || state.name === 'blocked') return wait('the agent waits for a permission')
  if (session.compacting) return wait('the agent compacts its conversation')
  switch (state.name) {
    case 'starting':
    case 'draining':
    case 'lost':
    case 'exited':
    case 'unsupervised':
      return wait(`the agent is ${state.name}`)
    case 'limited':
      return wait(`the agent is limited for ${span(state.until - at)}: ${state.what}`, state.until)
    default:
  }
  if (session.doubt !== undefined) return wait('the turn may be ending', session.doubt)
  if (session.typed !== undefined && at < session.typed + typingMs)
    return wait('a person is typing', session.typed + typingMs)
  if (!session.managed && at < (session.output ?? 0) + quietMs)
    return wait('the program is printing', (session.output ?? 0) + quietMs)
  return undefined
}

/** idle-first is served newest first: it says what matters now. */
const inLane = (queued: readonly Message[], lane: Lane): readonly Message[] => {
  const own = queued.filter((message) => message.lane === lane)
  return lane === 'idle-first' ? own.toReversed() : own
}

/** Who comes first, whatever holds it. */
export const inOrder = (messages: readonly Message[]): readonly Message[] => {
  const queued = messages
    .filter((message) => message.life === 'queued')
    .toSorted((one, other) => one.at - other.at)
  return lanes.flatMap((lane) => inLane(queued, lane))
}

/** Nothing goes on that Esc would end. */
export const isFree = (session: Session): boolean => !session.managed || stateOf(session).name === 'idle'

/** A task. What else agency says by itself comes in the lane `idle`. */
const isTask = ({ from, lane }: Message): boolean => from.kind === 'agency' && lane === 'normal'

/** After an error only a newer word of a person, or a task, is worth another try: any other would be lost too. */
const triesAgain = (message: Message, session: Session): boolean =>
  (message.from.kind === 'person' || isTask(message)) && message.at > (session.trouble?.since ?? 0)

const interrupting = (message: Message, session: Session, at: number): Next | undefined => {
  if (message.lane !== 'interrupt' || isFree(session)) return undefined
  const { turn, told } = session
  const unheard = turn?.id !== undefined && turn.id !== told && !turn.answered
  // Interrupted before its prompt is written down, the turn would leave no trace of what it was asked.
  if (unheard && at < turn.since + writtenMs) return wait('a turn has just begun', turn.since + writtenMs)
  if (message.escapedAt === undefined) return { kind: 'escape', message }
  const until = message.escapedAt + escapeMs
  // A second Esc would open a menu of an agent that is idle by then.
  return at < until ? wait('the turn is being interrupted', until) : undefined
}

const isLazy = ({ lane }: Message): boolean => lane === 'idle' || lane === 'idle-first'

const hasUnread = (messages: readonly Message[], session: Session): boolean =>
  messages.some((one) => one.life === 'accepted' && session.ids.includes(one.session ?? ''))

/**
 * The agent's own queue holds one at most: between two turns a new prompt begins the next one and overtakes what is
 * queued, and whether the turn ends while we type cannot be known.
 */
const inTurn = (
  message: Message,
  session: Session,
  messages: readonly Message[],
  at: number,
): Next | undefined => {
  if (message.lane !== 'normal' || !hasUnread(messages, session)) return undefined
  if (!isFree(session)) return wait('the agent has another message to read first')
  const until = session.since + unreadMs
  return at < until ? wait('the agent has another message to read first', until) : undefined
}

const lazily = (
  message: Message,
  session: Session,
  messages: readonly Message[],
  at: number,
): Next | undefined => {
  if (!isLazy(message)) return undefined
  if (session.managed && !isQuiet(session)) return wait('the agent is not idle')
  // Compacting has one more hook to tell of when it seems to be over; other ends are not earlier than they look.
  const settled = session.since + lazyMs
  if (session.managed && at < settled) return wait('the agent has only just become idle', settled)
  // Between two turns it looks idle.
  return hasUnread(messages, session) ? wait('the agent has another message to read first') : undefined
}

/** What comes between the wish to send and the keys. */
const hindered = (session: Session, at: number): Next | undefined => {
  const risky = session.calls.some(({ permitted }) => !permitted) || session.background.length > 0
  if (risky && at < session.heard + dialogMs) return wait('a call has just begun', session.heard + dialogMs)
  // Only an idle agent's line can be cleared: Esc would end the turn of a busy one.
  if (session.managed && session.typed !== undefined && !isFree(session))
    return wait('the text of a person lies in the input line')
  return undefined
}

const send = (message: Message, session: Session, at: number): Next =>
  hindered(session, at) ?? { kind: 'send', message, clear: session.draft || session.typed !== undefined }

/** `messages` are all of the agent, oldest first where their times are equal. */
export const next = (messages: readonly Message[], session: Session, at: number): Next => {
  const [first] = inOrder(messages)
  if (first === undefined) return { kind: 'nothing' }
  const typed = messages.find((one) => one.life === 'sent' && one.session === session.id)
  // Two pastes at once could become one prompt.
  if (typed !== undefined && session.managed)
    return wait('an earlier message is not confirmed yet', (typed.sentAt ?? at) + confirmMs)
  const stop = held(session, at)
  if (stop !== undefined) return stop
  const state = stateOf(session)
  if (state.name === 'error') {
    const brave = inOrder(messages).find((one) => triesAgain(one, session))
    return brave === undefined ? wait(`the agent is in error: ${state.what}`) : send(brave, session, at)
  }
  return (
    interrupting(first, session, at) ??
    inTurn(first, session, messages, at) ??
    lazily(first, session, messages, at) ??
    send(first, session, at)
  )
}

/**
 * Whether Enter is to be pressed again for a typed message: a CLI that was slow to read the paste took the first one
 * for a part of it. On an empty line it does nothing. `times` = how often it was.
 */
export const pressAt = (message: Message, times: number): number | undefined => {
  const [due] = presses.slice(times)
  return message.life !== 'sent' || due === undefined ? undefined : (message.sentAt ?? 0) + due
}

export const mayPress = (session: Session, at: number): boolean =>
  session.managed && (held(session, at) ?? hindered(session, at)) === undefined
