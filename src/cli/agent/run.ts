// Launching an agent: everything that can be refused is refused here, before anything is made.
import { randomUUID } from 'node:crypto'
import { AgencyError, fail } from '../../base/error/fail.ts'
import { layout } from '../../config/layout/rules.ts'
import { findRoot } from '../../config/root/find.ts'
import { problemLine } from '../../config/yaml/rules.ts'
import { isOver } from '../../registry/rules.ts'
import { type LoadedRole, loadRole } from '../../role/load.ts'
import { rootDirectory } from '../../role/rules.ts'
import { shownPlan } from '../../session/plan/shown/rules.ts'
import { type Ask, prepare } from '../../session/prepare.ts'
import { programs } from '../../session/programs.ts'
import type { Outcome } from '../command/schema.ts'
import { componentsOf, lookFor } from '../host/ask.ts'
import type { Call, Handler } from '../io.ts'
import { checkName } from '../name.ts'
import { table } from '../output/rules.ts'
import { standing, where } from '../root/where.ts'
import { askLaunch, callerOf, hostFor } from './ask.ts'
import { afterLaunch } from './launched.ts'

type Wish = {
  readonly root: string
  readonly name: string | undefined
  readonly pod: string | undefined
  readonly role: LoadedRole | undefined
  readonly taken: readonly string[]
  /** Whether a host is up, which then looks at everything itself. */
  readonly up: boolean
}

const wishOf = async (call: Call): Promise<Wish> => {
  const { values, lists, io, warn } = call
  const given = values.name === undefined ? undefined : checkName('agent name', values.name)
  const named = values.pod ?? io.env.AGENCY_POD
  const pod = named ? checkName('pod name', named) : undefined
  const { directory: root } = await findRoot(where(io))
  const overrides = lists.override ?? []
  const wanted = values.role
  const role =
    wanted === undefined ? undefined : await loadRole(root, wanted, { pod: pod !== undefined, overrides })
  for (const warning of role?.warnings ?? []) warn(problemLine(warning, root))
  const name = given ?? (role && checkName('agent name', role.role.name))
  const { client } = await lookFor(call)
  const components = client === undefined ? [] : await componentsOf(client)
  const taken = components
    .filter(({ type, state }) => type === 'agent' && !isOver(state))
    .map((each) => each.name)
  if (name !== undefined && taken.includes(name)) fail('name_in_use', { name })
  return { root, name, pod, role, taken, up: client !== undefined }
}

const askOf = ({ io, rest }: Call, { root, name, pod, role, taken }: Wish): Ask => ({
  root,
  caller: { ...callerOf(io), home: where(io).home, uid: process.getuid?.() ?? -1 },
  taken: () => taken,
  start: { kind: 'new', id: randomUUID() },
  name,
  pod,
  what: role === undefined ? { command: rest } : { role, extra: rest },
  scripted: programs().scripted,
  at: new Date().toISOString(),
})

/** What would be started; undefined where Claude Code is missing, which a look must not fail for. */
const wouldStart = async (call: Call, wish: Wish) => {
  try {
    return shownPlan((await prepare(askOf(call, wish))).plan())
  } catch (error) {
    if (!(error instanceof AgencyError) || error.code !== 'claude_missing') throw error
    call.warn(error.message)
    return undefined
  }
}

const dryRun = async (call: Call, wish: Wish): Promise<Outcome> => {
  const { root, role, pod } = wish
  const launch = await wouldStart(call, wish)
  const name = launch?.agent ?? wish.name ?? ''
  const cwd = standing(call.io)
  const places = { cwd, root, home: where(call.io).home }
  const directory = role === undefined ? cwd : rootDirectory(role.role.root_dir, places)
  const worktree = role?.role.worktree.enabled ? `${layout(root).worktrees}/${name}` : undefined
  const overrides = role?.overrides ?? {}
  const lineage = (role?.lineage ?? []).map((each) => `${each.name} (${each.file})`)
  const plan = {
    name,
    role: role?.role.name,
    lineage,
    pod: pod ?? role?.role.pod,
    directory,
    worktree,
    overrides,
    args: call.rest,
    launch,
  }
  const lines = table([
    ['agent', name],
    ['role', lineage.join(' ← ') || '-'],
    ['pod', plan.pod ?? '-'],
    ['works in', worktree === undefined ? directory : `${worktree} (a worktree of ${directory})`],
    ...Object.entries(overrides).map(([key, value]) => ['override', `${key}=${value}`]),
    ...(call.rest.length === 0 ? [] : [['arguments', call.rest.join(' ')]]),
  ])
  return { data: { plan }, lines: [...lines, 'Nothing was started (--dry-run).'] }
}

export const run: Handler = async (call) => {
  const { values, flags, rest, warn, io } = call
  if (process.getuid?.() === 0)
    warn('you are root: Claude refuses to skip permissions as root, so some roles cannot run.')
  if (values.role === undefined && rest.length === 0) {
    const hint = 'Type `agency role list` to see the roles.'
    fail('missing_argument', { command: 'agency run', what: '--role, or a command after --', hint })
  }
  // An agent must not launch something that nobody supervises.
  const agent = io.env.AGENCY_ACTOR
  if (values.role === undefined && agent) fail('person_only', { command: 'agency run -- COMMAND', agent })
  const wish = await wishOf(call)
  if (flags.has('dry-run')) return dryRun(call, wish)
  const { root, name, pod } = wish
  // No host is started for a launch that it would refuse.
  if (!wish.up) (await prepare(askOf(call, wish))).plan()
  const client = await hostFor(root, call)
  call.progress(`launching ${name === undefined ? rest[0] : `"${name}"`} …`)
  const what =
    values.role === undefined
      ? { command: [...rest] }
      : { role: values.role, args: [...rest], overrides: [...(call.lists.override ?? [])] }
  const launched = await askLaunch(client, {
    ...callerOf(io),
    ...what,
    ...(name === undefined ? {} : { name }),
    ...(pod === undefined ? {} : { pod }),
  })
  return afterLaunch(call, launched)
}
