// Hands the messages of an agent over to its session, one at a time: the rules say which and when, the keeper types.
// Exactly once by three things together: `sent` is on the disk before a key is typed, the keeper types each key only
// once, and it refuses when a hook or a person came between our look and our keys.
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Log } from '../base/log/open.ts'
import type { Driver } from '../driver/driver.ts'
import type { Keeper } from '../keeper/reach.ts'
import type { Session, Signal } from '../session/schema.ts'
import type { Box } from './box.ts'
import { isFree, mayPress, next, pressAt } from './next/rules.ts'
import { confirmMs } from './rules.ts'
import type { Message } from './schema.ts'
import { bodyOf } from './text/rules.ts'

export type Seat = {
  readonly agent: string
  readonly box: Box
  readonly session: () => Session
  readonly keeper: () => Keeper
  readonly driver: Pick<Driver, 'typed' | 'stop'>
  /** Where long texts are left for it. */
  readonly directory: string
  readonly mayRead: boolean
  readonly now: () => number
  /** Tells the session. */
  readonly tell: (signal: Signal) => void
  /** Resolves when what was recorded is on the disk; false = it is not. */
  readonly written: () => Promise<boolean>
  readonly log: Log
}

export type Delivery = {
  wake(): void
  /** No key is typed any more. */
  close(): void
}

type Step = Uint8Array | { readonly pause: number }

const keys = (text: string): Step => Buffer.from(text)
/** Enter in the same breath as a paste would be read as a part of it. */
const breath = { pause: 250 }
/** Two Esc remove what lies in the line; on an empty one they would open a menu, so it is never empty. */
const clearing = [keys('x'), breath, keys('\x1b'), breath, keys('\x1b'), breath]

/** How long an agent is idle before its input line is cleared. */
const settledMs = 1_000

/** How soon to look again when a hook is being answered, or something went wrong. */
const soon = 50
const later = 1_000
/** Longer, and a timer overflows and fires at once. */
const longest = 2 ** 30

