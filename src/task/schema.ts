// A task: one prompt with an outcome. For a terminal agent it is a message, which has the same id, and its turn.
import * as z from 'zod'
import { name } from '../base/name/schema.ts'
import { usage } from '../session/schema.ts'

export const taskState = z
  .enum(['queued', 'working', 'idle', 'cancelling', 'cancelled', 'completed', 'failed', 'interrupted'])
  .meta({
    description:
      'idle: waits to be continued. cancelling: until its turn is really over. The last four are final; interrupted: its session or a person ended it.',
  })
export type TaskState = z.infer<typeof taskState>

/** It is also the id of a message, and stands in paths. */
export const taskId = z.string().regex(/^task-[a-z0-9]{1,40}$/, { error: 'must be the id of a task' })

export const taskError = z.strictObject({
  type: z.enum(['timeout', 'rate_limited', 'claude_error', 'not_delivered', 'interrupted']).meta({
    description: 'not_delivered: nothing showed that the agent has got it.',
  }),
  message: z.string(),
})
export type TaskError = z.infer<typeof taskError>

const time = z.number().meta({ description: 'Milliseconds since 1970.' })

export const task = z
  .strictObject({
    id: taskId,
    agent: name,
    session: z.string().meta({ description: 'The conversation it was given to.' }),
    preview: z.string().meta({ description: 'How the prompt begins, on one line.' }),
    digest: z.string().meta({ description: 'Of all that was asked: the same key asks for the same.' }),
    at: time,
    timeout: z.int().optional().meta({ description: 'Seconds.' }),
    state: taskState,
    startedAt: time.optional(),
    endedAt: time.optional(),
    output: z.string().optional().meta({ description: 'The last words of its turn.' }),
    error: taskError.optional(),
    wish: z
      .strictObject({ why: z.enum(['cancel', 'timeout']), at: time })
      .optional()
      .meta({ description: 'That it be over.' }),
    pressed: z
      .strictObject({ times: z.int().min(1), at: time })
      .optional()
      .meta({ description: 'How often its turn was interrupted for that.' }),
    before: usage.optional().meta({ description: 'What the session had used when it started.' }),
    used: usage.optional(),
  })
  .meta({ id: 'TaskRecord', description: 'What the journal keeps of a task.' })
export type Task = z.infer<typeof task>

const progress = task.omit({
  id: true,
  agent: true,
  session: true,
  preview: true,
  digest: true,
  at: true,
  timeout: true,
})

export const taskEvents = {
  'task.queued': task,
  /** All that may have changed, whole: what is absent is gone. */
  'task.changed': progress,
  /** Over long ago: only the journal still tells of it. */
  'task.forgotten': z.strictObject({}),
} as const
