// A task in words.
import { oneLine } from '../../../base/text/rules.ts'
import type { Event } from '../../../journal/schema.ts'
import { readable } from '../../../role/said/rules.ts'
import { span } from '../../../session/summary/rules.ts'
import type { TaskDetails, TaskSummary, TaskView } from '../../../task/api.ts'
import { isFinal } from '../../../task/rules.ts'
import type { TaskState } from '../../../task/schema.ts'
import type { Outcome } from '../../command/schema.ts'
import { table } from '../../output/rules.ts'

/** Whoever has only the id of a task wants to know whose it is. null: nobody's yet, and why. */
export type Of<T> = T & { readonly agent: string | null; readonly waits?: string | undefined }
type Brief = Of<Pick<TaskView, 'task_id' | 'state' | 'error' | 'left_processes'>>

const states: Readonly<Record<TaskState, string>> = {
  queued: 'is stored and has not begun',
  working: 'is being done',
  idle: 'has its answer, and stays open',
  cancelling: 'is being ended',
  cancelled: 'was cancelled',
  completed: 'is done',
  failed: 'has failed',
  interrupted: 'was interrupted',
}

const why = (error: TaskView['error']): string => {
  if (error === undefined) return '.'
  const { type, message, retryable, retry_at } = error
  const again = retryable ? ` It may be given again${retry_at ? `, not before ${retry_at}` : ''}.` : ''
  return ` (${type}): ${message.replace(/\.$/, '')}.${again}`
}

export const whose = ({ task_id, agent, waits = 'for an agent' }: Of<Pick<TaskView, 'task_id'>>): string =>
  agent === null ? `${task_id} waits ${waits}` : `${task_id} of ${agent}`

const remains = (left: TaskView['left_processes']): string =>
  left === undefined
    ? ''
    : ` Nothing could end these processes of it: ${left.map(({ pid, command }) => `${pid} (${oneLine(command, 80)})`).join(', ')}.`

/** How far it has come, in a sentence. */
export const sentence = ({ task_id, agent, state, error, left_processes: left, waits }: Brief): string => {
  if (waits !== undefined) return oneLine(`${task_id} waits ${waits}.`, 2000)
  const who = agent === null ? task_id : `${task_id} of ${agent}`
  return oneLine(`${who} ${states[state]}${why(error)}${remains(left)}`, 2000)
}

/** Nothing more comes of it by itself. */
export const isSettled = (task: Pick<TaskView, 'state'>): boolean => isFinal(task) || task.state === 'idle'

export const howToReturn = (id: string): string =>
  `\`agency task show ${id} --wait\` returns to it, \`agency task cancel ${id}\` ends it.`

/** What somebody is told who does not wait for it any more. */
export const leftLine = ({ task_id: id, state }: Pick<TaskView, 'task_id' | 'state'>): string =>
  state === 'cancelling'
    ? `${id} is being ended all the same. \`agency task show ${id} --wait\` returns to it.`
    : `${id} goes on. ${howToReturn(id)}`

export const howToGoOn = (id: string): string =>
  `${id} stays open: type \`agency task continue ${id} "…"\` or \`agency task end ${id}\`.`

/** What somebody who waited for it is told. */
export const outcome = (task: Of<TaskView>): Outcome => {
  const { state, output } = task
  const well = state === 'completed' || state === 'idle'
  const said = output === null || output === '' ? [] : [output]
  return {
    data: { task },
    lines: well && said.length > 0 ? said : [sentence(task), ...said],
    exit: well ? 0 : 1,
  }
}

const thousands = (count: number): string => (count < 1000 ? String(count) : `${(count / 1000).toFixed(1)}k`)

/** What it does just now, for one line. */
export const doing = (task: Of<TaskView>): string => {
  const { task_id, state, duration_seconds, progress, waits } = task
  if (waits !== undefined) return `${task_id} waits ${waits}`
  const { turns = 0, tool, tokens = 0, retry_at } = progress ?? {}
  return [
    `${task_id} ${state}`,
    ...(duration_seconds > 0 ? [span(duration_seconds * 1000)] : []),
    ...(turns > 0 ? [`turn ${turns}`] : []),
    ...(tokens > 0 ? [`${thousands(tokens)} tokens`] : []),
    ...(tool === undefined ? [] : [tool]),
    ...(retry_at === undefined ? [] : [`is tried again at ${retry_at}`]),
  ].join(', ')
}

