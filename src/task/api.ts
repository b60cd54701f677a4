// The routes of tasks, below `/agents/<name>`.
import * as z from 'zod'
import { agentFile } from '../agent/schema.ts'
import { contract } from '../base/contract/schema.ts'
import { name } from '../base/name/schema.ts'
import { longestText, message } from '../message/schema.ts'
import { leftProcess, select, taskError, taskId, taskState } from './schema.ts'

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
  left_processes: z
    .array(leftProcess)
    .optional()
    .meta({ description: 'What it started and nothing could end: look after them.' }),
}

const progress = z
  .strictObject({
    turns: z.int().min(0),
    tool: z.string().optional().meta({ description: 'What it is doing now.' }),
    tokens: z.int().min(0),
    retry_at: z.iso.datetime().optional().meta({ description: 'It waits until then to be tried again.' }),
  })
  .meta({ id: 'TaskProgress' })

export const taskView = z
  .strictObject({
    ...outcome,
    output: z
      .string()
      .nullable()
      .meta({ description: 'Its last words; of one that was cut off, what it said so far.' }),
    progress: progress.optional().meta({ description: 'While it works.' }),
  })
  .meta({ id: 'Task', description: 'A task and what became of it.' })
export type TaskView = z.infer<typeof taskView>

export const taskSummary = z
  .strictObject({ ...outcome, prompt_preview: z.string(), queued_at: z.iso.datetime() })
  .meta({ id: 'TaskSummary', description: 'A task without its output.' })
export type TaskSummary = z.infer<typeof taskSummary>

/** All that is kept of a task. */
export const taskDetails = z
  .strictObject({
    ...taskView.shape,
    prompt_preview: z.string(),
    queued_at: z.iso.datetime(),
    prompts: z
      .array(z.string())
      .meta({ description: 'Its prompt, and each continue; empty where they are not kept any more.' }),
    log: z.array(z.string()).meta({ description: 'What it did, a line each: said, called, ended.' }),
  })
  .meta({ id: 'TaskDetails', description: 'A task with its prompts and what it did.' })
export type TaskDetails = z.infer<typeof taskDetails>

export const taskDebug = z
  .strictObject({
    task_id: taskId,
    attempts: z.array(
      z.strictObject({
        number: z.int(),
        stdout: z.string(),
        stderr: z.string(),
        truncated: z.boolean().meta({ description: 'Only the end of it is shown.' }),
      }),
    ),
  })
  .meta({ id: 'TaskDebug', description: 'What the CLI printed, unread, without secrets.' })
export type TaskDebug = z.infer<typeof taskDebug>

/** Linux starts no program with a variable of more than 128 KB. */
const longestEnv = 30_000

export const idempotencyKey = z.string().min(1).max(200)

const giver = name.optional().meta({
  description: 'The agent that asks, where it is one: only for roles that its own delegates to.',
})

