import { fail } from '../../base/error/fail.ts'
import { agentsOf, hostFor } from '../agent/ask.ts'
import { type Components, componentsOf } from '../host/ask.ts'
import { checkName } from '../name.ts'
import { whenReady } from '../patience.ts'
import { type Asker, askRole } from './ask.ts'
import { chooseFrom, takesTasks } from './choice/rules.ts'

const withRole = async (asker: Asker, all: Components, role: string): Promise<Components> => {
  const able = all.filter(takesTasks)
  const roles = await Promise.all(able.map(({ name }) => askRole(asker, name)))
  return able.filter((_, at) => roles[at] === role)
}

/** Those that the task may go to, in the order to try them. */
export const agentsFor = async (asker: Asker): Promise<readonly string[]> => {
  const { root, line } = asker
  const { agent } = line.values
  if (agent !== undefined) return [checkName('agent name', agent)]
  const role = line.values.role === undefined ? undefined : checkName('role name', line.values.role)
  return whenReady(async () => {
    const client = await hostFor(root, line)
    // First: a host that has just started finds its agents again before it answers this.
    await agentsOf(client)
    const all = await componentsOf(client)
    const choice =
      role === undefined
        ? chooseFrom(all, 'agent that takes tasks')
        : chooseFrom(await withRole(asker, all, role), `agent with the role "${role}" that takes tasks`)
    if (choice.kind === 'early') return fail('not_ready', { what: `agents/${choice.name}` })
    if (choice.kind === 'none') return fail('nobody_free', { why: choice.why })
    const { names } = choice
    if (role === undefined && names.length > 1)
      fail('missing_argument', {
        command: 'agency task run',
        what: `--agent or --role: ${names.join(', ')} are all free`,
        hint: `Type --agent ${names[0]}, or the name of another.`,
      })
    return names
  })
}
