// The environment of a Claude process.
import type { Order } from '../../schema.ts'

type Environment = Readonly<Record<string, string>>

/** Marks of an outer session, and switches that turn hooks off: never inherited. */
const dropped = /^(CLAUDE.*|AGENCY_.*|H2_.*|AG_.*|OTEL_.*|IS_SANDBOX|DISABLE_AUTOUPDATER)$/

/** What of those is a login or names the provider: a person who set it wants it for the agent too. */
const login = new Set([
  'CLAUDE_CODE_OAUTH_TOKEN',
  'CLAUDE_CODE_USE_BEDROCK',
  'CLAUDE_CODE_USE_VERTEX',
  'CLAUDE_CODE_USE_FOUNDRY',
  'CLAUDE_CODE_SKIP_BEDROCK_AUTH',
  'CLAUDE_CODE_SKIP_VERTEX_AUTH',
])

/** By these a person says that nothing is told to the CLI's maker, whoever it works for. */
const discreet = /^(DISABLE_TELEMETRY|DISABLE_ERROR_REPORTING|CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC)$/

/** All that a sandboxed agent sees of the caller's. No credentials: those are named by its role. */
const listed =
  /^(PATH|HOME|USER|LOGNAME|SHELL|LANG|LC_[A-Z]+|TERM|COLORTERM|TZ|NO_COLOR|NODE_EXTRA_CA_CERTS|SSL_CERT_(FILE|DIR))$/

export const isListed = (name: string): boolean => listed.test(name) || discreet.test(name)
export const isLogin = (name: string): boolean => login.has(name)

const inherited = (caller: Environment, inherit: 'all' | 'listed'): Environment =>
  Object.fromEntries(
    Object.entries(caller).filter(
      ([name]) => isListed(name) || (inherit === 'all' && (login.has(name) || !dropped.test(name))),
    ),
  )

/** Names that would change what runs, who is asked or where requests go, whoever sets them. */
const refused = new Set(
  [
    'PATH HOME SHELL TMPDIR IFS ENV BASH_ENV SHELLOPTS BASHOPTS PS4 PROMPT_COMMAND ZDOTDIR IS_SANDBOX',
    'NODE_OPTIONS NODE_PATH NODE_EXTRA_CA_CERTS NODE_TLS_REJECT_UNAUTHORIZED BUN_OPTIONS SSL_CERT_FILE SSL_CERT_DIR',
    'PYTHONSTARTUP PYTHONPATH PERL5OPT PERL5LIB RUBYOPT RUBYLIB EDITOR VISUAL PAGER LESSOPEN LESSCLOSE',
  ].flatMap((names) => names.split(' ')),
)
const refusedPrefixes =
  /^(LD_|DYLD_|AGENCY_|H2_|AG_|CLAUDE|ANTHROPIC_(?!API_KEY$)|OTEL_|GIT_(?!AUTHOR_|COMMITTER_)|BASH_FUNC_|(ALL|HTTP|HTTPS|NO)_PROXY$)/i

/** Why a task, or the settings of a role, may not set these variables. */
export const environmentProblems = (environment: Environment): readonly string[] =>
  Object.entries(environment).flatMap(([name, value]) => {
    if (!/^[A-Za-z_][A-Za-z0-9_]{0,199}$/.test(name))
      return [`"${name.slice(0, 40)}" is no name of a variable`]
    if (refused.has(name) || refusedPrefixes.test(name)) return [`the variable ${name} cannot be set`]
    if (value.includes('\0')) return [`the value of ${name} contains a NUL character`]
    return []
  })

/** A proxy must never stand between Claude and its keeper: a dead one would break every hook. */
const aroundProxy = (environment: Environment): Environment => {
  const names = Object.keys(environment)
  if (!names.some((name) => /^(all|http|https)_proxy$/i.test(name))) return {}
  const own = `${environment.NO_PROXY ?? ''},${environment.no_proxy ?? ''}`
    .split(',')
    .map((host) => host.trim())
  const hosts = [...new Set([...own.filter((host) => host !== ''), '127.0.0.1', 'localhost', '::1'])].join(
    ',',
  )
  return { NO_PROXY: hosts, no_proxy: hosts }
}

const telemetry = ({ telemetryUrl: url, telemetryToken: token }: Order['keeper']): Environment => ({
  CLAUDE_CODE_ENABLE_TELEMETRY: '1',
  OTEL_LOGS_EXPORTER: 'otlp',
  OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
  OTEL_EXPORTER_OTLP_ENDPOINT: url,
  OTEL_EXPORTER_OTLP_HEADERS: `Authorization=Bearer ${token}`,
  // A person's answer in the dialog is known only from here: half a second late, not five.
  OTEL_LOGS_EXPORT_INTERVAL: '500',
})

const own = ({ agent, paths, start }: Order): Environment => ({
  AGENCY_ROOT: paths.root,
  AGENCY_ACTOR: agent.name,
  AGENCY_SESSION: start.id,
  AGENCY_SESSION_DIR: paths.session,
  H2_DIR: paths.root,
  H2_ACTOR: agent.name,
  H2_SESSION_DIR: paths.session,
  ...(agent.role === undefined ? {} : { AGENCY_ROLE: agent.role, H2_ROLE: agent.role }),
  ...(agent.pod === undefined ? {} : { AGENCY_POD: agent.pod, H2_POD: agent.pod }),
})

/** Claude stops obeying Stop blocks after 8 in a row: its cap must lie above any of ours. */
const stopBlocks = 1000

/**
 * NODE_EXTRA_CA_CERTS stays: behind a company's proxy the CLI needs it. Our own hook program, which it
 * slows down, drops it for itself.
 */
export const environment = (order: Order): Environment => {
  const { caller, inherit, credentials = {}, task = {} } = order.environment
  const base = { ...inherited(caller, inherit), ...credentials, ...task }
  return {
    ...base,
    ...aroundProxy(base),
    ...own(order),
    ...(order.telemetry ? telemetry(order.keeper) : {}),
    CLAUDE_CONFIG_DIR: order.paths.config,
    ...(order.paths.login === undefined ? {} : { CLAUDE_SECURESTORAGE_CONFIG_DIR: order.paths.login }),
    CLAUDE_CODE_TMPDIR: order.paths.tmp,
    CLAUDE_CODE_MAX_RETRIES: String(order.retries),
    CLAUDE_CODE_STOP_HOOK_BLOCK_CAP: String(stopBlocks),
    DISABLE_AUTOUPDATER: '1',
    // Root may not skip permissions unless the CLI is told that it is in a sandbox.
    ...(order.asRoot && order.permissionMode === 'bypassPermissions' ? { IS_SANDBOX: '1' } : {}),
  }
}
