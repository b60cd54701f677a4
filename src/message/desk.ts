// All messages of a root: what is sent is stored before it is answered for, and waits in the box of its agent.
import { randomBytes } from 'node:crypto'
import { fail } from '../base/error/fail.ts'
import type { Fact } from '../journal/schema.ts'
import type { Store } from '../store/store.ts'
import type { MessageEntry } from './api.ts'
import { type Box, boxOf } from './box.ts'
import { queueFact, responds } from './rules.ts'
import type { Lane, Message, Sender } from './schema.ts'

export type Draft = {
  readonly from: Sender
  readonly to: string
  readonly text: string
  readonly lane: Lane
  /** The same id is the same message. */
  readonly id?: string | undefined
  readonly expects?: boolean | undefined
  readonly closes?: string | undefined
  /** Stored with it, all or nothing. */
  readonly along?: readonly Fact[] | undefined
}

export type Desk = {
  send(draft: Draft): Promise<MessageEntry>
  withdraw(id: string, reason: string): MessageEntry
  find(id: string): MessageEntry
  /** Oldest first. */
  list(to?: string): readonly MessageEntry[]
  /** Resolves when `done`, or after so many milliseconds, with what it is then. */
  until(id: string, done: (message: Message) => boolean, patience: number): Promise<MessageEntry>
  box(agent: string): Box
  /** Called after each change of a message; returns how to stop. */
  watch(see: (message: Message) => void): () => void
}

export type DeskOptions = {
  readonly store: Store
  readonly now: () => number
  readonly record: (...facts: readonly Fact[]) => void
}

const byAge = (one: Message, other: Message): number => one.at - other.at || (one.id < other.id ? -1 : 1)

export const openDesk = async ({ store, now, record }: DeskOptions): Promise<Desk> => {
  const boxes = new Map<string, Box>()
  const watchers = new Set<(message: Message) => void>()
  let count = 0

  const changed = (message: Message): void => {
    for (const watch of [...watchers]) watch(message)
  }
  const box = (agent: string): Box => {
    const found = boxes.get(agent) ?? boxOf({ now, record, changed })
    boxes.set(agent, found)
    return found
  }
  const all = (): readonly Message[] => [...boxes.values()].flatMap((each) => each.messages()).sort(byAge)
  const known = (id: string): Message | undefined => all().find((message) => message.id === id)
  const entryOf = (message: Message): MessageEntry => {
    const waits = message.life === 'queued' ? box(message.to).why() : undefined
    return waits === undefined ? message : { ...message, waits }
  }
  const find = (id: string): MessageEntry => {
    const message = known(id)
    if (message !== undefined) return entryOf(message)
    return fail('not_found', { what: `message "${id}"`, see: 'Type `agency message list`.' })
  }
  /** Sorts by time also within a millisecond. */
  const newId = (): string => {
    count = (count + 1) % 46_656
    return `${now().toString(36)}${count.toString(36).padStart(3, '0')}${randomBytes(2).toString('hex')}`
  }

  /** A response that was stored before the message it closes was told. */
  const close = (reply: Message): void => {
    const asked = reply.closes === undefined ? undefined : known(reply.closes)
    if (asked !== undefined && responds(reply, asked))
      box(asked.to).tell(asked.id, { from: 'response', message: reply.id })
  }

  const { kept } = await store.list('message')
  for (const message of kept.map(({ state }) => state as Message).sort(byAge)) box(message.to).put(message)
  for (const message of all()) close(message)

  const same = (message: Message, { from, to, text, lane, closes }: Draft): boolean =>
    JSON.stringify([message.from, message.to, message.text, message.lane, message.closes ?? null]) ===
    JSON.stringify([from, to, text, lane, closes ?? null])

  const again = (before: Message, draft: Draft): MessageEntry =>
    same(before, draft) ? entryOf(before) : fail('message_conflict', { id: before.id })

  const messageOf = (draft: Draft): Message => {
    const { from, to, text, lane, expects, closes } = draft
    return {
      id: draft.id ?? newId(),
      from,
      to,
      text,
      lane,
      at: now(),
      life: 'queued',
      ...(expects && { expects: { reminded: 0 } }),
      ...(closes !== undefined && { closes }),
    }
  }

  /** What is for a person has arrived once it is stored: people look for themselves. */
  const addressed = (message: Message): Message => {
    if (message.closes === undefined) return message
    const asked = find(message.closes)
    if (!responds(message, asked))
      fail('message_not_asked', { id: asked.id, from: message.from.name, to: message.to })
    return asked.from.kind === 'person' ? { ...message, life: 'ended' } : message
  }

  /** One transaction: of two at once under one id, the second finds the first. */
  const accept = async (message: Message, along: readonly Fact[]): Promise<Message | undefined> => {
    const before = await store.transact<Message | undefined>(`message:${message.id}`, (kept) =>
      kept === undefined
        ? { facts: [queueFact(message), ...along], value: undefined }
        : { facts: [], value: kept.state as Message },
    )
    if (before !== undefined) return before
    box(message.to).put(message)
    close(message)
    changed(message)
    return undefined
  }

  const send: Desk['send'] = async (draft) => {
    const { id, from, to, along = [] } = draft
    if (from.kind === 'agent' && from.name === to) fail('message_to_self', { agent: to })
    const before = id === undefined ? undefined : known(id)
    if (before !== undefined) return again(before, draft)
    const message = addressed(messageOf(draft))
    // Settled so long ago that it is not at hand any more.
    const [old] = id === undefined ? [] : await store.events({ subject: `message:${id}`, after: 0, limit: 1 })
    if (old !== undefined && (await store.load(`message:${id}`)) === undefined)
      fail('message_conflict', { id: message.id })
    const other = await accept(message, along)
    return other === undefined ? entryOf(message) : again(other, draft)
  }

  return {
    send,
    find,
    box,
    watch: (see) => {
      watchers.add(see)
      return () => watchers.delete(see)
    },
    list: (to) =>
      all()
        .filter((message) => to === undefined || message.to === to)
        .map(entryOf),
    withdraw: (id, reason) => {
      const { to, life } = find(id)
      if (life !== 'queued') return fail('message_begun', { id, life })
      box(to).tell(id, { from: 'withdrawn', reason })
      return find(id)
    },
    until: (id, done, patience) =>
      new Promise((resolve, reject) => {
        const finish = (): void => {
          clearTimeout(timer)
          watchers.delete(watch)
          try {
            resolve(find(id))
          } catch (error) {
            reject(error as Error)
          }
        }
        const watch = (message: Message): void => {
          if (message.id === id && done(message)) finish()
        }
        const timer = setTimeout(finish, patience).unref()
        watchers.add(watch)
        const message = known(id)
        if (message === undefined || done(message)) finish()
      }),
  }
}
