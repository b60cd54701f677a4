// Gathers what a plan needs to know and plans. Nothing is made: what cannot be launched is refused here.
import { realpath } from 'node:fs/promises'
import { fail } from '../base/error/fail.ts'
import { readText } from '../base/file/read.ts'
import { readCredential } from '../config/credential/keep.ts'
import { credentialName } from '../config/credential/schema.ts'
import { claude } from '../driver/claude/driver.ts'
import { findClaude } from '../driver/claude/find.ts'
import type { Driver } from '../driver/driver.ts'
import type { Order, Start } from '../driver/schema.ts'
import { needsWalls } from '../permission/tool/rules.ts'
import type { LoadedRole } from '../role/load.ts'
import { rootDirectory } from '../role/rules.ts'
import type { Role } from '../role/schema.ts'
import { type Login, loginOf } from '../sandbox/env/rules.ts'
import { findBuilder } from '../sandbox/find.ts'
import { networkOf } from '../sandbox/policy/rules.ts'
import type { Model } from '../sandbox/relay/schema.ts'
import { roleRefusals } from './plan/refusal/rules.ts'
import { asksForWalls, planCommand, planRole } from './plan/rules.ts'
import type { Environment, Plan, PlanFacts, Planned, Refusal } from './plan/schema.ts'

/** Who asks, from where, with which environment. */
export type Caller = {
  readonly cwd: string
  readonly home: string
  readonly uid: number
  readonly env: Environment
}

export type Ask = {
  readonly root: string
  readonly caller: Caller
  /** Names of agents that live. */
  readonly taken: () => readonly string[]
  readonly start: Start
  readonly name?: string | undefined
  readonly pod?: string | undefined
  readonly what:
    | { readonly role: LoadedRole; readonly extra: readonly string[] }
    | { readonly command: readonly string[] }
  /** It begins as a copy of this conversation, and its tree at this commit. */
  readonly fork?: { readonly session: string; readonly commit?: string | undefined } | undefined
  /** The conversation had another role before. */
  readonly switched?: true | undefined
  /** The program that behaves like Claude Code. */
  readonly scripted: string
  /** ISO. */
  readonly at: string
}

export type Prepared = {
  readonly start: Start
  readonly home: string
  /** The environment that it was planned from: for the keeper's memory. */
  readonly caller: Environment
  /** For the relay of walls: holds the key, so it is in no plan. */
  readonly model?: Model | undefined
  /** Absent for an unmanaged agent. */
  readonly driver?: Driver
  /** The plan, with its keeper's address once that is known. */
  readonly plan: (known?: { readonly keeper: Order['keeper']; readonly state: unknown }) => Plan
}

/** What the scripted agent claims to be. */
const scriptedVersion = '2.1.325 (Claude Code)'

/** Stands in the plan until there is a keeper. */
const nobody: Order['keeper'] = {
  hookUrl: 'http://127.0.0.1:0/hook',
  telemetryUrl: 'http://127.0.0.1:0',
  hookToken: '',
  telemetryToken: '',
  hookCommand: 'agency hook',
}

/** The system names a directory without its links, and so does the CLI: trust is given to that name. */
const resolved = (path: string): Promise<string> =>
  // One that is not there is refused by whoever has to use it, with the reason.
  realpath(path).catch(() => path)

type Walls = PlanFacts['sandbox']

const refuse = (agent: string, refusals: readonly Refusal[], walls?: Walls): never => {
  if (refusals.some(({ code }) => code === 'name_in_use')) fail('name_in_use', { name: agent })
  const problems = refusals.map(({ text }) => text)
  if (walls?.why !== undefined && refusals.every(({ code }) => code === 'sandbox_missing'))
    fail('sandbox_error', { agent, why: walls.why, fix: walls.fix ?? '', problems })
  return fail('launch_refused', { agent, problems })
}

const accept = (planned: Planned, agent: string): Plan =>
  'plan' in planned ? planned.plan : refuse(agent, planned.refusals)

export const credentialsOf = async (
  root: string,
  { credentials, agent_type }: Role,
): Promise<Environment> => {
  const names = [...credentials, ...(agent_type === 'claude' ? ['claude-token'] : [])]
  const read = names.map(async (name): Promise<[string, string][]> => {
    const { data } = credentialName.safeParse(name)
    const value = data === undefined ? undefined : await readCredential(root, data)
    return value === undefined ? [] : [[name, value]]
  })
  return Object.fromEntries((await Promise.all(read)).flat())
}

/** Not looked for where nobody asks: that would start programs for every launch. */
export const wallsFor = async (role: Role): Promise<Walls> => {
  if (!asksForWalls(role) && !needsWalls(role.capabilities)) return { available: false }
  const found = await findBuilder()
  return 'path' in found ? { available: true } : { available: false, why: found.cause, fix: found.fix }
}

