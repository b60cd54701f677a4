// `agency run`: launches an agent from a role, or a command without one.
import { fail } from '../../base/error/fail.ts'
import { prepare } from '../../session/prepare.ts'
import type { Handler } from '../io.ts'
import { askLaunch, callerOf, hostFor } from './ask.ts'
import { dryRun } from './dry.ts'
import { checkGround } from './ground.ts'
import { afterLaunch } from './launched.ts'
import { askOf, directoryOf, wishOf } from './wish.ts'

export const run: Handler = async (call) => {
  const { values, lists, flags, rest, warn, io } = call
  if (process.getuid?.() === 0)
    warn('you are root: Claude refuses to skip permissions as root, so some roles cannot run.')
  if (values.role === undefined && rest.length === 0) {
    const hint = 'Type `agency role list` to see the roles.'
    fail('missing_argument', { command: 'agency run', what: '--role, or a command after --', hint })
  }
  if (values.role === undefined && lists.override !== undefined) {
    const hint = 'An override changes a role: name it with --role.'
    fail('unexpected_argument', { command: 'agency run', what: '--override without --role', hint })
  }
  const wish = await wishOf(call)
  if (flags.has('dry-run')) return dryRun(call, wish)
  const { root, name, pod } = wish
  // No host is started for a launch that it would refuse.
  if (!wish.up) {
    const { agent } = (await prepare(askOf(call, wish))).plan()
    await checkGround({ root, agent, directory: directoryOf(call, wish), role: wish.role?.role })
  }
  const client = await hostFor(root, call)
  call.progress(`launching ${name === undefined ? rest[0] : `"${name}"`} …`)
  const what =
    values.role === undefined
      ? { command: [...rest] }
      : { role: values.role, args: [...rest], overrides: [...(lists.override ?? [])] }
  const launched = await askLaunch(client, {
    ...callerOf(io),
    ...what,
    ...(name === undefined ? {} : { name }),
    ...(pod === undefined ? {} : { pod }),
  })
  return afterLaunch(call, launched)
}