/** Whose events tell of a task. */
export type Watched = { readonly task: string; readonly sessions: readonly string[] }

/** Whose they are from an event on; undefined = as before. */
export const watchedFrom = (
  { type, subject, data }: Event,
  { task, sessions }: Watched,
  sessionsOf: (agent: string) => readonly string[],
): Watched | undefined => {
  if (subject !== `task:${task}` || !['task.queued', 'task.changed'].includes(type)) return undefined
  const { agent, session } = data
  const more = [
    ...(typeof session === 'string' ? [session] : []),
    ...(typeof agent === 'string' ? sessionsOf(agent) : []),
  ].filter((each) => !sessions.includes(each))
  return more.length === 0 ? undefined : { task, sessions: [...sessions, ...more] }
}

const took = (ms: unknown): string => (typeof ms === 'number' ? ` (${(ms / 1000).toFixed(1)} s)` : '')

/** What an event says of it; undefined = nothing for people. */
export const lineOf = ({ type, subject, data }: Event, { task, sessions }: Watched): string | undefined => {
  if (subject === `task:${task}` && type === 'task.changed') return `  ${task} ${data.state}`
  if (!sessions.some((session) => subject === `session:${session}`)) return undefined
  const tool = oneLine(String(data.tool), 100)
  switch (type) {
    case 'session.called':
      return `  ${tool} …`
    case 'session.returned':
      return `  ${tool} ${data.ok === true ? 'is done' : 'has failed'}${took(data.ms)}`
    case 'session.refused':
      return `  refused: ${oneLine(String(data.reason), 200)}`
    default:
      return undefined
  }
}

export const pausedLine = (since: string): string =>
  `Paused since ${since}: tasks that wait for an agent are not begun. Type \`agency task unpause\`.`

export const tableOf = (tasks: readonly Of<TaskSummary>[]): string[] =>
  table([
    ['ID', 'AGENT', 'STATE', 'QUEUED', 'TOOK', 'COST', 'PROMPT'],
    ...tasks.map((task) => [
      task.task_id,
      task.agent ?? '-',
      task.error === undefined ? task.state : `${task.state} (${task.error.type})`,
      task.queued_at,
      task.started_at === null ? '-' : span(task.duration_seconds * 1000),
      task.cost_usd === undefined ? '-' : `$${task.cost_usd.toFixed(2)}`,
      oneLine(task.prompt_preview, 60),
    ]),
  ])

const factsOf = (task: Of<TaskDetails>): string[][] => {
  const { agent, session_id, queued_at, started_at, completed_at, duration_seconds, token_usage } = task
  return [
    ['agent', agent ?? 'none yet'],
    ['session', session_id],
    ['queued', queued_at],
    ...(started_at === null ? [] : [['started', started_at]]),
    ...(completed_at === null ? [] : [['ended', completed_at]]),
    ...(started_at === null ? [] : [['took', span(duration_seconds * 1000)]]),
    ...(token_usage === null ? [] : [['tokens', `${token_usage.input} in, ${token_usage.output} out`]]),
    ...(task.cost_usd === undefined ? [] : [['cost', `$${task.cost_usd.toFixed(2)}`]]),
  ]
}

const part = (title: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : ['', `${title}:`, ...lines]

/** All that is known of it. */
export const report = (task: Of<TaskDetails>): string[] => {
  const { progress, prompts, prompt_preview, log, output } = task
  return [
    sentence(task),
    ...(progress === undefined ? [] : [doing(task)]),
    ...table(factsOf(task)),
    ...part('Prompt', prompts.length > 0 ? prompts : [prompt_preview]),
    ...part('Did', log),
    ...part('Output', output === null || output === '' ? [] : [readable(output)]),
  ]
}
