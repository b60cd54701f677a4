// From a role to a launch. Nothing is ever launched wider than the role says: what cannot be enforced is refused.
import { layout } from '../../config/layout/rules.ts'
import type { Order } from '../../driver/schema.ts'
import { offeredTools, refusedReads } from '../../permission/tool/rules.ts'
import { rootDirectory } from '../../role/rules.ts'
import type { Role } from '../../role/schema.ts'
import { keptFile, reviewerFiles } from '../kept/rules.ts'
import { commandEnvironment, credentialsFor, isLoggedIn, loginAdvice } from './env/rules.ts'
import { agentName, freeName } from './name/rules.ts'
import { refusalsOf } from './refusal/rules.ts'
import type {
  CommandRequest,
  Plan,
  Planned,
  PlannedFile,
  RoleRequest,
  SandboxRequest,
  SessionFile,
  WorktreeRequest,
} from './schema.ts'

/** A hook may be held for a person as long as this: a week. */
const holdSeconds = 604_800
const retries = 4

export const asksForWalls = ({ sandbox }: Role): boolean => sandbox !== undefined && sandbox.enabled !== false

export const sandboxOf = ({ sandbox, capabilities }: Role): SandboxRequest | undefined => {
  if (sandbox === undefined || sandbox.enabled === false) return undefined
  const { can_write_files: write, can_create_files: create, can_delete_files: remove } = capabilities
  return { tree: write || create || remove ? 'read-write' : 'read-only', settings: sandbox }
}

const worktreeOf = (
  { worktree }: Role,
  name: string,
  places: { readonly root: string; readonly repository: string; readonly walled: boolean },
): WorktreeRequest | undefined =>
  worktree.enabled
    ? {
        kind: places.walled ? 'clone' : 'worktree',
        repository: places.repository,
        path: `${layout(places.root).worktrees}/${name}`,
        from: worktree.branch_from,
        ...(worktree.use_detached_head ? {} : { branch: name }),
      }
    : undefined

const kindIn = ({ reviewer }: NonNullable<Role['review']>): string | undefined =>
  typeof reviewer === 'string' ? reviewer : reviewer?.kind

const warningsOf = ({ role, facts }: RoleRequest): readonly string[] => [
  ...(facts.uid === 0 ? ['you are root: the agent can do anything on this machine that you can'] : []),
  ...(role.permission_mode === 'bypassPermissions' && sandboxOf(role) === undefined
    ? ['the role skips permissions and has no sandbox: only its own rules hold it']
    : []),
  ...(role.claude_config_dir === undefined
    ? []
    : ['the role shares a Claude config directory: several agents at once can corrupt it']),
  ...(role.review !== undefined && kindIn(role.review) === 'subagent'
    ? ['`review.reviewer: subagent` is for the plugin: this agent is reviewed by a process of agency']
    : []),
  ...(role.agent_type !== 'claude' || isLoggedIn(facts) ? [] : [loginAdvice]),
]

type Places = {
  readonly name: string
  readonly cwd: string
  readonly directory: string
  readonly config: string
}

/** Where long messages are left, for those who may read files. */
const inboxOf = ({ agent_type, capabilities }: Role, directory: string): readonly string[] =>
  agent_type !== 'command' && capabilities.can_read_files ? [`${directory}/messages`] : []

const orderOf = ({ role, extra, switched, facts, ...request }: RoleRequest, places: Places): Order => {
  const { directory, config } = places
  const walled = sandboxOf(role) !== undefined
  const pod = request.pod ?? role.pod
  return {
    terminal: true,
    start: facts.start,
    cwd: places.cwd,
    permissionMode: role.permission_mode,
    ...(role.model === undefined ? {} : { model: role.model }),
    ...(role.system_prompt === undefined ? {} : { systemPrompt: role.system_prompt }),
    ...(role.instructions === undefined ? {} : { instructions: role.instructions }),
    ...(switched ? { switched } : {}),
    ...offeredTools(role),
    ...(role.project_settings === 'ignore' ? { ignoreProjectSettings: true } : {}),
    extra,
    allow: [...role.permissions.allow, ...inboxOf(role, directory).map((inbox) => `Read(/${inbox}/**)`)],
    deny: [...role.permissions.deny, ...refusedReads(role.capabilities)],
    hooks: role.hooks,
    settings: role.settings,
    agent: { name: places.name, role: role.name, ...(pod === undefined ? {} : { pod }) },
    paths: {
      root: facts.root,
      session: directory,
      config,
      tmp: `${directory}/tmp`,
      settings: `${directory}/settings.json`,
      ...(facts.login === undefined ? {} : { login: facts.login }),
    },
    keeper: facts.keeper,
    holdSeconds,
    retries,
    telemetry: true,
    // The CLI is told that it is in a sandbox only where it is: `refusalsOf` lets root in nowhere else.
    asRoot: facts.uid === 0,
    environment: {
      caller: facts.env,
      inherit: walled ? 'listed' : 'all',
      credentials: { ...credentialsFor(role, facts.credentials), ...facts.model },
    },
    ...(facts.state === undefined ? {} : { state: facts.state }),
  }
}

