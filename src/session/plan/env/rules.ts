// The environment of a session, as far as it is not the driver's.
import { isListed } from '../../../driver/claude/env/rules.ts'
import type { Order } from '../../../driver/schema.ts'
import type { Role } from '../../../role/schema.ts'
import type { Environment, PlanFacts } from '../schema.ts'

/** Under which names programs look for a credential. */
const variables: Readonly<Record<string, readonly string[]>> = {
  'claude-token': ['CLAUDE_CODE_OAUTH_TOKEN'],
  'github-token': ['GITHUB_TOKEN', 'GH_TOKEN'],
  'gitlab-token': ['GITLAB_TOKEN'],
}

/** The login goes to every agent of Claude; the others only to roles that name them. */
export const credentialsFor = ({ credentials, agent_type }: Role, stored: Environment): Environment => {
  const names = agent_type === 'claude' ? ['claude-token', ...credentials] : credentials
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = stored[name]
      return value === undefined ? [] : (variables[name] ?? []).map((variable) => [variable, value])
    }),
  )
}

const logins = /^(ANTHROPIC_(API_KEY|AUTH_TOKEN)|CLAUDE_CODE_(OAUTH_TOKEN|USE_(BEDROCK|VERTEX|FOUNDRY)))$/

export const loginAdvice = 'Claude may not be logged in: type `agency credential set claude-token`'

export const isLoggedIn = ({
  env,
  credentials,
  login,
  model = {},
}: Pick<PlanFacts, 'env' | 'credentials' | 'login' | 'model'>): boolean =>
  login !== undefined ||
  credentials['claude-token'] !== undefined ||
  Object.entries({ ...env, ...model }).some(([name, value]) => logins.test(name) && value !== '')

const secret = /^(ANTHROPIC_(API_KEY|AUTH_TOKEN)|CLAUDE_CODE_OAUTH_TOKEN|.*(TOKEN|SECRET|PASSWORD|API_KEY))$/

/** What must not be written, whatever it says: credentials, the env of its task, and what looks like either. */
export const secretsOf = ({ environment: { caller, credentials = {}, task = {} } }: Order): string[] => {
  const inherited = Object.entries(caller).flatMap(([name, value]) => (secret.test(name) ? [value] : []))
  return [...new Set([...inherited, ...Object.values(credentials), ...Object.values(task)])]
}

/** Marks of an outer session or agent. A login that a person set for the CLI is none. */
const outer = /^(CLAUDECODE|CLAUDE_CODE_(?!OAUTH_TOKEN$|USE_|SKIP_).*|AGENCY_.*|H2_.*|AG_.*)$/

export const isOuter = (name: string): boolean => outer.test(name)

export const commandEnvironment = (
  { env, root, start }: Pick<PlanFacts, 'env' | 'root' | 'start'>,
  who: {
    readonly agent: string
    readonly role?: string
    readonly pod?: string | undefined
    readonly directory?: string
    readonly credentials?: Environment
    readonly walled?: boolean
  },
): Environment => {
  const { agent, role, pod, directory, credentials, walled = false } = who
  const twins = Object.entries({ ACTOR: agent, ROLE: role, POD: pod, SESSION_DIR: directory }).flatMap(
    ([name, value]) =>
      value === undefined ? [] : [[`AGENCY_${name}`, value] as const, [`H2_${name}`, value] as const],
  )
  return {
    ...Object.fromEntries(
      Object.entries(env).filter(([name]) => (walled ? isListed(name) : !outer.test(name))),
    ),
    ...credentials,
    ...Object.fromEntries(twins),
    AGENCY_ROOT: root,
    H2_DIR: root,
    AGENCY_SESSION: start.id,
  }
}
