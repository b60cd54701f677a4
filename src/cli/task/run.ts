// `agency task run`: gives an agent a task. Stored when this ends, whatever becomes of the host.
import { randomUUID } from 'node:crypto'
import { AgencyError, fail } from '../../base/error/fail.ts'
import { findRoot } from '../../config/root/find.ts'
import type { TaskRequest, TaskView } from '../../task/api.ts'
import type { Call, Handler } from '../io.ts'
import { where } from '../root/where.ts'
import { type Asker, askGive, askKnown } from './ask.ts'
import { agentsFor } from './choose.ts'
import { refuseUndelegated } from './delegated.ts'
import { checked, promptOf } from './prompt.ts'
import { requestOf } from './request/rules.ts'
import { howToReturn, type Of, sentence } from './told/rules.ts'
import { awaited } from './wait.ts'

const command = 'agency task run'

const check = ({ values, lists, io }: Call): void => {
  const refuse = (what: string, hint: string): never => fail('unexpected_argument', { command, what, hint })
  if (values.agent !== undefined && values.role !== undefined)
    refuse('--role together with --agent', 'Leave one of them out.')
  // Given again it could go to another agent, and be another task.
  if (values.key !== undefined && values.agent === undefined)
    refuse('--key without --agent', 'A key belongs to an agent: name it.')
  const actor = io.env.AGENCY_ACTOR
  if (actor && (values.model ?? lists.env) !== undefined)
    fail('person_only', {
      command: `${command} --${values.model === undefined ? 'env' : 'model'}`,
      agent: actor,
    })
}

type Given = Of<Pick<TaskView, 'task_id' | 'session_id' | 'state'>>

/** To the first that takes it: one that was free may have got another task meanwhile. */
const giveTo = async (
  asker: Asker,
  [agent = '', ...others]: readonly string[],
  body: TaskRequest & { idempotency_key: string },
): Promise<Given> => {
  try {
    await refuseUndelegated(asker, agent)
    const { status: state, ...given } = await askGive(asker, agent, body)
    return { agent, ...given, state }
  } catch (error) {
    if (!(error instanceof AgencyError) || error.code !== 'agent_busy' || others.length === 0) throw error
    return giveTo(asker, others, body)
  }
}

export const run: Handler = async (call) => {
  check(call)
  const { values, flags, io } = call
  const request = checked(requestOf(call, io.env), command)
  const prompt = await promptOf(call)
  const { directory: root } = await findRoot(where(io))
  const asker = { root, line: call }
  const agents = await agentsFor(asker)
  const follows = flags.has('follow')
  const known = follows ? await askKnown(asker) : { seq: 0, sessionsOf: () => [] }
  const task = await giveTo(asker, agents, {
    ...request,
    prompt,
    idempotency_key: values.key ?? randomUUID(),
  })
  if (follows || flags.has('wait')) return awaited(asker, { task, known })
  call.progress(howToReturn(task.task_id))
  return { data: { task }, lines: [sentence(task)] }
}
