// The routes of tasks, below `/agents/<name>`.
import * as z from 'zod'
import { contract } from '../base/contract/schema.ts'
import { longestText, message } from '../message/schema.ts'
import { taskError, taskId, taskState } from './schema.ts'

const count = z.number().min(0)
const whole = (most: number, what: string) =>
  z
    .string()
    .regex(/^[1-9]\d{0,5}$/, { error: `must be ${what}` })
    .refine((text) => Number(text) <= most, {
      error: `must be ${what}`,
    })

const outcome = {
  task_id: taskId,
  state: taskState,
  exit_code: z.int().nullable().meta({ description: '0: completed. 1: failed.' }),
  started_at: z.iso.datetime().nullable(),
  completed_at: z.iso.datetime().nullable(),
  duration_seconds: count,
  session_id: z.string(),
  error: taskError.optional(),
  token_usage: z.strictObject({ input: count, output: count }).nullable(),
  cost_usd: count.optional().meta({ description: 'API-price equivalent.' }),
}

export const taskView = z
  .strictObject({ ...outcome, output: z.string().nullable().meta({ description: 'Its last words.' }) })
  .meta({ id: 'Task', description: 'A task and what became of it.' })
export type TaskView = z.infer<typeof taskView>

export const taskSummary = z
  .strictObject({ ...outcome, prompt_preview: z.string(), queued_at: z.iso.datetime() })
  .meta({ id: 'TaskSummary', description: 'A task without its output.' })
export type TaskSummary = z.infer<typeof taskSummary>

export const idempotencyKey = z.string().min(1).max(200)

export const taskRequest = z.strictObject({
  prompt: message.shape.text,
  model: z.string().optional().meta({ description: 'Not for an agent that runs already.' }),
  timeout_seconds: z.int().min(1).max(604_800).optional(),
  session_id: z.uuid({ error: 'must be the id of a session' }).nullable().optional().meta({
    description: 'The session that must do it.',
  }),
  project: z
    .strictObject({ name: z.string().min(1).max(200), prompt: z.string().max(longestText) })
    .optional()
    .meta({ description: 'Comes before the prompt.' }),
  env: z
    .record(z.string(), z.string())
    .optional()
    .meta({ description: 'Not for an agent that runs already.' }),
  idempotency_key: idempotencyKey
    .optional()
    .meta({ description: 'As the header `Idempotency-Key`: the same key is the same task.' }),
  workdir: z
    .never({ error: 'is not taken: a task is done where its agent works' })
    .optional()
    .meta({ description: 'Not taken.' }),
})
export type TaskRequest = z.infer<typeof taskRequest>

const one = { params: z.object({ id: taskId }) }

export const tasks = {
  give: contract({
    method: 'POST',
    path: '/task',
    summary:
      'Gives the agent a task; answers when it is stored. Sent again with the same `Idempotency-Key`, it is the same task.',
    body: taskRequest,
    reply: z
      .strictObject({ task_id: taskId, session_id: z.string(), status: taskState })
      .meta({ id: 'TaskReply' }),
    status: 201,
    errors: [
      'agent_busy',
      'agent_ended',
      'not_taskable',
      'rate_limited',
      'session_past',
      'idempotency_conflict',
      'not_ready',
      'draining',
    ],
  }),
  show: contract({
    ...one,
    method: 'GET',
    path: '/task/:id',
    summary: 'A task and what became of it.',
    reply: taskView,
  }),
  cancel: contract({
    ...one,
    method: 'POST',
    path: '/task/:id/cancel',
    summary:
      'Takes a task back; one that runs has its turn interrupted, and is `cancelling` until that is over.',
    reply: z
      .strictObject({ task_id: taskId, state: taskState, message: z.string() })
      .meta({ id: 'TaskCancelReply' }),
    errors: ['already_completed'],
  }),
  history: contract({
    method: 'GET',
    path: '/history',
    summary: 'The tasks of the agent, newest first, without their output.',
    query: z.object({
      limit: whole(100, 'a number from 1 to 100').optional().meta({ description: 'How many; 20.' }),
      page: whole(100_000, 'a number from 1 on').optional(),
      before: taskId.optional().meta({ description: 'Only those older than this one.' }),
    }),
    reply: z
      .strictObject({
        tasks: z.array(taskSummary),
        page: z.int(),
        limit: z.int(),
        total: z.int().meta({ description: 'How many there are on all pages.' }),
      })
      .meta({ id: 'HistoryReply' }),
  }),
} as const
