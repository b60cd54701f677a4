import type { TelemetryEvent } from '../../schema.ts'
import { type LogRecord, type Metric, post } from './schema.ts'

type Attributes = ReadonlyMap<string, string | number | boolean>

/** Whole numbers come as numbers or as texts, whichever the exporter liked. */
const number = (value: unknown): number | undefined => {
  const found = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof found === 'number' && Number.isFinite(found) ? found : undefined
}

const scalar = (value: Readonly<Record<string, unknown>>): string | number | boolean | undefined => {
  const { stringValue, boolValue } = value
  if (typeof stringValue === 'string' || typeof boolValue === 'boolean')
    return (stringValue ?? boolValue) as string
  return number(value.intValue) ?? number(value.doubleValue)
}

const attributesOf = (from: LogRecord['attributes']): Attributes =>
  new Map(
    from.flatMap(({ key, value }) => {
      const found = scalar(value)
      return found === undefined ? [] : [[key, found] as const]
    }),
  )

const reader = (attributes: Attributes) => ({
  text: (name: string): string => String(attributes.get(name) ?? ''),
  amount: (name: string): number => number(attributes.get(name)) ?? 0,
  /** The attribute under another name, left out where it is missing. */
  maybe: <N extends string>(name: string, as: N): { [K in N]?: number } => {
    const value = number(attributes.get(name))
    return (value === undefined ? {} : { [as]: value }) as { [K in N]?: number }
  },
})
type Reader = ReturnType<typeof reader>

const place = ({ text }: Reader, nanos: unknown) => {
  const session = text('session.id')
  const at = number(nanos)
  return { ...(session ? { session } : {}), ...(at === undefined ? {} : { at: Math.floor(at / 1e6) }) }
}

/** What the CLI asks the model for by itself. What is not known here counts as an answer: so nothing is left out. */
const asides: readonly string[] = [
  'agent_namer',
  'agent_summary',
  'away_summary',
  'feedback',
  'generate_session_title',
  'model_validation',
  'prompt_suggestion',
  'rename_generate_name',
  'resume_cache_warm',
  'tool_use_summary_generation',
]

type Bare<E> = E extends TelemetryEvent ? Omit<E, 'session' | 'at'> : never

const events: Readonly<Record<string, (from: Reader) => Bare<TelemetryEvent> | undefined>> = {
  tool_decision: ({ text }) => ({
    kind: 'decided',
    call: text('tool_use_id'),
    tool: text('tool_name'),
    accepted: text('decision') === 'accept',
    source: text('source'),
    person: text('source').startsWith('user_'),
  }),
  // Sent only for calls that were started.
  tool_result: ({ text, maybe }) => ({
    kind: 'ended',
    ended: { call: text('tool_use_id'), ok: text('success') === 'true', ran: true },
    tool: text('tool_name'),
    ...maybe('duration_ms', 'ms'),
  }),
  api_request: ({ text, amount, maybe }) => ({
    kind: 'requested',
    model: text('model'),
    usage: {
      input: amount('input_tokens'),
      output: amount('output_tokens'),
      cacheRead: amount('cache_read_tokens'),
      cacheWrite: amount('cache_creation_tokens'),
      costUsd: amount('cost_usd'),
    },
    ...maybe('duration_ms', 'ms'),
    ...(asides.includes(text('query_source')) ? { aside: true as const } : {}),
  }),
  api_error: ({ text, maybe }) => ({
    kind: 'request_failed',
    error: text('error'),
    final: false,
    ...maybe('status_code', 'status'),
    ...maybe('attempt', 'attempt'),
  }),
  api_retries_exhausted: ({ text, maybe }) => ({
    kind: 'request_failed',
    error: text('error'),
    final: true,
    ...maybe('status_code', 'status'),
    ...maybe('total_attempts', 'attempt'),
  }),
  user_prompt: ({ text }) => ({
    kind: 'prompted',
    midTurn: text('delivery.mode') === 'mid_turn',
    ...(text('prompt.id') ? { turn: text('prompt.id') } : {}),
  }),
}

const fromRecord = (record: LogRecord): readonly TelemetryEvent[] => {
  const from = reader(attributesOf(record.attributes))
  const name = from.text('event.name')
  const event = Object.hasOwn(events, name) ? events[name]?.(from) : undefined
  // An event about no call cannot be matched to anything.
  if (!event || ('call' in event && event.call === '') || (event.kind === 'ended' && event.ended.call === ''))
    return []
  return [{ ...place(from, record.timeUnixNano), ...event }]
}

const fromMetric = (metric: Metric): readonly TelemetryEvent[] =>
  (metric.sum?.dataPoints ?? []).flatMap((point) => {
    const from = reader(attributesOf(point.attributes))
    const value = number(point.asDouble) ?? number(point.asInt)
    if (value === undefined) return []
    return [
      {
        ...place(from, undefined),
        kind: 'metric' as const,
        name: metric.name.replace(/^claude_code\./, ''),
        of: from.text('type'),
        model: from.text('model'),
        value,
      },
    ]
  })

/**
 * One post of logs or metrics. Tokens and cost are in both: `requested` is the one to count, a metric is the
 * same amount again. Never throws; what cannot be read is left out.
 */
export const readTelemetry = (body: unknown): readonly TelemetryEvent[] => {
  const read = post.safeParse(body)
  if (!read.success) return []
  const { resourceLogs, resourceMetrics } = read.data
  const records = resourceLogs.flatMap((one) => one.scopeLogs).flatMap((one) => one.logRecords)
  const metrics = resourceMetrics.flatMap((one) => one.scopeMetrics).flatMap((one) => one.metrics)
  return [...records.flatMap(fromRecord), ...metrics.flatMap(fromMetric)]
}
