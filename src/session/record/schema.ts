// What the journal keeps of a session: enough for lists, and for a host that starts again.
import * as z from 'zod'
import { usage } from '../schema.ts'
import { switchEvents, switching } from '../switch/schema.ts'

const names = [
  'starting',
  'idle',
  'working',
  'blocked',
  'limited',
  'error',
  'draining',
  'exited',
  'lost',
  'unsupervised',
  'unmanaged',
] as const

export const keptState = z
  .strictObject({
    name: z.enum(names),
    tool: z.string().optional().meta({ description: 'What a person is asked about.' }),
    turn: z.string().optional().meta({ description: 'The turn that runs.' }),
    approval: z.string().optional(),
    what: z.string().optional().meta({ description: 'Why it is limited or in error.' }),
    next: z.string().optional().meta({ description: 'What to do about it.' }),
    until: z.number().optional().meta({ description: 'When the limit ends, in ms since 1970.' }),
    sure: z.boolean().optional(),
    code: z.int().nullable().optional(),
    signal: z.string().nullable().optional(),
    why: z.string().optional().meta({ description: 'Why it is unsupervised.' }),
  })
  .meta({ id: 'SessionState', description: 'What a session is doing.' })
export type KeptState = z.infer<typeof keptState>

const launch = {
  agent: z.string(),
  role: z.string().optional(),
  pod: z.string().optional(),
  managed: z.boolean(),
  cwd: z.string(),
  overrides: z.record(z.string(), z.string()),
  forked_from: z.string().optional().meta({ description: 'The conversation it began as a copy of.' }),
}
const progress = {
  turns: z.int().min(0),
  usage,
  ended: z.array(z.string()).optional().meta({ description: 'The latest turns that are over.' }),
  counted: z.array(z.string()).optional().meta({ description: 'The latest requests in `usage`.' }),
}

export const sessionRecord = z
  .strictObject({
    ...launch,
    ...progress,
    launched: z.iso.datetime(),
    state: keptState,
    since: z.iso.datetime().meta({ description: 'When it came into this state.' }),
    switching: switching.optional(),
  })
  .meta({ id: 'SessionRecord', description: 'What the journal keeps of a session.' })
export type SessionRecord = z.infer<typeof sessionRecord>

export const sessionEvents = {
  'session.launched': z.strictObject({ ...launch, ...progress }),
  'session.changed': z.strictObject({ ...progress, state: keptState }),
  'session.spent': z.strictObject(progress),
  ...switchEvents,
  'session.forgotten': z.strictObject({ agent: z.string() }),
} as const
