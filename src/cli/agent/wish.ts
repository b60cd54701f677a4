// What somebody wants launched: everything that can be refused is refused here, before anything is made.
import { randomUUID } from 'node:crypto'
import { fail } from '../../base/error/fail.ts'
import { findRoot } from '../../config/root/find.ts'
import { problemLine } from '../../config/yaml/rules.ts'
import { isOver } from '../../registry/rules.ts'
import { undelegated } from '../../role/delegation/rules.ts'
import { type LoadedRole, loadRole } from '../../role/load.ts'
import { rootDirectory } from '../../role/rules.ts'
import type { Ask } from '../../session/prepare.ts'
import { programs } from '../../session/programs.ts'
import { componentsOf, lookFor } from '../host/ask.ts'
import type { Call } from '../io.ts'
import { checkName } from '../name.ts'
import { standing, where } from '../root/where.ts'
import { callerOf } from './ask.ts'
import { ownRole } from './own.ts'

export type Wish = {
  readonly root: string
  readonly name: string | undefined
  readonly pod: string | undefined
  readonly role: LoadedRole | undefined
  readonly taken: readonly string[]
  /** Whether a host is up, which then looks at everything itself. */
  readonly up: boolean
}

/** A person may launch anything; an agent what its role gives it. */
const refuseUndelegated = async ({ values, lists, rest, io }: Call, root: string): Promise<void> => {
  const { AGENCY_ACTOR: agent } = io.env
  const wanted = values.role
  if (!agent) return
  if (wanted === undefined) return fail('person_only', { command: 'agency run -- COMMAND', agent })
  const changed = (lists.override ?? []).length > 0 || rest.length > 0
  const why = undelegated({ own: await ownRole(io, root), wanted, changed })
  if (why !== undefined) fail('launch_not_delegated', { agent, why })
}

export const wishOf = async (call: Call): Promise<Wish> => {
  const { values, lists, io, warn } = call
  const given = values.name === undefined ? undefined : checkName('agent name', values.name)
  const named = values.pod ?? io.env.AGENCY_POD
  const pod = named ? checkName('pod name', named) : undefined
  const { directory: root } = await findRoot(where(io))
  await refuseUndelegated(call, root)
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

export const directoryOf = ({ io }: Call, { root, role }: Pick<Wish, 'root' | 'role'>): string => {
  const cwd = standing(io)
  return role === undefined ? cwd : rootDirectory(role.role.root_dir, { cwd, root, home: where(io).home })
}

export const askOf = ({ io, rest }: Call, { root, name, pod, role, taken }: Wish): Ask => ({
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
