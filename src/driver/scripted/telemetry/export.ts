// Collects what the CLI would tell a collector, and sends it at the intervals that the environment names.
import { request } from 'node:http'
import { request as secure } from 'node:https'
import type { Usage } from '../session/rules.ts'
import { type Entry, logsBody, metricsBody, type Point, pairs, resourceOf } from './rules.ts'

type Json = Record<string, unknown>
export type Telemetry = {
  event: (name: string, attributes: Json) => void
  request: (model: string, usage: Usage, cost: number, ms: number) => void
  end: () => Promise<void>
}

const patienceMs = 2000

/** A collector that does not answer must not hold the session up. */
const post = (url: string, headers: Record<string, string>, body: Json): Promise<void> =>
  new Promise((resolve) => {
    try {
      const text = JSON.stringify(body)
      const call = (url.startsWith('https:') ? secure : request)(url, {
        method: 'POST',
        timeout: patienceMs,
        headers: {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(text),
          ...headers,
        },
      })
      // Its answer does not matter, but must be read for the connection to end.
      call.on('response', (reply) => reply.resume().on('close', resolve))
      call.on('timeout', () => call.destroy())
      call.on('close', resolve)
      // Telemetry that cannot be sent is dropped: the CLI goes on.
      call.on('error', () => resolve())
      call.end(text)
    } catch {
      resolve()
    }
  })

const silent: Telemetry = { event: () => undefined, request: () => undefined, end: async () => undefined }

export const openTelemetry = (
  env: NodeJS.ProcessEnv,
  about: { session: string; version: string; prompt: () => string | undefined },
): Telemetry => {
  if (env.CLAUDE_CODE_ENABLE_TELEMETRY !== '1') return silent
  const place = (signal: 'logs' | 'metrics'): string | undefined => {
    const upper = signal.toUpperCase()
    if (env[`OTEL_${upper}_EXPORTER`] !== 'otlp') return undefined
    const base = env.OTEL_EXPORTER_OTLP_ENDPOINT
    return env[`OTEL_EXPORTER_OTLP_${upper}_ENDPOINT`] ?? (base && `${base.replace(/\/$/, '')}/v1/${signal}`)
  }
  const logs = place('logs')
  const metrics = place('metrics')
  const headers = pairs(env.OTEL_EXPORTER_OTLP_HEADERS)
  const resource = resourceOf(about.version, env.OTEL_RESOURCE_ATTRIBUTES)
  const common = (): Json => ({
    'session.id': about.session,
    'user.id': 'scripted',
    'terminal.type': env.TERM ?? 'unknown',
  })
  let records: Entry[] = []
  let points: Point[] = [{ name: 'session.count', value: 1, attributes: common() }]
  let since = Date.now()
  let sequence = 0
  const flushLogs = async (): Promise<void> => {
    const sent = records
    records = []
    if (logs && sent.length > 0) await post(logs, headers, logsBody(sent, resource, about.version))
  }
  const flushMetrics = async (): Promise<void> => {
    const sent = points
    points = []
    const span = { fromMs: since, toMs: Date.now() }
    since = span.toMs
    if (metrics && sent.length > 0)
      await post(metrics, headers, metricsBody(sent, resource, about.version, span))
  }
  const timers = [
    setInterval(() => void flushLogs(), Number(env.OTEL_LOGS_EXPORT_INTERVAL ?? 5000)).unref(),
    setInterval(() => void flushMetrics(), Number(env.OTEL_METRIC_EXPORT_INTERVAL ?? 60_000)).unref(),
  ]
  const event = (name: string, attributes: Json): void => {
    const atMs = Date.now()
    const prompt = about.prompt()
    records.push({
      name,
      atMs,
      attributes: {
        ...common(),
        'event.name': name,
        'event.timestamp': new Date(atMs).toISOString(),
        'event.sequence': sequence++,
        ...(prompt === undefined ? {} : { 'prompt.id': prompt }),
        ...attributes,
      },
    })
  }
  return {
    event,
    request: (model, usage, cost, ms) => {
      event('api_request', {
        model,
        input_tokens: usage.input,
        output_tokens: usage.output,
        cache_read_tokens: 0,
        cache_creation_tokens: 0,
        cost_usd: cost,
        duration_ms: ms,
      })
      const own = { ...common(), model, query_source: 'main' }
      points.push(
        { name: 'cost.usage', value: cost, attributes: own },
        { name: 'token.usage', value: usage.input, attributes: { ...own, type: 'input' } },
        { name: 'token.usage', value: usage.output, attributes: { ...own, type: 'output' } },
      )
    },
    end: async () => {
      for (const timer of timers) clearInterval(timer)
      await Promise.all([flushLogs(), flushMetrics()])
    },
  }
}
