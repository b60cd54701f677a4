// A request for permission does not say which call it is about. It follows that call's PreToolUse, but calls
// run in parallel, and subagents speak in their parent's name: so the waiting calls are remembered.
import type { Call, HookEvent } from '../../schema.ts'

export type Waiting = {
  readonly call: Call
  readonly session: string
  readonly turn?: string
  readonly subagent?: string
  /** A request was matched to it already. */
  readonly asked: boolean
}

/** Calls that never end are forgotten oldest first; an agent cannot fill our memory with them. */
const most = 1000

/** Deeper inputs are equal to nothing: comparing them could exhaust the stack. */
const deepest = 100

/** Equal as JSON, whatever the order of the keys. */
const same = (one: unknown, other: unknown, depth = 0): boolean => {
  if (one === other) return true
  if (depth > deepest) return false
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false
  if (Array.isArray(one) !== Array.isArray(other)) return false
  const names = Object.keys(one)
  return (
    names.length === Object.keys(other).length &&
    names.every(
      (name) =>
        Object.hasOwn(other, name) &&
        same(one[name as keyof typeof one], other[name as keyof typeof other], depth + 1),
    )
  )
}

const spoken = (waiting: Waiting, event: HookEvent): boolean =>
  waiting.session === event.session && waiting.subagent === event.subagent?.id

/** A new turn of the main conversation ends its calls: after Esc no hook says so. */
const over = (waiting: Waiting, event: HookEvent): boolean => {
  if (event.kind === 'session_ended') return waiting.session === event.session
  if (event.kind === 'subagent_ended' || event.kind === 'turn_ended') return spoken(waiting, event)
  if (event.kind === 'prompted') return spoken(waiting, event) && waiting.turn !== event.turn
  if (event.kind === 'tool_done' || event.kind === 'tool_failed' || event.kind === 'permission_denied')
    return waiting.call.id === event.call.id
  return false
}

export const track = (waiting: readonly Waiting[], event: HookEvent): readonly Waiting[] => {
  const left = waiting.filter((one) => !over(one, event))
  if (event.kind !== 'tool_asked') return left
  const place = {
    session: event.session,
    ...(event.turn === undefined ? {} : { turn: event.turn }),
    ...(event.subagent === undefined ? {} : { subagent: event.subagent.id }),
  }
  const others = left.filter((one) => one.call.id !== event.call.id)
  return [...others, { call: event.call, ...place, asked: false }].slice(-most)
}

type Match = { readonly call: Call | undefined; readonly waiting: readonly Waiting[] }

/**
 * The oldest call with this very input that was not asked about yet. A hook may have changed the input: then
 * the only call of that tool that is left is meant, and of several none.
 */
export const match = (
  waiting: readonly Waiting[],
  event: HookEvent & { kind: 'permission_asked' },
): Match => {
  const open = waiting.filter((one) => spoken(one, event) && one.call.tool === event.tool && !one.asked)
  const exact = open.find((one) => same(one.call.input, event.input))
  const found = exact ?? (open.length === 1 ? open[0] : undefined)
  if (!found) return { call: undefined, waiting }
  return { call: found.call, waiting: waiting.map((one) => (one === found ? { ...one, asked: true } : one)) }
}
