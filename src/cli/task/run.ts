// `agency task run`: gives an agent a task, or lets it wait for one. Stored when this ends, whatever becomes of the host.
import { randomUUID } from 'node:crypto'
import { fail } from '../../base/error/fail.ts'
import { findRoot } from '../../config/root/find.ts'
import type { FoundTask, TaskRequest, TaskView } from '../../task/api.ts'
import type { Call, Handler } from '../io.ts'
import { checkName } from '../name.ts'
import { where } from '../root/where.ts'
import { type Asker, askGive, askKnown, askQueue, giverOf } from './ask.ts'
import { checked, promptOf } from './prompt.ts'
import { queuedOf, requestOf, waitsInQueue } from './request/rules.ts'
import { howToReturn, type Of, sentence } from './told/rules.ts'
import { awaited } from './wait.ts'

const command = 'agency task run'

/** What an agent must not say of a task that it delegates. */
const personal = ['model', 'env', 'priority'] as const

const check = (call: Call): void => {
  const { values, lists, io } = call
  const refuse = (what: string, hint: string): never => fail('unexpected_argument', { command, what, hint })
  for (const option of ['role', 'pod', 'label'])
    if (values.agent !== undefined && (values[option] ?? lists[option]) !== undefined)
      refuse(`--${option} together with --agent`, 'Leave one of them out.')
  if (lists.env !== undefined && waitsInQueue(call))
    refuse(
      values.agent === undefined ? '--env without --agent' : '--env for a task that may wait',
      'It is never stored, so the task cannot wait: name an agent that is free.',
    )
  const actor = io.env.AGENCY_ACTOR
  const option = personal.find((name) => (values[name] ?? lists[name]) !== undefined)
  if (actor && option !== undefined) fail('person_only', { command: `${command} --${option}`, agent: actor })
  if (values.agent !== undefined) checkName('agent name', values.agent)
}

type Given = Of<Pick<TaskView, 'task_id' | 'state'>> & Partial<Pick<FoundTask, 'session_id' | 'waits'>>

const clock = () => ({ now: Date.now(), parse: Date.parse, iso: (at: number) => new Date(at).toISOString() })

const give = async (
  asker: Asker,
  body: TaskRequest & { readonly idempotency_key: string },
): Promise<Given> => {
  const { line } = asker
  const { agent } = line.values
  if (agent !== undefined && !waitsInQueue(line)) {
    const { status: state, ...given } = await askGive(asker, agent, body)
    return { agent, ...given, state }
  }
  const wanted = checked(queuedOf(line, clock()), command)
  const { env: _env, ...queueable } = body
  const { status: state, ...given } = await askQueue(asker, { ...queueable, ...wanted })
  return { agent: null, ...given, state }
}

export const run: Handler = async (call) => {
  check(call)
  const { values, flags, io } = call
  const request = checked(requestOf(call, io.env), command)
  // What is typed wrong starts no host.
  checked(queuedOf(call, clock()), command)
  const prompt = await promptOf(call)
  const { directory: root } = await findRoot(where(io))
  const asker = { root, line: call }
  const follows = flags.has('follow')
  const known = follows ? await askKnown(asker) : { seq: 0, sessionsOf: () => [] }
  const key = values.key ?? randomUUID()
  const task = await give(asker, { ...request, ...giverOf(call), prompt, idempotency_key: key })
  if (follows || flags.has('wait')) return awaited(asker, { task, known })
  call.progress(howToReturn(task.task_id))
  return { data: { task }, lines: [sentence(task)] }
}
