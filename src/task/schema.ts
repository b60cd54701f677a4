// A task: one prompt with an outcome. For a terminal agent it is a message and its turn; for a
// headless one it is an attempt: a process of the CLI that is given the prompt, and perhaps another one after it.
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
  type: z
    .enum([
      'timeout',
      'rate_limited',
      'overloaded',
      'auth_error',
      'context_overflow',
      'max_turns',
      'budget_exceeded',
      'blocked',
      'claude_error',
      'sandbox_error',
      'launch_error',
      'env_lost',
      'not_delivered',
      'interrupted',
      'review_failed',
    ])
    .meta({
      description:
        'env_lost: its `env` is never stored, and was lost before it started. not_delivered: nothing showed that the agent has got it. launch_error: its process could not be started. review_failed: a reviewer found issues, and no person has accepted the work.',
    }),
  message: z.string(),
  retryable: z.boolean().optional().meta({ description: 'The same task may succeed when given again.' }),
  retry_at: z.iso.datetime().optional().meta({ description: 'Not before: when the limit ends.' }),
})
export type TaskError = z.infer<typeof taskError>

/** A process of it that nothing could end: of another user, or one that the kernel does not let go. */
export const leftProcess = z.strictObject({ pid: z.int().min(1), command: z.string() })

/** Which agents may do a task: all that is named must fit. */
export const select = z
  .strictObject({
    agent: name.optional(),
    role: name.optional(),
    pod: name.optional(),
    labels: z.array(name).max(20).optional().meta({ description: 'It must have all of them.' }),
  })
  .meta({ id: 'TaskSelect', description: 'Which agents may do it; nothing named = any.' })
export type Select = z.infer<typeof select>

/** Which conversation an attempt begins or goes on with. */
export const attempt = z.strictObject({
  number: z.int().min(1),
  session: z.uuid(),
  resume: z.boolean().meta({ description: 'It goes on with that session.' }),
  prompt: z.int().min(1).meta({ description: 'Which of the prompts of the task it was given.' }),
  offset: z.int().min(0).meta({
    description: 'Bytes of the transcript before it: if there are more later, it has begun.',
  }),
})
export type Attempt = z.infer<typeof attempt>

const time = z.number().meta({ description: 'Milliseconds since 1970.' })

export const task = z
  .strictObject({
    id: taskId,
    agent: name.optional().meta({ description: 'Absent while it waits for one that fits.' }),
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
      .strictObject({
        why: z.enum(['cancel', 'timeout', 'budget']),
        at: time,
        text: z.string().optional().meta({ description: 'In words.' }),
      })
      .optional()
      .meta({ description: 'That it be over.' }),
    pressed: z
      .strictObject({ times: z.int().min(1), at: time })
      .optional()
      .meta({ description: 'How often its turn was interrupted for that.' }),
    before: usage.optional().meta({ description: 'What the session had used when it started.' }),
    used: usage.optional(),
    // Of one that was given to whoever fits.
    select: select.optional(),
    by: z
      .strictObject({ agent: name, roles: z.array(name) })
      .optional()
      .meta({ description: 'The agent that gave it, and the roles that it could delegate to.' }),
    priority: z.int().optional(),
    notBefore: time.optional(),
    prompts: z
      .int()
      .min(1)
      .optional()
      .meta({ description: 'How many it was given: one, and each continue.' }),
    begunAt: time.optional().meta({ description: 'When its present prompt was first tried.' }),
    // Of a headless agent only, or while it waits for one.
    asked: z
      .strictObject({
        model: z.string().optional(),
        session: z.literal(true).optional().meta({ description: 'It goes on with that session.' }),
        keepOpen: z.literal(true).optional(),
        resumable: z.literal(true).optional(),
        env: z.literal(true).optional().meta({ description: 'It came with an `env`, which is not stored.' }),
        credentials: z.array(name).optional(),
      })
      .optional(),
    attempt: attempt.optional().meta({ description: 'The last one; stored before its process starts.' }),
    failures: z.int().optional().meta({ description: 'Attempts in a row that the API failed.' }),
    retryAt: time.optional().meta({ description: 'It waits for this to be tried again.' }),
    review: z
      .strictObject({
        prompts: z.array(z.int().min(2)).optional().meta({
          description: 'Which of its prompts are what a reviewer had to say.',
        }),
        approval: z.string().optional().meta({
          description: 'The question to a person whether the work is accepted as it is.',
        }),
      })
      .optional()
      .meta({ description: 'What the review of its work has come to so far.' }),
    total: usage.optional().meta({ description: 'What its session has used in all.' }),
    exit: z.strictObject({ code: z.int().nullable(), signal: z.string().nullable() }).optional(),
    left: z.array(leftProcess).optional().meta({ description: 'Processes of it that nothing could end.' }),
  })
  .meta({ id: 'TaskRecord', description: 'What the journal keeps of a task.' })
export type Task = z.infer<typeof task>

const progress = task
  .omit({ id: true, preview: true, digest: true, at: true })
  .partial({ agent: true, session: true })

export const taskEvents = {
  'task.queued': task,
  /** All that may have changed, whole: what is absent is gone. */
  'task.changed': progress,
  /** Over long ago: only the journal still tells of it. */
  'task.forgotten': z.strictObject({}),
} as const
