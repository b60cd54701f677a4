// Answers the hooks of one session. What cannot be read or recorded is not answered: the keeper then refuses.
import { realpath } from 'node:fs/promises'
import { resolve } from 'node:path'
import { fail } from '../base/error/fail.ts'
import { match, track, type Waiting } from '../driver/claude/match/rules.ts'
import type { Driver } from '../driver/driver.ts'
import type { Answer, HookEvent } from '../driver/schema.ts'
import { activity } from '../journal/rules.ts'
import type { Fact } from '../journal/schema.ts'
import type { Signal } from '../session/schema.ts'
import { answerOf, mostReads, type Read } from './answer/rules.ts'
import type { Told } from './asked.ts'
import { remember } from './memory.ts'
import type { WorkReview } from './review.ts'

type Of<K extends HookEvent['kind']> = Extract<HookEvent, { kind: K }>

/** What is said to a call before it may run. Fails closed: where it throws, the hook is not answered. */
export type Judge = (event: Of<'tool_asked'>) => Promise<Answer>

/** Whoever is asked for a permission. */
export type Permit = {
  /** The call that this hook is about, where it was asked before: a host that comes later cannot match it any more. */
  known(id: string): string | undefined
  /** Resolves when it is decided, which may take hours. `id` is the hook's: asked again after a break it is the same. */
  ask(id: string, event: Of<'permission_asked'>, call: string | undefined): Promise<Answer>
  /** Nobody waits for the answer any more: it was given in the dialog, or the turn is over. */
  closed(id: string): void
}

export type HookOptions = {
  readonly driver: Driver
  /** The work tree, without links. */
  readonly tree: string
  readonly subject: string
  /** What the host before has written down: told again, it is not written again. */
  readonly told?: Told | undefined
  readonly tell: (signal: Signal) => void
  /** Resolves when a host that comes later will find it. */
  readonly append: (facts: readonly Fact[]) => Promise<unknown>
  readonly record: (...facts: readonly Fact[]) => void
  /** Resolves when what was recorded is on the disk, if it can be. */
  readonly written: () => Promise<unknown>
  /** A prompt that was not let in. */
  readonly refused: (event: HookEvent & { kind: 'prompted' }, reason: string) => void
  readonly heard: (event: HookEvent) => void
  readonly judge?: Judge | undefined
  readonly permit?: Permit | undefined
  readonly review?: Pick<WorkReview, 'called' | 'ended' | 'heard'> | undefined
  /** Why nothing may be begun now. */
  readonly limit?: (() => string | undefined) | undefined
}

export type Hooks = {
  /** The same id is answered the same. undefined = no opinion. */
  answer(id: string, input: unknown): Promise<unknown>
  /** Nobody waits for it any more. */
  closed(id: string): void
}

const lasting: readonly HookEvent['kind'][] = ['session_started', 'prompted', 'turn_ended', 'turn_failed']

const realPlace = async (path: string, cwd: string): Promise<Read> => {
  const whole = resolve(cwd, path)
  // What is not there cannot be read; where it would lie decides.
  return { path, real: await realpath(whole).catch(() => whole) }
}

const readsOf = async (event: HookEvent): Promise<readonly Read[]> => {
  if (event.kind !== 'prompted') return []
  if (event.reads.length > mostReads) return event.reads.map((path) => ({ path, real: path }))
  return Promise.all(event.reads.map((path) => realPlace(path, event.cwd)))
}

export const hooksOf = (options: HookOptions): Hooks => {
  const {
    driver,
    tree,
    subject,
    told,
    tell,
    append,
    record,
    heard,
    written,
    refused: reject,
    judge,
    permit,
    review,
    limit,
  } = options
  const earlier = { asked: new Set(told?.asked), closed: new Set(told?.closed) }
  const answers = new Map<string, Promise<unknown>>()
  const asked = new Map<string, Signal & { from: 'closed' }>()
  let waiting: readonly Waiting[] = []

  /** Which call a request for permission is about. */
  const callOf = (id: string, event: HookEvent): { call?: string } => {
    waiting = track(waiting, event)
    if (event.kind !== 'permission_asked') return {}
    const known = permit?.known(id)
    if (known !== undefined) return { call: known }
    const found = match(waiting, event)
    waiting = found.waiting
    return found.call === undefined ? {} : { call: found.call.id }
  }

  /** A call must be known before it may run: a host that comes later would take its end for an escape. */
  const journal = async (event: HookEvent): Promise<void> => {
    if (event.kind === 'tool_asked' && !earlier.asked.has(event.call.id))
      await append([activity('session.called', subject, { call: event.call.id, tool: event.call.tool })])
    // Must not be forgotten by a host that dies now: what a message has come to, and that it has reported at all. Nobody
    // would tell it again.
    if (lasting.includes(event.kind)) await written()
    if (event.kind !== 'tool_done' && event.kind !== 'tool_failed') return
    const { id, tool } = event.call
    if (earlier.closed.has(id)) return
    const ms = event.ms === undefined ? {} : { ms: event.ms }
    record(activity('session.returned', subject, { call: id, tool, ok: event.kind === 'tool_done', ...ms }))
  }

  const opinionOn = async (event: HookEvent, held: () => void): Promise<Answer> => {
    const answer = answerOf(event, tree, await readsOf(event))
    const why = event.kind === 'prompted' && answer.kind === 'none' ? limit?.() : undefined
    if (why !== undefined) return { kind: 'deny', reason: `Refused by agency: ${why}.` }
    if (answer.kind !== 'none') return answer
    if (event.kind === 'turn_ended' && event.subagent === undefined && review !== undefined)
      return review.ended(event, held)
    if (event.kind !== 'tool_asked') return (await review?.heard(event)) ?? answer
    const judged = (await judge?.(event)) ?? answer
    // What is refused needs no review.
    const gated = judged.kind === 'deny' ? undefined : await review?.called(event)
    return gated?.kind === 'deny' ? gated : judged
  }

  const decide = async (id: string, input: unknown): Promise<unknown> => {
    const read = driver.readHook(input)
    if (!read.ok) return fail('validation_error', { what: `The hook cannot be read: ${read.problem}.` })
    const { event } = read
    const named = callOf(id, event)
    remember(asked, id, { from: 'closed', event, ...named })
    heard(event)
    let held = false
    const answer = await opinionOn(event, () => {
      held = true
      tell({ from: 'hook', event, held })
    })
    const refused = answer.kind === 'deny'
    if (refused) record(activity('session.refused', subject, { what: event.kind, reason: answer.reason }))
    if (event.kind === 'prompted' && refused) reject(event, answer.reason)
    // A prompt that is refused never enters the conversation, and a turn whose end is refused goes on.
    const sent = refused && (event.kind === 'prompted' || event.kind === 'turn_ended')
    if (held || sent) tell({ from: 'answer', event, refused })
    else tell({ from: 'hook', event, ...named })
    await journal(event)
    const permitted = event.kind === 'permission_asked' && permit ? permit.ask(id, event, named.call) : answer
    return driver.answerHook(event, await permitted)
  }

  return {
    answer: (id, input) => {
      const before = answers.get(id)
      if (before !== undefined) return before
      const answer = decide(id, input)
      remember(answers, id, answer)
      // One that failed was no answer: asked again, it is tried again.
      answer.catch(() => answers.delete(id))
      return answer
    },
    closed: (id) => {
      permit?.closed(id)
      const signal = asked.get(id)
      if (signal !== undefined) tell(signal)
    },
  }
}
