// What hooks tell. They come in the order of things, each at most once; one that comes again changes nothing.
import type { HookEvent } from '../../driver/schema.ts'
import type { Session } from '../schema.ts'
import { withFailure } from '../trouble/rules.ts'
import {
  alive,
  askCall,
  closeCall,
  closeTurn,
  doubt,
  enqueue,
  has,
  inTurn,
  isOpen,
  isPast,
  openQueued,
  openTurn,
  patience,
  question,
  settle,
  within,
  withoutTrouble,
} from '../turn/rules.ts'

type Of<K extends HookEvent['kind']> = Extract<HookEvent, { kind: K }>
type Heard = { readonly at: number; readonly call?: string; readonly held?: boolean }
type Hear<K extends HookEvent['kind']> = (session: Session, event: Of<K>, heard: Heard) => Session

const request = (event: Of<'permission_asked'>, call: string | undefined) => ({
  tool: event.tool,
  ...(call === undefined ? {} : { call }),
  ...(event.subagent === undefined ? {} : { subagent: event.subagent.id }),
})

/** Which call is meant, where nobody matched it: the oldest of that tool that waits for nothing yet. */
const guess = (session: Session, tool: string): string | undefined =>
  session.calls.find(
    (call) => call.tool === tool && !call.permitted && !session.waiting.some((one) => one.call === call.id),
  )?.id

const started: Hear<'session_started'> = (session, event) => {
  const again = session.started && !session.ending && event.session === session.id
  if (again && event.source !== 'compact') return session
  const ids = within(session.ids, [event.session], 20)
  const begun = { ...session, id: event.session, ids, started: true, ending: false }
  // Compacting starts the session "again" in the middle of a turn.
  return event.source === 'compact' ? { ...begun, compacting: false } : closeTurn(begun)
}

/** All that is queued begins the next turn at once, and no hook says so. */
const awaiting = (session: Session, at: number): Session =>
  session.queue.length === 0 ? session : doubt(openQueued(session, at), at + patience.queue)

const prompted: Hear<'prompted'> = (session, { turn: id, text }, { at }) => {
  const { typed: _typed, ...read } = session
  // Queued behind a turn it carries that turn's id; it is no new beginning.
  if (session.turn !== undefined && id !== undefined && session.turn.id === id) return enqueue(read, text)
  if (!isPast(session, id)) return openTurn(read, id, at)
  // That turn has ended meanwhile.
  const last = session.turn === undefined && session.ended.at(-1) === id
  return last ? awaiting(enqueue(read, text), at) : session
}

const toolAsked: Hear<'tool_asked'> = (session, { call, turn: id }, { at }) => {
  if (has(session.closed, call.id)) return session
  const asked = askCall(session, call.id)
  // A call of a turn that another one has followed: asked late, and nobody waits for it any more.
  if (session.turn !== undefined && isPast(session, id)) return closeCall(asked, call.id)
  const running = alive(inTurn(asked, id, at))
  const others = running.calls.filter((one) => one.id !== call.id)
  return { ...running, compacting: false, calls: [...others, { id: call.id, tool: call.tool }] }
}

const toolOver: Hear<'tool_done' | 'tool_failed'> = (session, { call, turn: id, ...event }, { at }) => {
  const known = has(session.closed, call.id)
  const rest = closeCall(session, call.id)
  if (known || isPast(session, id)) return rest
  if (event.kind === 'tool_failed' && event.interrupted) return rest
  return alive(inTurn(rest, id, at))
}

const permissionAsked: Hear<'permission_asked'> = (session, event, { call }) => {
  if (session.turn !== undefined && isPast(session, event.turn)) return session
  const by = session.reviewer ? 'reviewer' : 'person'
  return question(alive(session), request(event, call ?? guess(session, event.tool)), by)
}

/** Stop. A hook of the role may still send the turn on: its next call opens it again. */
const turnEnded: Hear<'turn_ended'> = (session, { turn: id, background, again }, { at, held }) => {
  if (isPast(session, id)) {
    const last = session.turn === undefined && session.ended.at(-1) === id
    return again && last ? { ...session, background: [...background] } : session
  }
  if (held) {
    const open = inTurn(session, id, at)
    return open.turn ? { ...alive(open), turn: { ...open.turn, answered: true, review: true } } : open
  }
  const closed = withoutTrouble(closeTurn(session, id))
  const alone = closed.waiting.filter((one) => background.some((work) => work.id === one.subagent))
  return awaiting({ ...closed, waiting: alone, background: [...background], turns: session.turns + 1 }, at)
}

