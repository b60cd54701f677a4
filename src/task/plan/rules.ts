// From a headless agent and a task to the launch of an attempt. As for a terminal agent nothing is ever launched wider
// than the role says; and who skips permissions does so only within walls.
import type { AgentFile } from '../../agent/schema.ts'
import { milliseconds } from '../../base/duration/rules.ts'
import { layout } from '../../config/layout/rules.ts'
import type { Launch, Order, Start } from '../../driver/schema.ts'
import { offeredTools } from '../../permission/tool/rules.ts'
import { headlessPatience } from '../../role/approval/schema.ts'
import type { Role } from '../../role/schema.ts'
import { keptFile, reviewerFiles } from '../../session/kept/rules.ts'
import { credentialsFor } from '../../session/plan/env/rules.ts'
import { roleRefusals } from '../../session/plan/refusal/rules.ts'
import { sandboxOf } from '../../session/plan/rules.ts'
import type { Environment, PlannedFile, Refusal, Speller } from '../../session/plan/schema.ts'
import type { Attempt } from '../schema.ts'

/** The role of a configured agent: what its file says goes before what the role says. */
export const roleOf = (file: AgentFile, role: Role): Role => {
  const enabled = file.sandbox?.enabled ?? role.sandbox?.enabled ?? true
  const own = file.role === undefined ? undefined : role.permission_mode
  const model = file.claude.model || role.model
  return {
    ...role,
    sandbox: { ...role.sandbox, ...file.sandbox, enabled },
    permission_mode: file.permission_mode ?? own ?? (enabled ? 'bypassPermissions' : 'manual'),
    credentials: [...new Set([...role.credentials, ...file.credentials])],
    ...(model === undefined ? {} : { model }),
  }
}

export const isWalled = ({ sandbox }: Role): boolean => sandbox !== undefined && sandbox.enabled !== false

export type TaskFacts = {
  readonly root: string
  readonly agent: string
  readonly pod?: string | undefined
  /** As `roleOf` makes it. */
  readonly role: Role
  readonly maxTurns: number
  /** What is left of its budget. */
  readonly maxCostUsd?: number | undefined
  /** Its tokens have a limit: what it prints tells them whole only at its end. */
  readonly counted?: boolean | undefined
  readonly uid: number
  /** The host's: nobody is there who called. */
  readonly env: Environment
  /** Of the root, by name. */
  readonly credentials: Environment
  /** How an agent within walls speaks to the model. */
  readonly login?: Environment | undefined
  readonly sandbox: { readonly available: boolean; readonly why?: string; readonly fix?: string }
  readonly program: string
  readonly driver: Speller
  readonly keeper: Order['keeper']
  readonly start: Start
  /** The conversation had another role before. */
  readonly switched?: boolean | undefined
  readonly cwd: string
  readonly prompt: string
  /** What every agent of agency is told. */
  readonly instructions: string
  readonly model?: string | undefined
  readonly taskEnv?: Environment | undefined
  /** What the scripted agent is to say. */
  readonly scenario?: string | undefined
  /** What the CLI's own state file holds now. */
  readonly state?: unknown
}

export type TaskPlan = {
  readonly cwd: string
  readonly directories: readonly string[]
  readonly files: readonly PlannedFile[]
  readonly launch: Pick<Launch, 'argv' | 'env' | 'stdin'>
  readonly order: Order
}

/** Attempts of an agent share what the CLI remembers, so that one can go on with what another began. */
export const configOf = (root: string, agent: string): string => `${layout(root).session(agent)}/.claude`

export const attemptDirectory = (
  root: string,
  agent: string,
  task: string,
  { number }: Pick<Attempt, 'number'>,
): string => `${layout(root).session(agent)}/${task}.${number}`

/** As long as people may take to answer, and a little: it is the host that says when the time is over. */
export const holdOf = ({ approvals }: Role): number =>
  Math.ceil(milliseconds(approvals?.expire ?? headlessPatience) / 1000) + 60
const retries = 4

const orderOf = (facts: TaskFacts, directory: string): Order => {
  const { role, agent, pod, model = role.model } = facts
  const instructions = [facts.instructions, role.instructions ?? '']
    .filter((text) => text !== '')
    .join('\n\n')
  return {
    terminal: false,
    start: facts.start,
    cwd: facts.cwd,
    prompt: facts.prompt,
    maxTurns: facts.maxTurns,
    ...(facts.maxCostUsd === undefined ? {} : { maxCostUsd: facts.maxCostUsd }),
    permissionMode: role.permission_mode,
    ...(model === undefined || model === '' ? {} : { model }),
    ...(role.system_prompt === undefined ? {} : { systemPrompt: role.system_prompt }),
    ...(instructions === '' ? {} : { instructions }),
    ...(facts.switched ? { switched: true } : {}),
    ...offeredTools(role),
    ...(role.project_settings === 'ignore' ? { ignoreProjectSettings: true } : {}),
    allow: role.permissions.allow,
    deny: role.permissions.deny,
    hooks: role.hooks,
    settings: role.settings,
    agent: { name: agent, role: role.name, ...(pod === undefined ? {} : { pod }) },
    paths: {
      root: facts.root,
      session: directory,
      config: configOf(facts.root, agent),
      tmp: `${directory}/tmp`,
      settings: `${directory}/settings.json`,
    },
    keeper: facts.keeper,
    holdSeconds: holdOf(role),
    retries,
    telemetry: facts.counted === true,
    asRoot: facts.uid === 0,
    environment: {
      caller: facts.env,
      inherit: isWalled(role) ? 'listed' : 'all',
      credentials: { ...credentialsFor(role, facts.credentials), ...facts.login },
      ...(facts.taskEnv === undefined ? {} : { task: facts.taskEnv }),
    },
    ...(facts.state === undefined ? {} : { state: facts.state }),
  }
}

export const planTask = (
  facts: TaskFacts,
  directory: string,
): { readonly plan: TaskPlan } | { readonly refusals: readonly Refusal[] } => {
  const order = orderOf(facts, directory)
  const refusals: readonly Refusal[] = [
    ...roleRefusals(facts.role, facts),
    ...facts.driver.problems(order).map((text) => ({ code: 'order_refused' as const, text })),
  ]
  if (refusals.length > 0) return { refusals }
  const { files, ...spelled } = facts.driver.launch(facts.program, order)
  const { scenario } = facts
  // Only the scripted agent is told; the driver itself drops everything of ours.
  const scripted = facts.role.agent_type === 'scripted' && scenario !== undefined
  const env = scripted ? { ...spelled.env, AGENCY_SCENARIO: scenario } : spelled.env
  return {
    plan: {
      cwd: facts.cwd,
      directories: [directory, order.paths.config, order.paths.tmp],
      files: [
        keptFile(directory, facts.role, sandboxOf(facts.role)?.tree),
        ...reviewerFiles(directory, facts.role),
        ...files.map((file) => ({ ...file, mode: 0o600 as const })),
      ],
      launch: { ...spelled, env },
      order,
    },
  }
}
