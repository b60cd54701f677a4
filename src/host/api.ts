// The routes of the host itself. Those of a component are in `component` below: one table, two mounts.
import * as z from 'zod'
import { contract } from '../base/contract/schema.ts'
import { name } from '../base/name/schema.ts'
import { componentStatus, componentType, openStatus } from '../registry/schema.ts'
import { state } from '../state/schema.ts'
import { hostStatus } from './schema.ts'

const detail = z.union([z.string(), z.number(), z.null()])

export const envelope = z
  .strictObject({
    error: z.string().meta({ description: 'The code, for programs.' }),
    message: z.string().meta({ description: 'What happened.' }),
    safe: z.string().meta({ description: 'What is safe.' }),
    next: z.string().meta({ description: 'What to do next.' }),
    details: z.record(z.string(), detail).optional(),
    current_task: detail.optional().meta({ description: 'With agent_busy: the task; null = none of ours.' }),
    task_id: detail.optional().meta({ description: 'With task_in_progress.' }),
    final_state: detail.optional().meta({ description: 'With already_completed.' }),
    problems: z.array(z.string()).optional().meta({ description: 'One line for each thing that is wrong.' }),
  })
  .meta({ id: 'Error', description: 'Every answer that is not a success.' })
export type Envelope = Readonly<
  Omit<z.infer<typeof envelope>, 'problems'> & { readonly problems?: readonly string[] }
>

const seconds = z.int().min(0).max(86_400)

// Both kinds of shutdown take the same words.
const drain = {
  timeout_seconds: seconds
    .optional()
    .meta({ description: 'How long running work may go on; the `drain_seconds` of config.yaml if absent.' }),
  force: z.boolean().optional().meta({ description: 'Do not wait for running work.' }),
}

const shutdownReply = z
  .strictObject({
    message: z.string(),
    drain_timeout: z.int().min(0).meta({ description: 'Seconds.' }),
    components: z.array(z.string()).meta({ description: 'What is being shut down, as `agents/<name>`.' }),
  })
  .meta({ id: 'ShutdownReply' })

/** What lists show of it. */
export const componentEntry = z
  .strictObject({
    ...componentStatus.pick({
      type: true,
      name: true,
      interfaces: true,
      state: true,
      message: true,
      current_task: true,
    }).shape,
    pod: z.string().optional(),
    id: z.string().meta({ description: '`agents/<name>` or `directors/<name>`: also its path in this API.' }),
    port: z.int().optional().meta({ description: 'The port of its own, where its config names one.' }),
  })
  .meta({ id: 'ComponentEntry' })
export type ComponentEntry = z.infer<typeof componentEntry>

export const host = {
  status: contract({
    method: 'GET',
    path: '/status',
    summary: 'What the host says of itself; without the token only type, interfaces, version and state.',
    reply: z.union([hostStatus, openStatus]),
  }),
  state: contract({
    method: 'GET',
    path: '/state',
    summary: 'The whole state, and the place in the journal it is true at.',
    reply: z.strictObject({ seq: z.int().min(0), state }).meta({ id: 'StateReply' }),
  }),
  events: contract({
    method: 'GET',
    path: '/events',
    summary: 'The journal from a place on, then everything as it happens. `Last-Event-ID` wins over `after`.',
    query: z.strictObject({
      after: z
        .string()
        .regex(/^\d{1,15}$/, { error: 'must be a whole number' })
        .optional(),
    }),
    reply: 'stream',
    errors: ['too_many_watchers'],
  }),
  components: contract({
    method: 'GET',
    path: '/components',
    summary: 'Every component of this root.',
    reply: z.strictObject({ components: z.array(componentEntry) }).meta({ id: 'ComponentsReply' }),
  }),
  bring: contract({
    method: 'POST',
    path: '/components',
    summary:
      'Runs a component whose config lies anywhere; one that runs from that file already goes on. By the unix socket only.',
    body: z.strictObject({
      type: componentType,
      name,
      file: z.string().startsWith('/').meta({ description: 'Its config.' }),
    }),
    reply: componentEntry,
    status: 201,
    errors: ['name_in_use', 'not_available', 'not_ready', 'draining'],
  }),
  shutdown: contract({
    method: 'POST',
    path: '/shutdown',
    summary: 'Ends the host and leaves agents at work; or, where it says which, drains and ends those.',
    body: z.strictObject({
      ...drain,
      all: z.boolean().optional().meta({ description: 'The host and everything it runs, agents included.' }),
      agents: z.boolean().optional().meta({ description: 'Only the agents.' }),
      directors: z.boolean().optional().meta({ description: 'Only the directors.' }),
      port: z.int().optional().meta({ description: 'Only the component with this port.' }),
    }),
    reply: shutdownReply,
    status: 202,
    errors: ['task_in_progress'],
  }),
} as const

/** What every component answers, below `/agents/<name>` or `/directors/<name>` and at `/` of its own port. */
export const component = {
  status: contract({
    method: 'GET',
    path: '/status',
    summary: 'What the component says of itself; without the token only type, interfaces, version and state.',
    reply: z.union([componentStatus, openStatus]),
  }),
  shutdown: contract({
    method: 'POST',
    path: '/shutdown',
    summary: 'Drains and ends this component.',
    body: z.strictObject(drain),
    reply: shutdownReply,
    status: 202,
    errors: ['task_in_progress'],
  }),
} as const
