// The host: what it says of itself, what the journal keeps of it, and the file that names the live one.
import * as z from 'zod'
import { line } from '../base/log/schema.ts'
import { componentInterface } from '../registry/schema.ts'

export const hostState = z.enum(['starting', 'idle', 'degraded', 'draining'])
export type HostState = z.infer<typeof hostState>

export const hostStatus = z
  .strictObject({
    type: z.literal('host'),
    interfaces: z.array(componentInterface),
    version: z.string(),
    state: hostState,
    message: z.string().optional().meta({ description: 'Why it is degraded, and what to do.' }),
    uptime_seconds: z.int().min(0),
    pid: z.int().positive(),
    root: z.string(),
    port: z.int().meta({ description: 'Loopback TCP port of the API.' }),
    components: z.int().min(0).meta({ description: 'How many components it runs.' }),
    paused_since: z.iso
      .datetime()
      .optional()
      .meta({ description: 'Since when no task that waits for an agent is begun.' }),
    log: z.array(line).meta({ description: 'Its latest lifecycle lines, oldest first.' }),
  })
  .meta({ id: 'HostStatus', description: 'What the host says of itself.' })
export type HostStatus = z.infer<typeof hostStatus>

/** `host.json`: how to find the live host. It is a hint; only an answer proves that the host lives. */
export const hostFile = z.strictObject({
  pid: z.int().positive(),
  started: z.string(),
  socket: z.string(),
  port: z.int().positive(),
  version: z.string(),
})
export type HostFile = z.infer<typeof hostFile>

const ended = z.strictObject({
  pid: z.int().positive(),
  how: z.enum(['stopped', 'lost']),
  at: z.iso.datetime(),
})

/** What the journal keeps of the host of one machine. */
export const hostRecord = z
  .strictObject({
    state: z.enum(['starting', 'idle', 'draining', 'stopped', 'lost']),
    pid: z.int().positive(),
    started: z.string(),
    version: z.string(),
    since: z.iso.datetime(),
    last: ended.optional().meta({ description: 'How the host before this one ended.' }),
    paused: z.iso
      .datetime()
      .optional()
      .meta({ description: 'Since when no task that waits for an agent is begun.' }),
  })
  .meta({ id: 'HostRecord' })
export type HostRecord = z.infer<typeof hostRecord>

export const hostEvents = {
  'host.started': z.strictObject({ pid: z.int().positive(), started: z.string(), version: z.string() }),
  'host.idle': z.strictObject({}),
  'host.draining': z.strictObject({ reason: z.string() }),
  'host.stopped': z.strictObject({}),
  'host.lost': z.strictObject({}),
  'host.paused': z.strictObject({ paused: z.boolean() }),
} as const
