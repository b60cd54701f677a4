// An OTLP collector (http/json) that flattens log records and data points to names with attributes.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { until } from './until.ts'

type Value = Record<string, unknown>
type Pair = { key: string; value: Value }
export type Signal = { name: string; attributes: Record<string, unknown>; value?: number }
export type Collector = {
  env: Record<string, string>
  logs: Signal[]
  metrics: Signal[]
  until: (name: string, fits?: (signal: Signal) => boolean) => Promise<Signal>
  close: () => Promise<void>
}

const plain = (value: Value): unknown => Object.values(value)[0]
const flat = (pairs: Pair[] = []) => Object.fromEntries(pairs.map(({ key, value }) => [key, plain(value)]))

type LogRecord = { body?: Value; attributes?: Pair[] }
type Point = { attributes?: Pair[]; asDouble?: number; asInt?: string | number }
type Metric = { name: string; sum?: { dataPoints: Point[] }; gauge?: { dataPoints: Point[] } }
type Posted = {
  resourceLogs?: { resource?: { attributes?: Pair[] }; scopeLogs: { logRecords: LogRecord[] }[] }[]
  resourceMetrics?: { resource?: { attributes?: Pair[] }; scopeMetrics: { metrics: Metric[] }[] }[]
}

const readLogs = (posted: Posted): Signal[] =>
  (posted.resourceLogs ?? []).flatMap(({ resource, scopeLogs }) =>
    scopeLogs.flatMap(({ logRecords }) =>
      logRecords.map((record) => ({
        name: String(plain(record.body ?? { none: '' })),
        attributes: { ...flat(resource?.attributes), ...flat(record.attributes) },
      })),
    ),
  )

const readMetrics = (posted: Posted): Signal[] =>
  (posted.resourceMetrics ?? []).flatMap(({ resource, scopeMetrics }) =>
    scopeMetrics.flatMap(({ metrics }) =>
      metrics.flatMap(
        (metric) =>
          (metric.sum ?? metric.gauge)?.dataPoints.map((point) => ({
            name: metric.name,
            attributes: { ...flat(resource?.attributes), ...flat(point.attributes) },
            value: Number(point.asDouble ?? point.asInt),
          })) ?? [],
      ),
    ),
  )

export const collect = async (): Promise<Collector> => {
  const logs: Signal[] = []
  const metrics: Signal[] = []
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      const posted = JSON.parse(Buffer.concat(parts).toString('utf8')) as Posted
      logs.push(...readLogs(posted))
      metrics.push(...readMetrics(posted))
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  return {
    env: {
      CLAUDE_CODE_ENABLE_TELEMETRY: '1',
      OTEL_LOGS_EXPORTER: 'otlp',
      OTEL_METRICS_EXPORTER: 'otlp',
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
      OTEL_LOGS_EXPORT_INTERVAL: '500',
      OTEL_METRIC_EXPORT_INTERVAL: '500',
    },
    logs,
    metrics,
    until: (name, fits = () => true) =>
      until(
        `telemetry ${name}`,
        () => [...logs, ...metrics].find((signal) => signal.name === name && fits(signal)),
        () => `collected: ${JSON.stringify(logs.map((signal) => [signal.name, signal.attributes]))}`,
      ),
    close: async () => {
      server.closeAllConnections()
      await new Promise<void>((done) => server.close(() => done()))
    },
  }
}
