// The envelope of everything that happened. What is inside belongs to each noun; `state` knows them all.
import * as z from 'zod'

/** `state` events decide and are kept; `activity` is for people, prunable, and no reducer reads it. */
export const kind = z.enum(['state', 'activity'])
export type Kind = z.infer<typeof kind>

export const typePattern = /^[a-z]+(\.[a-z_]+)+$/
// A lone surrogate cannot be stored as UTF-8, and a control character has no place in an id.
export const subjectPattern = /^[a-z]+:[^\p{Cc}\p{Cs}]{1,200}$/u

/** The most that the data of one event may weigh, as JSON in UTF-8. */
export const dataLimit = 1_048_576

export const event = z
  .object({
    seq: z.int().positive().meta({ description: 'Place in the journal; grows by commit order.' }),
    at: z.iso.datetime().meta({ description: 'When it was recorded.' }),
    kind,
    type: z.string().regex(typePattern).meta({ description: '`noun.what_happened`.' }),
    subject: z.string().regex(subjectPattern).meta({ description: '`noun:id` of what it happened to.' }),
    data: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'Event', description: 'One entry of the journal.' })
export type Event = z.infer<typeof event>

/** An event before the store has given it its place and time. */
export type Fact = Omit<Event, 'seq' | 'at'>

/** What is kept of one subject: the fold of its state events up to `seq`. */
export type Kept = { readonly subject: string; readonly seq: number; readonly state: unknown }

/** Pure: the next state of a subject, as JSON can hold it. `state` is undefined before its first event;
 * undefined forgets the subject. */
export type Reduce = (state: unknown, event: Event) => unknown
