// What follows a launch: a seat at the agent's terminal, or the truth about it.
import { attachTo, hasTerminal } from '../attach/attach.ts'
import type { Outcome } from '../command/schema.ts'
import type { Call } from '../io.ts'
import type { Launched } from './ask.ts'

/** Said by this command itself, before it asks the host. */
const said = /^you are root/

export const afterLaunch = async (call: Call, { agent, warnings }: Launched): Promise<Outcome> => {
  for (const warning of warnings) if (!said.test(warning)) call.warn(warning)
  if (!call.flags.has('detach') && !call.json && hasTerminal(call.io)) return attachTo(call, agent.name)
  const role = agent.role === undefined ? 'without a role' : `role ${agent.role}`
  return {
    data: { agent },
    lines: [
      `The agent "${agent.name}" is up (${role}, ${agent.text}, pid ${agent.pid}).`,
      `Type \`agency attach ${agent.name}\` to sit down at its terminal.`,
    ],
  }
}
