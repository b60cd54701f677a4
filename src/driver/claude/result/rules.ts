// What a run came to. Neither `subtype` nor the exit code nor `is_error` is enough: an API error is called
// "success", an interrupt exits 0, and a run whose classifier was unreachable exits 1 without an error.
import type { Exit, FailureClass, Outcome, Result, StreamEvent, Usage } from '../../schema.ts'

type Failure = Extract<Outcome, { ok: false }>
type Limit = Pick<Failure, 'resetsAt' | 'retryAfterMs'>
type Judged = { readonly class: FailureClass; readonly message: string; readonly status?: number }

const all = <K extends StreamEvent['kind']>(events: readonly StreamEvent[], kind: K) =>
  events.filter((event): event is Extract<StreamEvent, { kind: K }> => event.kind === kind)

/** Exit codes by which a shell and this CLI report a signal. */
const signals: Readonly<Record<number, string>> = {
  129: 'SIGHUP',
  130: 'SIGINT',
  137: 'SIGKILL',
  143: 'SIGTERM',
}

const byReason: Readonly<Record<string, FailureClass>> = {
  prompt_too_long: 'context_overflow',
  max_turns: 'max_turns',
  budget_exhausted: 'budget',
  aborted_tools: 'interrupted',
  aborted_streaming: 'interrupted',
}

const bySubtype: Readonly<Record<string, FailureClass>> = {
  error_max_turns: 'max_turns',
  error_max_budget_usd: 'budget',
}

const byStatus = (status: number): FailureClass => {
  if (status === 429) return 'rate_limit'
  if (status === 529) return 'overload'
  if (status === 401 || status === 403) return 'auth'
  return status === 408 || status === 409 || status >= 500 ? 'retryable' : 'fatal'
}

/** The CLI's own name for an error of the API, in the line before the result. */
const byError: Readonly<Record<string, FailureClass>> = {
  authentication_failed: 'auth',
  rate_limit: 'rate_limit',
  overloaded: 'overload',
  connection_failed: 'retryable',
  billing_error: 'fatal',
  invalid_request: 'fatal',
  model_not_found: 'fatal',
  max_output_tokens: 'fatal',
  server_error: 'retryable',
}

