// Launching an agent: everything that can be refused is refused here, before anything is made.
import { fail } from '../../base/error/fail.ts'
import { layout } from '../../config/layout/rules.ts'
import { findRoot } from '../../config/root/find.ts'
import { problemLine } from '../../config/yaml/rules.ts'
import { isOver } from '../../registry/rules.ts'
import { loadRole } from '../../role/load.ts'
import { rootDirectory } from '../../role/rules.ts'
import { componentsOf, lookFor } from '../host/ask.ts'
import type { Call, Handler } from '../io.ts'
import { checkName } from '../name.ts'
import { table } from '../output/rules.ts'
import { standing, where } from '../root/where.ts'

type Plan = {
  readonly name: string
  readonly role: string
  readonly lineage: readonly string[]
  readonly pod: string | undefined
  readonly directory: string
  readonly worktree: string | undefined
  readonly overrides: Readonly<Record<string, string>>
  readonly args: readonly string[]
}

const refuseTaken = async (call: Call, name: string): Promise<void> => {
  const { client } = await lookFor(call)
  const components = client === undefined ? [] : await componentsOf(client)
  if (components.some((each) => each.type === 'agent' && each.name === name && !isOver(each.state))) {
    fail('name_in_use', { name })
  }
}

/** What is known of a launch before it happens. */
const planOf = async (call: Call, wanted: string): Promise<Plan> => {
  const { values, lists, rest, io, warn } = call
  const given = values.name === undefined ? undefined : checkName('agent name', values.name)
  const named = values.pod ?? io.env.AGENCY_POD
  const pod = named ? checkName('pod name', named) : undefined
  const from = where(io)
  const { directory: root } = await findRoot(from)
  const overrides = lists.override ?? []
  const loaded = await loadRole(root, wanted, { pod: pod !== undefined, overrides })
  for (const warning of loaded.warnings) warn(problemLine(warning, root))
  const { role } = loaded
  const name = given ?? checkName('agent name', role.name)
  await refuseTaken(call, name)
  return {
    name,
    role: role.name,
    lineage: loaded.lineage.map((each) => `${each.name} (${each.file})`),
    pod: pod ?? role.pod,
    directory: rootDirectory(role.root_dir, { cwd: standing(io), root, home: from.home }),
    worktree: role.worktree.enabled ? `${layout(root).worktrees}/${name}` : undefined,
    overrides: loaded.overrides,
    args: rest,
  }
}

const linesOf = (plan: Plan): string[] =>
  table([
    ['agent', plan.name],
    ['role', plan.lineage.join(' ← ')],
    ['pod', plan.pod ?? '-'],
    [
      'works in',
      plan.worktree === undefined ? plan.directory : `${plan.worktree} (a worktree of ${plan.directory})`,
    ],
    ...Object.entries(plan.overrides).map(([key, value]) => ['override', `${key}=${value}`]),
    ...(plan.args.length === 0 ? [] : [['arguments', plan.args.join(' ')]]),
  ])

export const run: Handler = async (call) => {
  const { values, flags, rest, warn } = call
  if (process.getuid?.() === 0)
    warn('you are root: Claude refuses to skip permissions as root, so some roles cannot run.')
  const hint = 'Type `agency role list` to see the roles.'
  if (values.role === undefined && rest.length === 0) {
    fail('missing_argument', { command: 'agency run', what: '--role, or a command after --', hint })
  }
  if (values.role === undefined) {
    if (values.name !== undefined) checkName('agent name', values.name)
    return fail('not_yet', { what: 'Launching a command without a role', see: hint })
  }
  const plan = await planOf(call, values.role)
  if (!flags.has('dry-run')) {
    const see = 'Add --dry-run to see what is known of the launch.'
    fail('not_yet', { what: `Launching the agent "${plan.name}"`, see })
  }
  return { data: { plan }, lines: [...linesOf(plan), 'Nothing was started (--dry-run).'] }
}
