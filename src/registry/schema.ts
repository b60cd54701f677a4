// A component: anything with `/status`. What it says of itself, and what the journal says of it.
import * as z from 'zod'
import { line } from '../base/log/schema.ts'

export const componentType = z.enum(['agent', 'director', 'view', 'bridge'])
export type ComponentType = z.infer<typeof componentType>

export const componentInterface = z.enum(['statusable', 'taskable', 'observable', 'configurable'])
export type ComponentInterface = z.infer<typeof componentInterface>

export const componentState = z
  .enum([
    'starting',
    'idle',
    'working',
    'running',
    'blocked',
    'limited',
    'degraded',
    'error',
    'draining',
    'exited',
    'lost',
    'unsupervised',
    'unmanaged',
  ])
  .meta({ description: 'An agent is idle or working where a director or view is running.' })
export type ComponentState = z.infer<typeof componentState>

/** All that a caller without the token learns. */
export const openStatus = z
  .strictObject({
    type: z.union([componentType, z.literal('host')]),
    interfaces: z.array(componentInterface),
    version: z.string(),
    state: z.string(),
  })
  .meta({ id: 'OpenStatus', description: 'What `/status` tells a caller without the token.' })

export type OpenStatus = z.infer<typeof openStatus>

export const currentTask = z
  .strictObject({ id: z.string(), started_at: z.iso.datetime(), prompt_preview: z.string() })
  .meta({ id: 'CurrentTask' })

export const componentStatus = z
  .strictObject({
    type: componentType,
    name: z.string(),
    interfaces: z.array(componentInterface),
    version: z.string(),
    state: componentState,
    message: z.string().optional().meta({ description: 'Why it is in this state, and what to do.' }),
    uptime_seconds: z.int().min(0),
    current_task: currentTask.nullable(),
    config: z.record(z.string(), z.unknown()).meta({ description: 'Its settings, without secrets.' }),
    log: z.array(line).meta({ description: 'Its latest lifecycle lines, oldest first.' }),
  })
  .meta({ id: 'ComponentStatus', description: 'What a component says of itself.' })
export type ComponentStatus = z.infer<typeof componentStatus>

/** What the journal keeps of a component; its id is `agents/<name>` or `directors/<name>`. */
export const componentRecord = z
  .strictObject({
    type: componentType,
    state: componentState,
    message: z.string().optional(),
    since: z.iso.datetime().meta({ description: 'When it came into this state.' }),
  })
  .meta({ id: 'ComponentRecord' })
export type ComponentRecord = z.infer<typeof componentRecord>

export const componentEvents = {
  'component.started': z.strictObject({ type: componentType }),
  'component.changed': z.strictObject({ state: componentState, message: z.string().optional() }),
  'component.stopped': z.strictObject({}),
  'component.lost': z.strictObject({}),
} as const
