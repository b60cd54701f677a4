// One call of a command hook: read what Claude Code tells, ask the listener (or, where none is named, the gate that needs
// none), say what it said. Fails closed.
import { readAll } from './command/read.ts'
import { eventOf, passOn, type Reply, readInput, refuse, targetOf } from './command/rules.ts'
import { send } from './command/send.ts'
import { silence, wayOf } from './embedded/rules.ts'
import type { Json } from './embedded/schema.ts'

export type HookIo = {
  stdin: NodeJS.ReadableStream
  /** AGENCY_HOOK, AGENCY_HOOK_TOKEN, AGENCY_HOOK_DEADLINE_MS. */
  env: Readonly<Record<string, string | undefined>>
  /** Decides without a listener, for sessions that nobody manages. Absent = then nothing is allowed. */
  embedded?: ((event: string, input: Json) => Promise<Reply>) | undefined
}

const usualMs = 55_000
/** Beyond this a timer goes off at once. */
const longestMs = 2 ** 31 - 1
/** Claude Code kills a hook at its own timeout and takes that for "go on": the answer must come before. */
export const deadlineOf = (text: string | undefined): number => {
  const given = Number(text)
  return text !== undefined && Number.isFinite(given) && given > 0 ? Math.min(given, longestMs) : usualMs
}

const before = (until: number, event: string, reply: Promise<Reply>): Promise<Reply> =>
  new Promise((resolve, reject) => {
    const late = setTimeout(() => resolve(refuse(event, 'it took too long')), until - Date.now())
    reply.then(resolve, reject).finally(() => clearTimeout(late))
  })

export const runHook = async (word: string | undefined, io: HookIo): Promise<Reply> => {
  const until = Date.now() + deadlineOf(io.env.AGENCY_HOOK_DEADLINE_MS)
  const event = eventOf(word)
  if (event === undefined) return refuse(undefined, `${word ?? 'nothing'} is not an event of Claude Code`)
  const given = await readAll(io.stdin, until - Date.now())
  if ('problem' in given) return refuse(event, given.problem)
  const read = readInput(event, given.text)
  if ('problem' in read) return refuse(event, read.problem)
  if (io.embedded) {
    const way = wayOf(io.env)
    if (way === 'silent') return silence
    if (way === 'embedded') return before(until, event, io.embedded(event, read.input))
  }
  const target = targetOf(io.env.AGENCY_HOOK)
  if (!target) return refuse(event, 'AGENCY_HOOK names no listener', read.input)
  const sent = await send(target, {
    event,
    token: io.env.AGENCY_HOOK_TOKEN ?? '',
    body: given.text,
    deadlineMs: until - Date.now(),
  })
  return 'heard' in sent ? passOn(event, sent.heard, read.input) : refuse(event, sent.problem, read.input)
}
