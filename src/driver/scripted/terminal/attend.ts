// What the person types, as turns: one at a time, the rest queued.
import { randomUUID } from 'node:crypto'
import { begin, submit } from '../session/begin.ts'
import { compact } from '../session/compact.ts'
import type { Context } from '../session/context.ts'
import { converse, remind } from '../session/converse.ts'
import type { Desk } from './desk.ts'
import type { TerminalScreen } from './screen.ts'
import { runShell } from './shell.ts'

const twiceMs = 1500
/** Two Esc this close clear the input line of an idle session. */
const clearMs = 1000
const idleMs = 60_000

export type Queued = { id: string; text: string; context?: string }
type Job = (signal: AbortSignal) => Promise<void>
type Attended = {
  enter: (text: string) => void
  /** Resolves when the person has left. */
  left: Promise<void>
  stop: () => void
}

const busy = '✻ Working… (esc to interrupt)'

export const attend = (
  context: Context,
  desk: Desk,
  screen: TerminalScreen,
  queue: Queued[],
  extra: string | undefined,
): Attended => {
  const later: Job[] = []
  const belated: (() => void)[] = []
  let working: AbortController | undefined
  let submitting: Promise<void> = Promise.resolve()
  let reminder = extra
  let pressed = Number.NEGATIVE_INFINITY
  let escaped = Number.NEGATIVE_INFINITY
  let idle: NodeJS.Timeout | undefined
  let leave: () => void = () => undefined
  const left = new Promise<void>((resolve) => {
    leave = resolve
  })

  screen.behind = (write) => {
    if (queue.length > 0) belated.push(write)
    return queue.length > 0
  }

  const rest = (): void => {
    idle = setTimeout(() => {
      const message = 'Claude is waiting for your input'
      void context.hooks.call('Notification', { message, notification_type: 'idle_prompt' })
    }, idleMs)
    idle.unref()
  }

  const work = async (job: Job): Promise<void> => {
    clearTimeout(idle)
    working = new AbortController()
    desk.status(busy)
    await job(working.signal)
    // A message whose hook is still thinking belongs to this turn's queue, not to the idle prompt.
    await submitting
    screen.flush()
    working = undefined
    desk.status('')
    const next = upcoming()
    if (next) void work(next)
    else rest()
  }

  const upcoming = (): Job | undefined => {
    const all = queue.splice(0)
    if (all.length > 0) {
      for (const _ of all) context.transcript.queue('dequeue')
      return (signal) => say(all, 'queued', signal)
    }
    const notice = later.length > 0 ? undefined : context.tasks.take()
    return notice === undefined ? later.shift() : (signal) => hear(notice, 'system', signal)
  }

  /** True = broken off before a word was heard. */
  const talk = async (said: string, signal: AbortSignal, words: (string | undefined)[]): Promise<boolean> => {
    const conversation = { said, transcript: context.transcript, signal }
    remind(conversation, [reminder, ...words])
    reminder = undefined
    const { reason, text, trouble, unheard } = await converse(context, conversation)
    screen.flush()
    if (trouble) desk.log(text)
    if (reason.startsWith('aborted') && !unheard)
      desk.log('  ⎿  Interrupted · What should Claude do instead?')
    return unheard === true
  }

  /** All that was queued is one turn; it goes by the id of the last, and so do its hooks. */
  const say = async (
    prompts: readonly Queued[],
    source: 'typed' | 'queued' | 'system',
    signal: AbortSignal,
  ): Promise<void> => {
    const { mode: permissionMode } = context.state
    for (const { id, text } of prompts) {
      context.state.prompt = id
      context.transcript.user(text, { promptId: id, permissionMode, promptSource: source })
    }
    for (const write of belated.splice(0)) write()
    const text = prompts.map((one) => one.text).join('\n')
    const unheard = await talk(
      text,
      signal,
      prompts.map((one) => one.context),
    )
    await submitting
    if (unheard && queue.length === 0) desk.fill(text)
  }

  const hear = async (text: string, source: 'typed' | 'system', signal: AbortSignal): Promise<void> => {
    const heard = await submit(context, text, { signal })
    if (signal.aborted) return desk.fill(text)
    if ('blocked' in heard) {
      desk.log(`UserPromptSubmit operation blocked by hook:\n${heard.blocked}`)
      desk.fill(text)
    } else await say([{ ...heard, text }], source, signal)
  }

  const shell = async (command: string, signal: AbortSignal): Promise<void> => {
    context.state.prompt = randomUUID()
    const { output, told } = await runShell(context, command, signal)
    desk.log(output)
    if (!signal.aborted) await talk(told, signal, [])
  }

  /** What a line does that is no prompt. */
  const local = (word: string): Job | undefined => {
    if (word.startsWith('!')) return (signal) => shell(word.slice(1), signal)
    if (word === '/compact') return async (signal) => desk.log(await compact(context, signal))
    if (word === '/clear') return async () => void (await begin(context, 'clear'))
    return undefined
  }

  const enqueue = async (text: string): Promise<void> => {
    context.transcript.queue('enqueue', text)
    const heard = await submit(context, text, { running: context.state.prompt })
    if ('blocked' in heard) {
      context.transcript.queue('remove', text)
      desk.log(`UserPromptSubmit operation blocked by hook:\n${heard.blocked}`)
      return
    }
    queue.push({ ...heard, text })
    if (working) desk.status(`${busy} · Press up to edit queued messages`)
  }

  const enter = (text: string): void => {
    desk.log(`> ${text}`)
    const word = text.trim()
    const job = local(word)
    if (word === '/exit' || word === '/quit') leave()
    else if (working && job) later.push(job)
    else if (working) submitting = submitting.then(() => enqueue(text))
    else void work(job ?? ((signal) => hear(text, 'typed', signal)))
  }

  const back = (): void => {
    if (working) working.abort()
    const now = performance.now()
    if (!working && now - escaped < clearMs) desk.fill('')
    escaped = now
  }

  desk.onKey((key) => {
    if (key.kind === 'escape') back()
    if (key.kind !== 'interrupt' && key.kind !== 'eof') return
    if (working) return working.abort()
    const now = performance.now()
    if (now - pressed < twiceMs) return leave()
    pressed = now
    desk.fill('')
    desk.status('Press Ctrl-C again to exit')
  })
  // While a turn goes on, `upcoming` finds it.
  context.tasks.watch(() => {
    const notice = working ? undefined : context.tasks.take()
    if (notice !== undefined) void work((signal) => hear(notice, 'system', signal))
  })
  desk.onEnter(enter)
  return { enter, left, stop: () => working?.abort() }
}
