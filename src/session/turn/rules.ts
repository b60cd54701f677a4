// What every kind of signal does to the turn, its calls and its questions.
import type { Session, Waiting } from '../schema.ts'

/** Enough to know a late signal by: none is thousands of calls late. An agent must not fill our memory. */
const most = { turns: 50, calls: 5000, queue: 100 }

/** A long list as a set, as long as nobody has added to it. */
const sets = new WeakMap<readonly string[], Set<string>>()
/** Up to here a look through the list is as fast. */
const few = 32

/** Every call of an agent is looked for among all before it. */
export const has = (list: readonly string[], item: string): boolean => {
  if (list.length <= few) return list.includes(item)
  const known = sets.get(list) ?? new Set(list)
  sets.set(list, known)
  return known.has(item)
}

/** The list that follows is known by the same set; for the one before, which hardly anybody asks again, it is made anew. */
const handOver = (
  list: readonly string[],
  dropped: number,
  news: readonly string[],
  next: string[],
): string[] => {
  const known = sets.get(list)
  // One with the same text twice would lose it with the first.
  if (known?.size !== list.length) return next
  sets.delete(list)
  for (const item of list.slice(0, dropped)) known.delete(item)
  for (const item of news) known.add(item)
  sets.set(next, known)
  return next
}

export const within = (list: string[], items: readonly string[], limit: number): string[] => {
  const news = items.filter((item, place) => !has(list, item) && items.indexOf(item) === place).slice(-limit)
  const dropped = Math.max(0, list.length + news.length - limit)
  if (news.length === 0 && dropped === 0) return list
  return handOver(list, dropped, news, [...list.slice(dropped), ...news])
}

const without = (list: readonly string[], text: string | undefined): string[] => {
  const named = text === undefined ? 0 : list.indexOf(beginning(text))
  return list.filter((_, place) => place !== named)
}

const forget = ({ doubt: _doubt, ...session }: Session): Session => session

export const withoutTrouble = ({ limit: _limit, trouble: _trouble, ...session }: Session): Session => session

/** How long after Esc a silent turn is taken as over, and after a refusal whose line in the transcript is missing. */
export const patience = { escape: 3000, refusal: 10_000, queue: 10_000 }

export const doubt = (session: Session, until: number): Session =>
  session.turn === undefined && !session.compacting ? session : { ...session, doubt: until }

/** The turn goes on: whatever made us doubt it was something else. */
export const alive = (session: Session): Session => {
  const sure = forget(session)
  return sure.turn === undefined ? sure : { ...sure, turn: { ...sure.turn, answered: true } }
}

export const isOpen = (session: Session, id: string | undefined): boolean =>
  session.turn !== undefined && (session.turn.id === undefined || id === undefined || session.turn.id === id)

export const isPast = (session: Session, id: string | undefined): boolean =>
  id !== undefined && session.turn?.id !== id && session.ended.includes(id)

/** Ends the turn that is open, and `id` where it is another one. Questions of subagents stay. */
export const closeTurn = (session: Session, id?: string): Session => {
  const { turn, ...rest } = forget(session)
  const over = [turn?.id, id].filter((one) => one !== undefined)
  return {
    ...rest,
    ended: within(rest.ended, over, most.turns),
    calls: [],
    closed: within(
      rest.closed,
      rest.calls.map((call) => call.id),
      most.calls,
    ),
    waiting: rest.waiting.filter((one) => one.subagent !== undefined),
    compacting: false,
  }
}

export const openTurn = (session: Session, id: string | undefined, at: number): Session => {
  const closed = withoutTrouble(closeTurn(session))
  return {
    ...closed,
    ended: closed.ended.filter((one) => one !== id),
    turn: { since: at, answered: false, ...(id === undefined ? {} : { id }) },
    draft: false,
  }
}

/** All that is queued begins as one turn, whose id nobody has told yet. */
export const openQueued = (session: Session, at: number): Session => {
  const { turn, ...opened } = openTurn({ ...session, queue: [] }, undefined, at)
  return turn === undefined ? opened : { ...opened, turn: { ...turn, awaits: session.queue } }
}