export const deliver = (seat: Seat): Delivery => {
  const { agent, box, session, keeper, driver, now, log } = seat
  const pressed = new Map<string, number>()
  const begun = now()
  /** The very object: any sign of the turn makes another. */
  const inherited = session().turn
  let timer: NodeJS.Timeout | undefined
  let [busy, again, closed, sure] = [false, false, false, false]
  /** What lies in the input line: `maybe` = a host before this one may have left something. */
  let line: 'empty' | 'maybe' | 'foul' = 'maybe'

  const lookAt = (at: number): void => {
    clearTimeout(timer)
    timer = setTimeout(wake, Math.min(Math.max(at - now(), 0), longest)).unref()
  }
  const lookIn = (milliseconds: number): void => lookAt(now() + milliseconds)

  const unconfirmed = (): Message | undefined =>
    box.messages().find(({ life, session: id }) => life === 'sent' && session().ids.includes(id ?? ''))

  /** After a break nobody knows how far the last one came; the keeper does. */
  const settle = async (): Promise<void> => {
    const message = unconfirmed()
    if (message !== undefined) {
      const typed = await keeper().typed([message.id])
      if (!typed.includes(message.id)) box.tell(message.id, { from: 'untyped' })
    }
    sure = true
  }

  const type = (key: string, stamp: number, steps: readonly Step[]) => keeper().type({ key, stamp, steps })

  /** undefined: a hook is being answered just now, and may change everything; or nobody reads the input line yet. */
  const quiet = async (): Promise<number | undefined> => {
    const { stamp, hooksWaiting, pastes } = await keeper().status()
    return hooksWaiting > 0 || (session().managed && !pastes) ? undefined : stamp
  }

  const stepsFor = async (message: Message, clear: boolean): Promise<readonly Step[]> => {
    const { directory, mayRead } = seat
    const { paste: text, file } = bodyOf(message, { directory, mayRead })
    if (file !== undefined) {
      await mkdir(dirname(file.path), { recursive: true, mode: 0o700 })
      await writeFile(file.path, file.text, { mode: 0o600 })
    }
    const { paste, submit } = driver.typed({ id: message.id, sender: message.from.name }, text)
    return [...(clear ? clearing : []), keys(paste), breath, keys(submit)]
  }

  /** It counts as sent; whether it still may be typed is asked as if it were not. */
  const stillMay = (id: string): boolean => {
    const messages = box.messages().map((one): Message => (one.id === id ? { ...one, life: 'queued' } : one))
    const found = next(messages, session(), now())
    return found.kind === 'send' && found.message.id === id
  }

  const send = async (message: Message, clear: boolean): Promise<void> => {
    const { id } = message
    const free = isFree(session())
    // Esc would end the turn of a busy agent.
    if (line === 'foul' && !free) return box.explain('an earlier message may lie in the input line')
    // A turn that nobody has heard of since this host came may be over, its prompt given back to the input line.
    if (inherited !== undefined && session().turn === inherited) return box.explain('the turn may be over')
    const clears = clear || (line !== 'empty' && free && session().managed)
    // Compacting looks over a moment before it is, and then Esc would end it instead of clearing the line.
    const settled = session().since + settledMs
    if (clears && now() < settled) {
      box.explain('the agent has only just become idle')
      return lookAt(settled)
    }
    const steps = await stepsFor(message, clears)
    box.tell(id, { from: 'sending', session: session().id })
    if (!(await seat.written())) {
      box.tell(id, { from: 'untyped' })
      box.explain('the journal cannot be written')
      return lookIn(later)
    }
    while (!closed && stillMay(id)) {
      const stamp = await quiet()
      if (stamp === undefined || !stillMay(id)) break
      const { typed } = await type(id, stamp, steps)
      if (typed === 'refused') continue
      line = 'empty'
      return lookIn(soon)
    }
    box.tell(id, { from: 'untyped' })
    lookIn(soon)
  }

  /** The keeper presses it only once, also for the next host. */
  const interrupt = async ({ id }: Message, stamp: number): Promise<void> => {
    const { typed } = await type(`${id} escape`, stamp, [keys(driver.stop.interrupt.keys)])
    if (typed === 'refused') return lookIn(soon)
    seat.tell({ from: 'keeper', event: { kind: 'typed', key: 'escape' } })
    box.tell(id, { from: 'escaping' })
    lookIn(soon)
  }

  const press = async (message: Message, stamp: number): Promise<void> => {
    const times = pressed.get(message.id) ?? 0
    const { typed } = await type(`${message.id} enter ${now()}`, stamp, [keys('\r')])
    if (typed !== 'refused') pressed.set(message.id, times + 1)
  }

  /** A typed message that nothing confirms: Enter again, and at last the truth about it. */
  const chase = async (message: Message): Promise<void> => {
    // While no host was there, nothing could be confirmed.
    const given = Math.max(message.sentAt ?? 0, begun) + confirmMs
    const due = pressAt(message, pressed.get(message.id) ?? 0) ?? given
    if (now() < due) return lookAt(due)
    if (now() >= given) {
      box.tell(message.id, { from: 'silence' }, session())
      // It may still lie in the input line.
      line = 'foul'
      return lookIn(0)
    }
    const stamp = mayPress(session(), now()) ? await quiet() : undefined
    if (stamp !== undefined && unconfirmed()?.id === message.id && mayPress(session(), now()))
      await press(message, stamp)
    lookIn(soon)
  }

  const step = async (): Promise<void> => {
    if (!sure) await settle()
    const typed = session().managed ? unconfirmed() : undefined
    if (typed !== undefined) return chase(typed)
    if (next(box.messages(), session(), now()).kind === 'nothing') return box.explain(undefined)
    const stamp = await quiet()
    const found = next(box.messages(), session(), now())
    box.explain(found.kind === 'wait' ? found.why : undefined)
    if (found.kind === 'nothing') return
    if (found.kind === 'wait') return found.until === undefined ? undefined : lookAt(found.until)
    if (stamp === undefined) return lookIn(soon)
    if (found.kind === 'escape') return interrupt(found.message, stamp)
    return send(found.message, found.clear)
  }

  const run = async (): Promise<void> => {
    do {
      again = false
      await step().catch((error: Error) => {
        // The line to the keeper broke, or the disk: it is found out how far we came, and tried again.
        sure = false
        if (!closed) log.warn('a message could not be handed over yet', { agent, reason: error.message })
        lookIn(later)
      })
    } while (again && !closed)
    busy = false
  }

  const wake = (): void => {
    if (closed) return
    again = true
    if (busy) return
    busy = true
    void run()
  }

  box.attend(wake)
  return {
    wake,
    close: () => {
      closed = true
      clearTimeout(timer)
      box.attend(undefined)
    },
  }
}