const byText: readonly [RegExp, FailureClass][] = [
  [/usage limit reached|you've (hit|reached) your .*limit|rate.?limit/i, 'rate_limit'],
  [/overloaded/i, 'overload'],
  [/prompt is too long|context (window|length)/i, 'context_overflow'],
  [/not logged in|invalid api key|authentication|please run \/login|oauth token/i, 'auth'],
  [/connection|network|timed? ?out|ECONN|ENOTFOUND|EAI_AGAIN|socket hang up/i, 'retryable'],
]

const fromText = (text: string): FailureClass | undefined =>
  byText.find(([pattern]) => pattern.test(text.slice(0, 2000)))?.[1]

const fromResult = (result: Result, events: readonly StreamEvent[]): FailureClass => {
  const known = byReason[result.reason] ?? bySubtype[result.subtype]
  if (known) return known
  if (result.status !== undefined) {
    const found = byStatus(result.status)
    // An overflow or a spent quota may come as a bad request: then only the words tell.
    const words = found === 'fatal' ? fromText(result.text) : undefined
    return words === 'context_overflow' || words === 'rate_limit' ? words : found
  }
  const [error] = all(events, 'failed').slice(-1)
  return byError[result.errorType ?? ''] ?? byError[error?.error ?? ''] ?? fromText(result.text) ?? 'fatal'
}

/** Told by an event, by the text of older versions ("…|<seconds>"), or by the wait of the last retry. */
const limitOf = (events: readonly StreamEvent[], text: string): Limit => {
  const [told] = all(events, 'limited')
    .filter((event) => event.rejected)
    .slice(-1)
  const [, seconds] = /\|(\d{10})\b/.exec(text) ?? []
  const [retry] = all(events, 'retrying')
    .filter((event) => event.status === 429)
    .slice(-1)
  if (told?.resetsAt !== undefined) return { resetsAt: told.resetsAt }
  if (seconds !== undefined) return { resetsAt: Number(seconds) * 1000 }
  return retry ? { retryAfterMs: retry.waitMs } : {}
}

const lastLine = (text: string): string => text.trim().split('\n').at(-1)?.trim().slice(0, 500) ?? ''

/** No result was printed: killed, refused before it began, or broken. */
const withoutResult = (exit: Exit): Judged => {
  const signal = exit.signal ?? signals[exit.code ?? -1]
  if (signal !== undefined) return { class: 'interrupted', message: `ended by ${signal}` }
  // Interrupted early it exits 0 and says nothing at all.
  if (exit.code === 0) return { class: 'interrupted', message: 'ended without a result' }
  const said = lastLine(exit.stderr)
  return {
    class: fromText(said) ?? 'fatal',
    message: said || `ended with exit code ${exit.code} and no result`,
  }
}

const judged = (
  result: Result | undefined,
  events: readonly StreamEvent[],
  exit: Exit,
): Judged | undefined => {
  if (result === undefined) return withoutResult(exit)
  if (result.turns === 0) {
    const [blocked] = all(events, 'prompt_blocked')
    // Older versions have no event for it: only the words tell that nothing was done.
    const words = result.text.startsWith('UserPromptSubmit operation blocked by hook')
      ? result.text
      : undefined
    const message = blocked?.reason ?? words
    if (message !== undefined) return { class: 'blocked', message }
    if (/^\/\S+ isn't available in this environment/.test(result.text))
      return { class: 'fatal', message: result.text }
  }
  if (result.isError) {
    const found = fromResult(result, events)
    // What the CLI says of an interrupt is a note to its makers.
    const message =
      found === 'interrupted' ? 'the turn was interrupted' : result.text || result.reason || result.subtype
    const status = result.status === undefined ? {} : { status: result.status }
    return { class: found, message, ...status }
  }
  if (exit.code === 0) return undefined
  // A good result and a bad end: killed on the way out, or a mode that needs what it could not reach.
  const { class: found, message } = withoutResult(exit)
  return { class: found, message }
}

const decisiveKinds: readonly string[] = [
  'started',
  'result',
  'failed',
  'retrying',
  'limited',
  'prompt_blocked',
]

/** The events that `judge` reads: the others of a long run need not be kept for it. */
export const decisive = (event: StreamEvent): boolean => decisiveKinds.includes(event.kind)

/** With background work there are several results: the last one speaks, its denials and turns are all of theirs. */
export const judge = (events: readonly StreamEvent[], exit: Exit): Outcome => {
  const results = all(events, 'result').map((event) => event.result)
  const result = results.at(-1)
  const [started] = all(events, 'started')
  const session = result?.session ?? started?.session
  const told = {
    ...(session ? { session } : {}),
    // A run that never reached its session tells zeros: they must not replace what is known.
    ...(result && (result.total.output > 0 || result.total.costUsd > 0) ? { total: result.total } : {}),
    turns: results.reduce((turns, one) => turns + one.turns, 0),
    denials: results.flatMap((one) => one.denials),
  }
  const failure = judged(result, events, exit)
  if (failure) {
    const limit = failure.class === 'rate_limit' ? limitOf(events, failure.message) : {}
    return { ...told, ok: false, ...failure, ...limit }
  }
  const structured = result?.structured === undefined ? {} : { structured: result.structured }
  const stopped = result?.reason === 'hook_stopped' ? { stopped: true as const } : {}
  return { ...told, ok: true, text: result?.text ?? '', ...structured, ...stopped }
}

export const noUsage: Usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, costUsd: 0 }

/**
 * Totals grow over a session, and a fork begins with its parent's: what a run used is the difference. A total
 * below the last one means that the CLI began to count anew.
 */
export const spent = (total: Usage | undefined, before: Usage | undefined): Usage => {
  if (!total) return noUsage
  const base = before && before.output <= total.output ? before : noUsage
  const less = (name: keyof Usage): number => Math.max(0, total[name] - base[name])
  return {
    input: less('input'),
    output: less('output'),
    cacheRead: less('cacheRead'),
    cacheWrite: less('cacheWrite'),
    // Costs are sums of floating numbers: below a billionth of a dollar there is only rounding.
    costUsd: Math.round(less('costUsd') * 1e9) / 1e9,
  }
}
