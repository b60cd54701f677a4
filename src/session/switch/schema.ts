// A switch of a session's role while it lives: where it stands is kept, so that a host that comes later goes on there.
import * as z from 'zod'

/**
 * `asked`: accepted, nothing changed. `narrowed`: what either role refuses is refused. `stopping`: its process is told to
 * end. `relaunching`: that is gone, and the next one starts in the same keeper.
 */
export const stages = ['asked', 'narrowed', 'stopping', 'relaunching'] as const
export type Stage = (typeof stages)[number]

const between = {
  from: z.string().meta({ description: 'The role before.' }),
  to: z.string().meta({ description: 'The role that it gets.' }),
  by: z.string().meta({ description: 'Who asked.' }),
}

export const switching = z
  .strictObject({
    ...between,
    stage: z.enum(stages),
    confirmed: z.boolean().meta({ description: 'What it does may be interrupted.' }),
    launches: z
      .int()
      .min(0)
      .optional()
      .meta({ description: 'How often its keeper had launched it when it was told to end.' }),
  })
  .meta({ id: 'Switching', description: 'A switch of the role that is under way.' })
export type Switching = z.infer<typeof switching>

export const switchEvents = {
  'session.switching': switching,
  'session.switched': z.strictObject({
    ...between,
    when: z.enum(['now', 'resume']).meta({ description: 'It has the role now, or once it is resumed.' }),
  }),
  'session.unswitched': z.strictObject({ ...between, why: z.string() }),
} as const
