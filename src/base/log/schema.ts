// A line of a log, the same in every log of a root.
import * as z from 'zod'

export const levels = ['debug', 'info', 'warn', 'error'] as const
export const level = z.enum(levels)
export type Level = z.infer<typeof level>

export const line = z
  .looseObject({
    timestamp: z.iso.datetime(),
    level,
    component: z.string(),
    message: z.string(),
  })
  .meta({ id: 'LogLine', description: 'One line of a log, with whatever facts belong to it.' })
export type Line = z.infer<typeof line>