/** Within walls the login goes its own way: to a relay where there is one, and never as a credential. */
export const loginFor = async (role: Role, stored: Environment, { env }: Pick<Caller, 'env'>) => {
  const none: Login = { variables: {} }
  if (!asksForWalls(role)) return { walled: false, credentials: stored, login: none }
  const { 'claude-token': token, ...credentials } = stored
  if (role.agent_type === 'command') return { walled: true, credentials, login: none }
  const login = loginOf(env, token, networkOf(role.sandbox ?? {}))
  const file = env.NODE_EXTRA_CA_CERTS ?? ''
  const read =
    login.model === undefined || file === '' ? undefined : await readText(file, { limit: 4 * 1024 * 1024 })
  const ca = read !== undefined && 'text' in read ? { ca: read.text } : {}
  return {
    walled: true,
    credentials,
    login: { ...login, ...(login.model && { model: { ...login.model, ...ca } }) },
  }
}

const programOf = async (
  { agent_type, command }: Role,
  { caller, scripted }: Ask,
): Promise<{ program: string; driver: Driver }> => {
  if (agent_type === 'claude') return findClaude(caller.env)
  const program = agent_type === 'scripted' ? scripted : (command[0] ?? '')
  return { program, driver: claude(scriptedVersion) }
}

/** Only the scripted agent is told what to say; the driver itself drops everything of ours. */
const withScenario = (plan: Plan, role: Role, { env }: Caller): Plan => {
  const scenario = role.command[0] ?? env.AGENCY_SCENARIO
  if (role.agent_type !== 'scripted' || scenario === undefined) return plan
  return { ...plan, launch: { ...plan.launch, env: { ...plan.launch.env, AGENCY_SCENARIO: scenario } } }
}

const prepareRole = async (ask: Ask, loaded: LoadedRole, extra: readonly string[]): Promise<Prepared> => {
  const { start, name, pod, fork, switched } = ask
  const root = await resolved(ask.root)
  const cwd = await resolved(ask.caller.cwd)
  const places = { root, cwd, home: ask.caller.home }
  const { root_dir, worktree } = loaded.role
  const role = {
    ...loaded.role,
    root_dir: await resolved(rootDirectory(root_dir, places)),
    worktree: { ...worktree, branch_from: fork?.commit ?? worktree.branch_from },
  }
  const stored = await credentialsOf(root, role)
  const { walled, credentials, login } = await loginFor(role, stored, ask.caller)
  const known = { uid: ask.caller.uid, sandbox: await wallsFor(role), credentials }
  // Before the program is looked for: installing it would not help.
  const wrong = roleRefusals(role, known)
  if (wrong.length > 0) refuse(name ?? role.name, wrong, known.sandbox)
  const found = await programOf(role, ask)
  const facts: Omit<PlanFacts, 'keeper' | 'state' | 'taken'> = {
    ...places,
    ...found,
    ...known,
    ...(walled ? { model: login.variables } : {}),
    env: ask.caller.env,
    start,
    at: ask.at,
  }
  const request = {
    role,
    ...(name === undefined ? {} : { name }),
    ...(pod === undefined ? {} : { pod }),
    overrides: loaded.overrides,
    extra,
    ...(switched ? { switched } : {}),
    ...(fork === undefined ? {} : { forkedFrom: fork.session }),
  }
  const plan: Prepared['plan'] = (told) => {
    // Its own name is taken from the first plan on: it is the one that has it.
    const taken = told === undefined ? ask.taken() : []
    const planned = planRole({ ...request, facts: { ...facts, keeper: nobody, ...told, taken } })
    return withScenario(accept(planned, name ?? role.name), role, ask.caller)
  }
  const driver = role.agent_type === 'command' ? {} : { driver: found.driver }
  return { start, home: places.home, caller: ask.caller.env, plan, model: login.model, ...driver }
}

const prepareCommand = async (ask: Ask, command: readonly string[]): Promise<Prepared> => {
  const { start, name, pod, caller } = ask
  const [root, cwd] = await Promise.all([resolved(ask.root), resolved(caller.cwd)])
  let chosen = name
  const plan: Prepared['plan'] = (known) => {
    const facts = { root, cwd, env: caller.env, uid: caller.uid, start }
    const taken = known === undefined ? ask.taken() : []
    const request = {
      command,
      ...(chosen === undefined ? {} : { name: chosen }),
      ...(pod === undefined ? {} : { pod }),
    }
    const planned = accept(
      planCommand({ ...request, facts: { ...facts, taken } }),
      chosen ?? command[0] ?? '',
    )
    chosen = planned.agent
    return planned
  }
  return { start, home: caller.home, caller: caller.env, plan }
}

export const prepare = (ask: Ask): Promise<Prepared> =>
  'role' in ask.what ? prepareRole(ask, ask.what.role, ask.what.extra) : prepareCommand(ask, ask.what.command)