const ownFiles = (
  request: RoleRequest,
  places: Places,
  repository: string | undefined,
): readonly PlannedFile[] => {
  const { role, facts, overrides, extra, forkedFrom, switched } = request
  const pod = request.pod ?? role.pod
  const file: SessionFile = {
    agent: places.name,
    session_id: facts.start.id,
    agent_type: role.agent_type,
    role: role.name,
    ...(switched ? { switched } : {}),
    ...(pod === undefined ? {} : { pod }),
    overrides,
    cwd: places.cwd,
    ...(repository === undefined ? {} : { worktree: repository }),
    ...(role.heartbeat === undefined ? {} : { heartbeat: role.heartbeat }),
    ...(role.queue ? { queue: true as const } : {}),
    arguments: [...extra],
    launched_at: facts.at,
    ...(forkedFrom === undefined ? {} : { forked_from: forkedFrom }),
  }
  const text = `${JSON.stringify(file, null, 2)}\n`
  return [
    { path: `${places.directory}/session.json`, text, mode: 0o600, once: false },
    ...reviewerFiles(places.directory, role),
    // Nobody asks about the calls of a plain command.
    ...(role.agent_type === 'command' ? [] : [keptFile(places.directory, role, sandboxOf(role)?.tree)]),
  ]
}

/** A role whose agent is any command: no hooks, so only roles without limits get here. */
const asCommand = (request: RoleRequest, places: Places): Plan['launch'] => ({
  argv: [...request.role.command, ...request.extra],
  env: commandEnvironment(request.facts, {
    agent: places.name,
    role: request.role.name,
    pod: request.pod ?? request.role.pod,
    directory: places.directory,
    credentials: credentialsFor(request.role, request.facts.credentials),
    walled: asksForWalls(request.role),
  }),
})

export const planRole = (request: RoleRequest): Planned => {
  const { role, facts, overrides, forkedFrom } = request
  const { name, refusals: named } = agentName(request.name ?? role.name, facts.taken)
  const repository = rootDirectory(role.root_dir, facts)
  const sandbox = sandboxOf(role)
  const worktree = worktreeOf(role, name, { root: facts.root, repository, walled: sandbox !== undefined })
  const directory = layout(facts.root).session(name)
  const config =
    role.claude_config_dir === undefined
      ? `${directory}/.claude`
      : rootDirectory(role.claude_config_dir, facts)
  const places = { name, directory, config, cwd: worktree?.path ?? repository }
  const managed = role.agent_type !== 'command'
  const order = managed ? orderOf(request, places) : undefined
  const refusals = [...named, ...refusalsOf(role, facts, order)]
  if (refusals.length > 0) return { refusals }
  const spelled = order && facts.driver.launch(facts.program, order)
  const { files: given = [], ...launch } = spelled ?? { ...asCommand(request, places), files: [] }
  const pod = request.pod ?? role.pod
  return {
    plan: {
      agent: name,
      role: role.name,
      ...(pod === undefined ? {} : { pod }),
      overrides,
      ...(forkedFrom === undefined ? {} : { forkedFrom }),
      managed,
      reviewer: managed && role.permissions.agent.enabled,
      cwd: places.cwd,
      ...(worktree === undefined ? {} : { worktree }),
      ...(sandbox === undefined ? {} : { sandbox }),
      directories: [directory, ...(managed ? [config, `${directory}/tmp`] : []), ...inboxOf(role, directory)],
      ...(role.heartbeat === undefined ? {} : { heartbeat: role.heartbeat }),
      ...(role.queue ? { queue: true as const } : {}),
      files: [
        ...ownFiles(request, places, worktree?.repository),
        ...given.map((file) => ({ ...file, mode: 0o600 as const })),
      ],
      launch,
      ...(order === undefined ? {} : { order }),
      warnings: warningsOf(request),
    },
  }
}

/** `run -- any command`: nothing is generated, nothing supervised. */
export const planCommand = ({ command, name: given, pod, facts }: CommandRequest): Planned => {
  const program = command[0]?.trim()
  if (!program) return { refusals: [{ code: 'command_missing', text: 'a command must follow `--`' }] }
  const { name, refusals } = agentName(given ?? freeName(program, facts.taken), facts.taken)
  if (refusals.length > 0) return { refusals }
  return {
    plan: {
      agent: name,
      ...(pod === undefined ? {} : { pod }),
      overrides: {},
      managed: false,
      reviewer: false,
      cwd: facts.cwd,
      directories: [],
      files: [],
      launch: { argv: command, env: commandEnvironment(facts, { agent: name, pod }) },
      warnings: ['without a role nothing is supervised: no rules, no approvals, state only from the screen'],
    },
  }
}
