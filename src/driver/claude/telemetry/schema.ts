// OTLP over HTTP as JSON, as far as it is read.
import * as z from 'zod'

const list = <T extends z.ZodType>(item: T) =>
  z
    .array(z.unknown())
    .catch([])
    .default([])
    .transform((items) => items.flatMap((one) => item.safeParse(one).data ?? []))

const attribute = z.looseObject({ key: z.string(), value: z.record(z.string(), z.unknown()) })
export const attributes = list(attribute)

const record = z.looseObject({ timeUnixNano: z.unknown(), attributes })
export type LogRecord = z.infer<typeof record>

const point = z.looseObject({ attributes, asDouble: z.unknown().optional(), asInt: z.unknown().optional() })
const metric = z.looseObject({
  name: z.string(),
  sum: z
    .looseObject({ dataPoints: list(point) })
    .optional()
    .catch(undefined),
})
export type Metric = z.infer<typeof metric>

export const post = z.looseObject({
  resourceLogs: list(z.looseObject({ scopeLogs: list(z.looseObject({ logRecords: list(record) })) })),
  resourceMetrics: list(z.looseObject({ scopeMetrics: list(z.looseObject({ metrics: list(metric) })) })),
})
