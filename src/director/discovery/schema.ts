import * as z from 'zod'
import { interval } from '../../base/duration/schema.ts'

const port = z.int().min(1).max(65_535)

export const discovery = z
  .strictObject({
    method: z
      .enum(['port_scan', 'mdns', 'store'])
      .default('port_scan')
      .meta({ description: 'How components of other hosts are found.' }),
    port_range: z
      .tuple([port, port], { error: 'must be two ports, such as [9000, 9199]' })
      .default([9000, 9199])
      .refine(([first, last]) => first <= last, { error: 'must begin with the smaller port' })
      .meta({ description: 'First and last port that are asked.' }),
    refresh_interval: interval.default('1s').meta({ description: 'How often they are asked how they are.' }),
  })
  .prefault({})
  .meta({ id: 'Discovery', description: 'How other components are found.' })
