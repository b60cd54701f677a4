import * as z from 'zod'
import { duration } from '../../base/duration/schema.ts'

export const defaultNudge =
  'You have been idle for a while. Go on with your work, or say what you are waiting for.'

export const heartbeat = z
  .strictObject({
    idle_timeout: duration
      .optional()
      .meta({ description: 'How long an agent may be idle before it is nudged.', default: '10m' }),
    message: z.string().optional().meta({ description: 'What it is told then.', default: defaultNudge }),
    condition: z
      .string()
      .optional()
      .meta({ description: 'A shell command; the nudge is sent only if it succeeds. Empty = always.' }),
  })
  .meta({ id: 'Heartbeat', description: 'Nudges an idle agent.' })
export type HeartbeatFile = z.infer<typeof heartbeat>
