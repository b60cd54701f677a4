// The envelope of everything that happened. What is inside belongs to each noun; `state` knows them all.
import * as z from 'zod'

/** `state` events decide and are kept; `activity` is for people, prunable, and no reducer reads it. */
export const kind = z.enum(['state', 'activity'])
export type Kind = z.infer<typeof kind>

export const event = z
  .object({
    seq: z.int().positive().meta({ description: 'Place in the journal; grows by commit order.' }),
    at: z.iso.datetime().meta({ description: 'When it was recorded.' }),
    kind,
    type: z
      .string()
      .regex(/^[a-z]+(\.[a-z_]+)+$/)
      .meta({ description: '`noun.what_happened`.' }),
    subject: z
      .string()
      .regex(/^[a-z]+:.{1,200}$/)
      .meta({ description: '`noun:id` of what it happened to.' }),
    data: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'Event', description: 'One entry of the journal.' })
export type Event = z.infer<typeof event>

/** An event before the store has given it its place and time. */
export type Fact = Omit<Event, 'seq' | 'at'>
