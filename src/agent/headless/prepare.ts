// What an attempt of a headless agent needs to know besides its task: its role, its program, its credentials.
import { fail } from '../../base/error/fail.ts'
import { claude } from '../../driver/claude/driver.ts'
import { findClaude } from '../../driver/claude/find.ts'
import type { Driver } from '../../driver/driver.ts'
import { loadRole } from '../../role/load.ts'
import type { Role } from '../../role/schema.ts'
import type { Model } from '../../sandbox/relay/schema.ts'
import type { Environment } from '../../session/plan/schema.ts'
import { credentialsOf, loginFor, wallsFor } from '../../session/prepare.ts'
import { roleOf, type TaskFacts } from '../../task/plan/rules.ts'
import type { AgentFile } from '../schema.ts'

export type Found = { readonly program: string; readonly driver: Driver }

/** What the scripted agent claims to be. */
const scriptedVersion = '2.1.325 (Claude Code)'

/** Read anew for each attempt: what was changed counts from the next one on. */
export const roleFor = async (root: string, file: AgentFile): Promise<Role> => {
  const { role } = await loadRole(root, file.role ?? 'actor', { pod: file.pod !== undefined })
  return roleOf(file, role)
}

export const programFor = async (
  { agent_type, name }: Role,
  { env, scripted }: { readonly env: Environment; readonly scripted: string },
): Promise<Found> => {
  if (agent_type === 'claude') return findClaude(env)
  if (agent_type === 'scripted') return { program: scripted, driver: claude(scriptedVersion) }
  return fail('role_not_taskable', { role: name })
}

/** Looked for once, and again when a role wants another one. */
export const programsOf = (around: Parameters<typeof programFor>[1]): ((role: Role) => Promise<Found>) => {
  let found: { readonly type: Role['agent_type']; readonly program: Promise<Found> } | undefined
  return (role) => {
    if (found?.type === role.agent_type) return found.program
    const program = programFor(role, around)
    found = { type: role.agent_type, program }
    // One that was not found may have been installed meanwhile.
    program.catch(() => {
      found = undefined
    })
    return program
  }
}

type Known = Pick<
  TaskFacts,
  'root' | 'agent' | 'role' | 'program' | 'env' | 'cwd' | 'prompt' | 'instructions'
> &
  Pick<TaskFacts, 'model' | 'taskEnv' | 'maxCostUsd' | 'counted' | 'switched'> & {
    readonly file: AgentFile
    readonly session: string
    /** Its conversation has begun. */
    readonly resumes: boolean
  }

export type Prepared = {
  readonly facts: Omit<TaskFacts, 'keeper' | 'state' | 'driver'>
  /** Where the relay of its walls finds the model. */
  readonly model?: Model | undefined
}

export const factsFor = async ({ file, session, resumes, ...known }: Known): Promise<Prepared> => {
  const { root, role, env } = known
  const { credentials, login } = await loginFor(role, await credentialsOf(root, role), { env })
  return {
    facts: {
      ...known,
      pod: file.pod,
      maxTurns: file.claude.max_turns,
      uid: process.getuid?.() ?? -1,
      credentials,
      login: login.variables,
      sandbox: await wallsFor(role),
      start: { kind: resumes ? 'resume' : 'new', id: session },
      scenario: role.command[0] ?? env.AGENCY_SCENARIO,
    },
    model: login.model,
  }
}
