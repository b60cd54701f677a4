// What a launch of a pod would come to, without making anything.
import { randomUUID } from 'node:crypto'
import { AgencyError } from '../../base/error/fail.ts'
import type { Client } from '../../client/call.ts'
import type { PodMember } from '../../pod/schema.ts'
import { loadRole } from '../../role/load.ts'
import { rootDirectory } from '../../role/rules.ts'
import { prepare } from '../../session/prepare.ts'
import { programs } from '../../session/programs.ts'
import { callerOf } from '../agent/ask.ts'
import { checkGround } from '../agent/ground.ts'
import type { Call } from '../io.ts'
import { standing as here, where } from '../root/where.ts'
import { attempted, presentAgents, takenNames } from './present.ts'
import { type Result, standing } from './rules.ts'

type Ground = { readonly root: string; readonly taken: readonly string[] }

const plan = async ({ io }: Call, { root, taken }: Ground, member: PodMember): Promise<void> => {
  const { name, role, pod, overrides } = member
  const loaded = await loadRole(root, role, { pod: true, overrides })
  const prepared = await prepare({
    root,
    caller: { ...callerOf(io), home: where(io).home, uid: process.getuid?.() ?? -1 },
    taken: () => taken,
    start: { kind: 'new', id: randomUUID() },
    name,
    pod,
    what: { role: loaded, extra: [] },
    scripted: programs().scripted,
    at: new Date().toISOString(),
  })
  prepared.plan()
  const places = { cwd: here(io), root, home: where(io).home }
  const directory = rootDirectory(loaded.role.root_dir, places)
  await checkGround({ root, agent: name, directory, role: loaded.role })
}

const rehearseOne = async (call: Call, ground: Ground, member: PodMember): Promise<Result> => {
  const { name, role, overrides } = member
  try {
    await plan(call, ground, member)
  } catch (error) {
    const harmless =
      call.flags.has('dry-run') && error instanceof AgencyError && error.code === 'claude_missing'
    // As for `agency run`: a look must not fail for it.
    if (!harmless) throw error
    call.warn(`${name}: ${error.message}`)
  }
  return { name, role, result: 'would launch', text: [`role ${role}`, ...overrides].join(', ') }
}

export const rehearse = async (
  call: Call,
  root: string,
  client: Client | undefined,
  members: readonly PodMember[],
): Promise<readonly Result[]> => {
  const present = await presentAgents(root, client)
  const taken = client === undefined ? [] : await takenNames(client)
  const foresee = (member: PodMember) => attempted(member, () => rehearseOne(call, { root, taken }, member))
  return Promise.all(members.map(async (member) => standing(member, present) ?? foresee(member)))
}
