// The messages of one agent. They outlive its sessions: what was not handed over waits for the next one.
import type { Fact } from '../journal/schema.ts'
import type { Session, Signal } from '../session/schema.ts'
import { changeFact, follow, forgetFact, hear, isSettled } from './rules.ts'
import { longestAnswer, type Message, type MessageSignal } from './schema.ts'

export type Box = {
  /** Oldest first. */
  readonly messages: () => readonly Message[]
  readonly waiting: () => number
  /** A new one, stored already. */
  put(message: Message): void
  /** What the session is about to hear; `session` is what was known before. */
  hear(signal: Signal, session: Session): void
  /** What only concerns one message. Returns what became of it. */
  tell(id: string, signal: MessageSignal, session?: Session): Message | undefined
  /** What the session has found out by waiting. To be asked after each signal. */
  follow(session: Session): void
  /** Who hands messages over; undefined = nobody, with the reason. */
  attend(wake: (() => void) | undefined): void
  /** Why nothing is handed over. */
  readonly why: () => string | undefined
  explain(why: string | undefined): void
}

/** The session is over. `complete`: its transcript was read to the end. */
export const closeMessages = (box: Box, session: Session, complete: boolean): void => {
  for (const { id, session: where } of box.messages())
    if (where !== undefined && session.ids.includes(where)) box.tell(id, { from: 'over', complete }, session)
}

export type BoxOptions = {
  readonly now: () => number
  readonly record: (...facts: readonly Fact[]) => void
  readonly changed: (message: Message) => void
}

/** Settled ones that are kept at hand; the journal has all. */
const most = 50
const mostSaid = 20
const away = 'the agent is not running'

/** A turn that is really over: not one whose end is held, or refused. */
const endIn = (signal: Signal) => {
  const told = (signal.from === 'hook' && !signal.held) || (signal.from === 'answer' && !signal.refused)
  return told && signal.event.kind === 'turn_ended' ? signal.event : undefined
}

/** Where there is no session, there is nothing that a signal could be compared with. */
const nowhere = { ended: [] } as unknown as Session

/** Its turn has ended, and the hook that said so was heard before anybody knew that it was in it. */
const withAnswer = (message: Message, said: ReadonlyMap<string, string>): Message => {
  const { life, reason, end, turn } = message
  const words =
    life === 'ended' && reason === undefined && end === undefined ? said.get(turn ?? '') : undefined
  return words === undefined ? message : { ...message, end: 'answered', ...(words && { answer: words }) }
}

export const boxOf = ({ now, record, changed }: BoxOptions): Box => {
  let messages: readonly Message[] = []
  /** In the order in which they were: whoever waits for one still finds it. */
  const settled = new Set<string>()
  /** The last words of the latest turns: the hook tells them before the transcript tells who was in it. */
  const said = new Map<string, string>()
  let wake: (() => void) | undefined
  let why: string | undefined = away

  const keep = (turn: string, last: string): void => {
    said.set(turn, last.slice(0, longestAnswer))
    const [oldest] = said.size > mostSaid ? said.keys() : []
    if (oldest !== undefined) said.delete(oldest)
  }

  const apply = (change: (message: Message) => Message): void => {
    const facts: Fact[] = []
    const news: Message[] = []
    messages = messages.map((before) => {
      const after = change(before)
      const fact = changeFact(before, after)
      if (fact === undefined) return before
      facts.push(fact)
      news.push(after)
      return after
    })
    if (facts.length === 0) return
    for (const message of news.filter(isSettled)) settled.add(message.id)
    const old = messages.filter(({ id }) => [...settled].slice(0, -most).includes(id))
    for (const { id } of old) settled.delete(id)
    messages = messages.filter((message) => !old.includes(message))
    record(...facts, ...old.map(forgetFact))
    for (const message of news) changed(message)
  }

  return {
    messages: () => messages,
    waiting: () => messages.filter(({ life }) => life === 'queued').length,
    put: (message) => {
      messages = [...messages, message]
      if (isSettled(message)) settled.add(message.id)
      wake?.()
    },
    hear: (signal, session) => {
      const { turn, last } = endIn(signal) ?? {}
      if (turn !== undefined) keep(turn, last ?? '')
      apply((message) => withAnswer(hear(message, signal, session, now()), said))
    },
    tell: (id, signal, session = nowhere) => {
      apply((message) => (message.id === id ? hear(message, signal, session, now()) : message))
      return messages.find((message) => message.id === id)
    },
    follow: (session) => {
      apply((message) => withAnswer(follow(message, session), said))
      wake?.()
    },
    attend: (waker) => {
      wake = waker
      why = waker === undefined ? away : undefined
      wake?.()
    },
    why: () => why,
    explain: (reason) => {
      why = reason
    },
  }
}