export const taskRequest = z.strictObject({
  prompt: message.shape.text,
  model: z
    .string()
    .regex(
      /^(opus|sonnet|haiku|opusplan|default|claude-[\w.:@[\]-]{1,190}|[a-z]{2,10}\.anthropic\.[\w.:@[\]-]{1,180})$/,
      {
        error: 'must be opus, sonnet, haiku or the full name of a model (claude-…)',
      },
    )
    .optional()
    .meta({ description: 'Not for an agent that runs already.' }),
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
    .refine((env) => Object.entries(env).flat().join('').length <= longestEnv, {
      error: `must have at most ${longestEnv} characters in all`,
    })
    .optional()
    .meta({ description: 'Not for an agent that runs already.' }),
  credentials: z
    .array(name)
    .max(20)
    .optional()
    .meta({ description: 'Credentials of the root that it may see, of those that its agent may.' }),
  keep_open: z
    .boolean()
    .optional()
    .meta({ description: 'It stays `idle` after its answer, to be continued, until it is ended.' }),
  resumable: z
    .boolean()
    .optional()
    .meta({ description: 'Interrupted by a crash, it goes on where it was instead of ending there.' }),
  idempotency_key: idempotencyKey
    .optional()
    .meta({ description: 'As the header `Idempotency-Key`: the same key is the same task.' }),
  by: giver,
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
      'task_not_delegated',
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
  proceed: contract({
    ...one,
    method: 'POST',
    path: '/task/:id/continue',
    summary: 'Gives another prompt to the session of a task that is idle or over.',
    body: z.strictObject({
      prompt: taskRequest.shape.prompt,
      timeout_seconds: taskRequest.shape.timeout_seconds,
      by: giver,
    }),
    reply: z
      .strictObject({ task_id: taskId, state: taskState, session_id: z.string() })
      .meta({ id: 'TaskContinueReply' }),
    errors: [
      'agent_busy',
      'agent_ended',
      'rate_limited',
      'not_continuable',
      'task_not_delegated',
      'not_ready',
      'draining',
    ],
  }),
  end: contract({
    ...one,
    method: 'POST',
    path: '/task/:id/end',
    summary: 'Ends a task that was kept open.',
    reply: z
      .strictObject({ task_id: taskId, state: taskState, output: z.string().nullable() })
      .meta({ id: 'TaskEndReply' }),
    errors: ['agent_busy', 'already_completed'],
  }),
  debug: contract({
    ...one,
    method: 'GET',
    path: '/task/:id/debug',
    summary: 'What the CLI printed for a task, unread.',
    reply: taskDebug,
  }),
  list: contract({
    method: 'GET',
    path: '/tasks',
    summary: 'The tasks of the agent that are not over.',
    reply: z.strictObject({ tasks: z.array(taskSummary) }).meta({ id: 'TasksReply' }),
  }),
  past: contract({
    ...one,
    method: 'GET',
    path: '/history/:id',
    summary: 'All that is kept of a task.',
    reply: taskDetails,
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

/** The settings of a headless agent, below `/agents/<name>`. */
export const settings = {
  show: contract({
    method: 'GET',
    path: '/config',
    summary: 'The settings of the agent, as its file says.',
    reply: agentFile,
  }),
  change: contract({
    method: 'PUT',
    path: '/config',
    summary:
      'Replaces the settings of the agent in its file, whose comments stay; what is not named has its default. The next task has them, a port and a log level the next start.',
    body: agentFile,
    reply: agentFile,
    errors: ['config_invalid'],
  }),
} as const

const { env: _env, ...queueable } = taskRequest.shape

/** A task for whoever fits. */
export const queueRequest = z.strictObject({
  ...queueable,
  env: z
    .never({ error: 'is not taken here, because it would have to be stored: name `credentials` instead' })
    .optional()
    .meta({ description: 'Not taken: it would have to be stored.' }),
  select: select.optional(),
  priority: z.int().min(-1000).max(1000).optional().meta({ description: 'More important ones first; 0.' }),
  not_before: z.iso.datetime({ offset: true }).optional().meta({ description: 'It waits until then.' }),
})
export type QueueRequest = z.infer<typeof queueRequest>

const waits = z
  .string()
  .optional()
  .meta({ description: 'Why it has no agent yet, in a few words; absent where one is about to begin it.' })

const found = z
  .strictObject({
    ...taskView.shape,
    agent: name.nullable().meta({ description: 'null: it waits for one.' }),
    waits,
  })
  .meta({ id: 'FoundTask' })
export type FoundTask = z.infer<typeof found>

const pausedSince = z.iso
  .datetime()
  .nullable()
  .meta({ description: 'Since when no task that waits is begun; null: they are.' })

/** Tasks of the whole root. */
export const queue = {
  give: contract({
    method: 'POST',
    path: '/tasks',
    summary:
      'Gives a task to the first agent that fits and is free; answers when it is stored. Sent again with the same `Idempotency-Key`, it is the same task.',
    body: queueRequest,
    reply: z.strictObject({ task_id: taskId, status: taskState, waits }).meta({ id: 'QueueReply' }),
    status: 202,
    errors: [
      'nobody_fits',
      'queue_full',
      'idempotency_conflict',
      'task_not_delegated',
      'not_ready',
      'draining',
    ],
  }),
  list: contract({
    method: 'GET',
    path: '/tasks',
    summary:
      'The tasks of all agents that are not over, and those that wait for one, in the order they will be done.',
    reply: z
      .strictObject({
        paused: z.boolean(),
        paused_since: pausedSince,
        tasks: z.array(
          z.strictObject({ ...taskSummary.shape, agent: name.nullable(), priority: z.int(), select }),
        ),
      })
      .meta({ id: 'QueueListReply' }),
  }),
  show: contract({
    ...one,
    method: 'GET',
    path: '/tasks/:id',
    summary: 'A task, whoever does it.',
    reply: found,
  }),
  cancel: contract({
    ...one,
    method: 'POST',
    path: '/tasks/:id/cancel',
    summary: 'Takes a task back, whoever does it.',
    reply: tasks.cancel.reply,
    errors: ['already_completed'],
  }),
  pause: contract({
    method: 'POST',
    path: '/tasks/pause',
    summary: 'No task that waits is begun any more; what runs goes on. Stays so for the next host.',
    body: z.strictObject({ paused: z.boolean() }),
    reply: z.strictObject({ paused: z.boolean(), paused_since: pausedSince }).meta({ id: 'QueuePauseReply' }),
    errors: ['not_stored'],
  }),
} as const