const turnFailed: Hear<'turn_failed'> = (session, { turn: id, error, last }, { at }) =>
  isPast(session, id) ? session : withFailure(closeTurn(session, id), { error, text: last }, at)

const notified: Hear<'notified'> = (session, { type }) =>
  // Its own words that it waits for a prompt; only a backstop, since they come after a minute.
  type === 'idle_prompt' && session.calls.length === 0 && session.waiting.length === 0
    ? closeTurn(session)
    : session

const main: { readonly [K in HookEvent['kind']]: Hear<K> } = {
  session_started: started,
  session_ended: (session, { reason }) =>
    /^(clear|resume)$/.test(reason)
      ? { ...closeTurn(session), waiting: [], ending: false }
      : // What it still does is over when the program is.
        { ...session, calls: [], waiting: [], ending: true },
  prompted,
  tool_asked: toolAsked,
  tool_done: toolOver as Hear<'tool_done'>,
  tool_failed: toolOver as Hear<'tool_failed'>,
  permission_asked: permissionAsked,
  permission_denied: (session, { call }) => closeCall(session, call.id),
  turn_ended: turnEnded,
  turn_failed: turnFailed,
  subagent_started: (session) => session,
  subagent_ended: (session) => session,
  compacting: (session) => ({ ...session, compacting: true }),
  compacted: (session) => ({ ...session, compacting: false }),
  notified,
  config_changed: (session) => session,
  other: (session) => session,
}

/** A subagent speaks in its parent's name: its calls are remembered, the main conversation is not touched. */
const fromSubagent = (session: Session, event: HookEvent, id: string, { call }: Heard): Session => {
  switch (event.kind) {
    case 'tool_asked':
      return has(session.closed, event.call.id) ? session : askCall(session, event.call.id)
    case 'tool_done':
    case 'tool_failed':
    case 'permission_denied':
      return closeCall(session, event.call.id)
    case 'permission_asked':
      return question(session, request(event, call), session.reviewer ? 'reviewer' : 'person')
    case 'subagent_ended':
      return {
        ...session,
        waiting: session.waiting.filter((one) => one.subagent !== id),
        background: session.background.filter((work) => work.id !== id),
      }
    default:
      return session
  }
}

export const hearHook = (session: Session, event: HookEvent, heard: Heard): Session =>
  event.subagent === undefined
    ? (main[event.kind] as (session: Session, event: HookEvent, heard: Heard) => Session)(
        session,
        event,
        heard,
      )
    : fromSubagent(session, event, event.subagent.id, heard)

type Answered = { readonly at: number; readonly call?: string; readonly refused: boolean }

export const hearAnswer = (session: Session, event: HookEvent, { at, call, refused }: Answered): Session => {
  switch (event.kind) {
    case 'permission_asked':
      return settle(session, request(event, call), refused)
    case 'tool_asked':
      return refused ? closeCall(session, event.call.id) : session
    case 'prompted':
      // It never enters the conversation. One that was queued leaves the running turn as it is.
      return refused && event.turn !== undefined && session.turn?.id !== event.turn
        ? // The CLI puts it back into the input line.
          { ...session, ended: within(session.ended, [event.turn], 50), draft: true }
        : session
    case 'turn_ended':
      return refused ? sentOn(session, event, at) : hearHook(session, event, { at })
    default:
      return session
  }
}

const sentOn = (session: Session, event: Of<'turn_ended'>, at: number): Session => {
  if (event.subagent !== undefined || (session.turn !== undefined && !isOpen(session, event.turn)))
    return session
  const open = alive(inTurn(session, event.turn, at))
  if (open.turn === undefined) return open
  const { review: _review, ...turn } = open.turn
  return { ...open, turn }
}

/** No hook will tell how it went on: the transcript does, or nothing does and the turn is over. */
export const hearClosed = (
  session: Session,
  event: HookEvent,
  { at, call }: { readonly at: number; readonly call?: string },
): Session => {
  const id = event.kind === 'tool_asked' ? event.call.id : call
  const rest =
    event.kind === 'permission_asked'
      ? settle(session, request(event, id), true)
      : id === undefined
        ? session
        : closeCall(session, id)
  const ours = event.subagent === undefined && isOpen(session, event.turn)
  return ours ? doubt(rest, at + patience.refusal) : rest
}