/** One of those was in a turn that is over. Where it was the last, there is none to wait for. */
export const unawait = (session: Session, text: string | undefined): Session => {
  const { turn, queue } = session
  if (turn === undefined || turn.id !== undefined) return session
  const awaits = without(turn.awaits ?? [], text)
  const spent = awaits.length === 0 && queue.length === 0
  return spent ? closeTurn(session) : { ...session, turn: { ...turn, awaits } }
}

/** Nothing but the queue had said that a turn would begin; now it has. A doubt since Esc stays. */
const certain = (session: Session): Session =>
  session.doubt === (session.turn?.since ?? 0) + patience.queue ? forget(session) : session

/**
 * A sign of the turn `id`. It may be one that nobody announced: a queued message begins without a hook, also in the
 * place of a turn whose interruption was not told yet. Only what is past is known to be no newer one.
 */
export const inTurn = (session: Session, id: string | undefined, at: number): Session => {
  if (session.turn === undefined) return openTurn(session, id, at)
  if (id === undefined || session.turn.id === id) return session
  if (session.turn.id !== undefined) return isPast(session, id) ? session : openTurn(session, id, at)
  const { awaits: _awaits, ...turn } = session.turn
  return { ...certain(session), turn: { ...turn, id } }
}

export const askCall = (session: Session, id: string): Session => ({
  ...session,
  asked: within(session.asked, [id], most.calls),
})

export const closeCall = (session: Session, id: string): Session => ({
  ...session,
  calls: session.calls.filter((call) => call.id !== id),
  closed: within(session.closed, [id], most.calls),
  waiting: session.waiting.filter((one) => one.call !== id),
})

/** It was let run: a request for it that comes again is an old one. */
export const permit = (session: Session, id: string): Session => ({
  ...session,
  calls: session.calls.map((call) => (call.id === id ? { ...call, permitted: true } : call)),
  waiting: session.waiting.filter((one) => one.call !== id),
})

/** A call that ran although its hook was never asked: the agent got away from supervision. */
export const ranCall = (session: Session, id: string, ran: boolean): Session => {
  if (ran && !has(session.asked, id))
    return { ...session, unsupervised: session.unsupervised ?? 'a tool ran without asking agency first' }
  return closeCall(session, id)
}

type Request = Omit<Waiting, 'by'>

const sameTool = (request: Request, one: Waiting): boolean =>
  one.tool === request.tool && one.subagent === request.subagent

/**
 * Whether `request` is about this very question. An approval belongs to the request it was made for; two requests
 * that nobody could match to a call are two, or one answer would hide the dialog of the other.
 */
const isSame = (request: Request) => (one: Waiting) => {
  if (request.call !== undefined && one.call !== undefined) return request.call === one.call
  if (request.approval === undefined) return false
  return one.approval === undefined ? sameTool(request, one) : one.approval === request.approval
}

/** Asked twice it is still one question; once put to a person it stays so. */
export const question = (session: Session, request: Request, by: Waiting['by']): Session => {
  const { call } = request
  const answered = session.calls.some((one) => one.id === call && one.permitted)
  if (answered || (call !== undefined && has(session.closed, call))) return session
  const found = session.waiting.find(isSame(request))
  const entry = { ...found, ...request, by: found?.by === 'person' ? 'person' : by }
  return { ...session, waiting: [...session.waiting.filter((one) => one !== found), entry] }
}

/** The question is answered. A refused call does not run. */
export const settle = (session: Session, request: Request, refused: boolean): Session => {
  const found =
    session.waiting.find(isSame(request)) ??
    session.waiting.find((one) => one.call === undefined && sameTool(request, one))
  const left = { ...session, waiting: session.waiting.filter((one) => one !== found) }
  const call = request.call ?? found?.call
  if (call === undefined) return left
  return refused ? closeCall(left, call) : permit(left, call)
}

const beginning = (text: string): string => text.slice(0, 200)

/** Hooks and transcript both tell of it, in either order, perhaps when the turn before it is over already. */
export const enqueue = (session: Session, text: string): Session =>
  session.turn?.awaits?.includes(beginning(text))
    ? session
    : { ...session, queue: within(session.queue, [beginning(text)], most.queue) }

/** Without a text nobody says which one left: the oldest. */
export const dequeue = (session: Session, text: string | undefined): Session => ({
  ...session,
  queue: without(session.queue, text),
})
