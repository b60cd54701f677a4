// `agency role switch`: another role for an agent, after a question where that interrupts something.
import { userInfo } from 'node:os'
import type { agent as api } from '../../agent/api.ts'
import { AgencyError } from '../../base/error/fail.ts'
import { printable } from '../../base/text/rules.ts'
import { call as ask } from '../../client/call.ts'
import { below, type Reply, route } from '../../client/route.ts'
import { findRoot } from '../../config/root/find.ts'
import { hostFor } from '../agent/ask.ts'
import { confirmed } from '../approval/confirm.ts'
import type { Call, Handler } from '../io.ts'
import { checkName } from '../name.ts'
import { throughLoss } from '../patience.ts'
import { where } from '../root/where.ts'

const put = route<typeof api.role>('PUT', '/role')

type Switched = Reply<typeof api.role>

const told = ({ agent, from, to, when }: Switched): string => {
  if (from === to) return `"${agent}" is ${to} already.`
  if (when === 'now') return `"${agent}" goes on as ${to}; it was ${from}.`
  return when === 'task'
    ? `"${agent}" is ${to} from its next task on; it was ${from}.`
    : `"${agent}" does not run: it is ${to} once you type \`agency session resume ${agent}\`; it was ${from}.`
}

/** Only where a person can answer; otherwise the refusal says what to type. */
const agrees = async (call: Call, error: unknown): Promise<boolean> => {
  if (!(error instanceof AgencyError) || error.code !== 'switch_interrupts' || !call.io.stdin.isTTY)
    return false
  call.io.stderr.write(`${error.message}\n${error.problems.map((each) => `  ${printable(each)}\n`).join('')}`)
  return confirmed(call, 'Interrupt that?')
}

export const run: Handler = async (call) => {
  const agent = checkName('agent name', call.values.agent ?? '')
  const role = checkName('role name', call.values.role ?? '')
  const { directory: root } = await findRoot(where(call.io))
  const by = userInfo().username
  const change = (confirm: boolean): Promise<Switched> =>
    // Asked twice it is the same: a host that starts again has gone on with it.
    throughLoss(async () =>
      ask(await hostFor(root, call), below(`agents/${agent}`, put), { body: { role, by, confirm } }),
    )
  call.progress(`switching "${agent}" to ${role} …`)
  const switched = await change(call.flags.has('yes')).catch(async (error: unknown) => {
    if (await agrees(call, error)) return change(true)
    throw error
  })
  const { warnings, ...data } = switched
  return { data, lines: [told(switched)], warnings }
}
