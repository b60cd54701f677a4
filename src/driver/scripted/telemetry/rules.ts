// OTLP/JSON as the CLI sends it.
type Json = Record<string, unknown>
export type Entry = { name: string; atMs: number; attributes: Json }
export type Point = { name: string; value: number; attributes: Json }
export type Resource = Record<string, string>

const value = (given: unknown): Json => {
  if (typeof given === 'number') return Number.isInteger(given) ? { intValue: given } : { doubleValue: given }
  if (typeof given === 'boolean') return { boolValue: given }
  return { stringValue: String(given) }
}

const attributes = (given: Json): Json[] =>
  Object.entries(given).map(([key, each]) => ({ key, value: value(each) }))

const nanos = (ms: number): string => `${Math.trunc(ms)}000000`

/** `a=b,c=d`, as OTEL_EXPORTER_OTLP_HEADERS and OTEL_RESOURCE_ATTRIBUTES are written. */
export const pairs = (text: string | undefined): Record<string, string> =>
  Object.fromEntries(
    (text ?? '').split(',').flatMap((pair) => {
      const at = pair.indexOf('=')
      return at > 0 ? [[pair.slice(0, at).trim(), decodeURIComponent(pair.slice(at + 1).trim())]] : []
    }),
  )

export const resourceOf = (version: string, extra: string | undefined): Resource => ({
  'service.name': 'claude-code',
  'service.version': version,
  ...pairs(extra),
})

export const logsBody = (records: readonly Entry[], resource: Resource, version: string): Json => ({
  resourceLogs: [
    {
      resource: { attributes: attributes(resource) },
      scopeLogs: [
        {
          scope: { name: 'com.anthropic.claude_code.events', version },
          logRecords: records.map(({ name, atMs, attributes: own }) => ({
            timeUnixNano: nanos(atMs),
            observedTimeUnixNano: nanos(atMs),
            body: { stringValue: `claude_code.${name}` },
            attributes: attributes(own),
          })),
        },
      ],
    },
  ],
})

export const metricsBody = (
  points: readonly Point[],
  resource: Resource,
  version: string,
  span: { fromMs: number; toMs: number },
): Json => ({
  resourceMetrics: [
    {
      resource: { attributes: attributes(resource) },
      scopeMetrics: [
        {
          scope: { name: 'com.anthropic.claude_code', version },
          metrics: [...new Set(points.map(({ name }) => name))].map((name) => ({
            name: `claude_code.${name}`,
            sum: {
              // 1 = delta.
              aggregationTemporality: 1,
              isMonotonic: true,
              dataPoints: points
                .filter((point) => point.name === name)
                .map((point) => ({
                  attributes: attributes(point.attributes),
                  startTimeUnixNano: nanos(span.fromMs),
                  timeUnixNano: nanos(span.toMs),
                  asDouble: point.value,
                })),
            },
          })),
        },
      ],
    },
  ],
})
