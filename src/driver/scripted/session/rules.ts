// What the CLI counts and reports of a session.
import type { Reply } from '../scenario/schema.ts'

type Json = Record<string, unknown>
export type Usage = { input: number; output: number }
export type Spent = { cost: number; apiMs: number; usage: Record<string, Usage> }

const aliases: Record<string, string> = {
  sonnet: 'claude-sonnet-5-5',
  haiku: 'claude-haiku-5-5',
  opus: 'claude-opus-5-5',
}
export const modelOf = (name: string | undefined): string =>
  name === undefined || name === 'default' ? 'claude-opus-5-5' : (aliases[name] ?? name)

/** Dollars for a million tokens; a stand-in for prices that the real CLI knows better. */
const prices = (model: string): Usage =>
  model.includes('haiku')
    ? { input: 1, output: 5 }
    : model.includes('sonnet')
      ? { input: 3, output: 15 }
      : { input: 5, output: 25 }

export const costOf = (model: string, usage: Usage): number => {
  const price = prices(model)
  return (usage.input * price.input + usage.output * price.output) / 1e6
}

export const spend = (spent: Spent, model: string, usage: Usage, apiMs: number): Spent => {
  const before = spent.usage[model] ?? { input: 0, output: 0 }
  return {
    cost: spent.cost + costOf(model, usage),
    apiMs: spent.apiMs + apiMs,
    usage: {
      ...spent.usage,
      [model]: { input: before.input + usage.input, output: before.output + usage.output },
    },
  }
}

/** Totals are of the whole session: a resumed one begins with what its transcript already cost. */
export const spentBefore = (past: readonly Json[]): Spent => {
  const seen = new Set<unknown>()
  return past.reduce<Spent>(
    (sum, line) => {
      const message = line.message as Json | undefined
      if (line.type !== 'assistant' || !message || seen.has(message.id)) return sum
      seen.add(message.id)
      const usage = message.usage as { input_tokens?: number; output_tokens?: number } | undefined
      return spend(
        sum,
        String(message.model),
        { input: usage?.input_tokens ?? 0, output: usage?.output_tokens ?? 0 },
        typeof line.durationMs === 'number' ? line.durationMs : 0,
      )
    },
    { cost: 0, apiMs: 0, usage: {} },
  )
}

export const modelUsage = (spent: Spent): Json =>
  Object.fromEntries(
    Object.entries(spent.usage).map(([model, { input, output }]) => [
      model,
      {
        inputTokens: input,
        outputTokens: output,
        cacheReadInputTokens: 0,
        cacheCreationInputTokens: 0,
        webSearchRequests: 0,
        costUSD: costOf(model, { input, output }),
        contextWindow: 200_000,
        maxOutputTokens: 64_000,
      },
    ]),
  )

export const wireUsage = (usage: Usage): Json => ({
  input_tokens: usage.input,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  output_tokens: usage.output,
  server_tool_use: { web_search_requests: 0, web_fetch_requests: 0 },
  service_tier: 'standard',
})

export type Trouble = { status: number | null; type: string; message: string }

/** An error of the API, also where the model ended an answer in a way that counts as one. */
export const troubleOf = (reply: Reply): Trouble | undefined => {
  if (reply.error)
    return {
      status: reply.error.cut ? null : (reply.error.status ?? null),
      type: reply.error.type ?? 'api_error',
      message: reply.error.message ?? (reply.error.cut ? 'Connection error.' : 'Scripted error'),
    }
  if (reply.stop === 'refusal')
    return { status: null, type: 'refusal', message: 'Claude Code is unable to respond to this request' }
  if (reply.stop === 'max_tokens')
    return {
      status: null,
      type: 'max_tokens',
      message: "Claude's response exceeded the output token maximum",
    }
  return undefined
}

export const retries = ({ status, type }: Trouble): boolean =>
  type !== 'refusal' &&
  type !== 'max_tokens' &&
  (status === null || [401, 408, 409, 429].includes(status) || status >= 500)

/** Milliseconds before attempt n+1. */
export const backoff = (attempt: number, retryAfter: number | undefined): number =>
  retryAfter === undefined ? Math.min(500 * 2 ** (attempt - 1), 32_000) : retryAfter * 1000

export const tooLong = (trouble: Trouble): boolean => /prompt is too long/i.test(trouble.message)

export const troubleText = (trouble: Trouble): string => {
  if (tooLong(trouble)) return 'Prompt is too long'
  if (trouble.status === null) return `API Error: ${trouble.message}`
  return `API Error: ${trouble.status} ${trouble.message}`
}

/** What StopFailure calls the error. */
export const failureWord = ({ status, type }: Trouble): string => {
  if (type === 'max_tokens') return 'max_output_tokens'
  if (status === 401 || status === 403) return 'authentication_failed'
  if (status === 429) return 'rate_limit'
  if (status === 529) return 'overloaded'
  if (status === 400 || status === 404) return 'invalid_request'
  return status === null ? 'unknown' : 'server_error'
}

/** How a turn came to its end. */
export type Ending = {
  reason: string
  text: string
  turns: number
  usage: Usage
  stop: string | null
  trouble?: Trouble
  /** Broken off before the first word: the prompt goes back to the person, as if never sent. */
  unheard?: true
  deferred?: { id: string; name: string; input: Json }
  structured?: Json
}
