// The command line of the CLI, as data. What is accepted without effect is so that a caller's argv is not refused.
export const modes = ['acceptEdits', 'auto', 'bypassPermissions', 'manual', 'dontAsk', 'plan'] as const
export type Mode = 'default' | Exclude<(typeof modes)[number], 'manual'>

export type Options = {
  print: boolean
  prompt?: string
  input: 'text' | 'stream-json'
  output: 'text' | 'json' | 'stream-json'
  verbose: boolean
  hookEvents: boolean
  session?: string
  /** '' = asked to resume, without an id. */
  resume?: string
  continue: boolean
  fork: boolean
  keep: boolean
  settings?: string
  sources?: string[]
  mode?: Mode
  bypass: boolean
  /** Bypass mode may be switched to later. */
  mayBypass: boolean
  model?: string
  maxTurns?: number
  maxCost?: number
  system?: string
  append?: string
  snapshot: boolean
  tools?: string[]
  /** The shape of the answer. */
  shape?: string
  allowed: string[]
  disallowed: string[]
  agents?: string
  agent?: string
  plugins: string[]
}

type Arity = 'none' | 'one' | 'maybe' | 'many'
export type Flag = { long: string[]; short?: string; takes: Arity; word?: string }

const flags = (takes: Arity, word: string, ...longs: string[]): Flag[] =>
  longs.map((name) => ({ long: name.split('|'), takes, word }))

export const known: Flag[] = [
  { long: ['--print'], short: '-p', takes: 'none' },
  { long: ['--continue'], short: '-c', takes: 'none' },
  { long: ['--version'], short: '-v', takes: 'none' },
  { long: ['--help'], short: '-h', takes: 'none' },
  { long: ['--resume'], short: '-r', takes: 'maybe' },
  { long: ['--debug'], short: '-d', takes: 'maybe' },
  { long: ['--worktree'], short: '-w', takes: 'maybe' },
  { long: ['--name'], short: '-n', takes: 'one', word: 'name' },
  ...flags('none', '', '--verbose', '--fork-session', '--dangerously-skip-permissions'),
  ...flags('none', '', '--allow-dangerously-skip-permissions', '--no-session-persistence'),
  ...flags('none', '', '--include-hook-events', '--include-partial-messages', '--replay-user-messages'),
  ...flags('none', '', '--strict-mcp-config', '--ide', '--disable-slash-commands', '--bare', '--safe-mode'),
  ...flags('one', 'format', '--output-format', '--input-format'),
  ...flags('one', 'mode', '--permission-mode', '--system-prompt-snapshot'),
  ...flags('one', 'prompt', '--system-prompt', '--append-system-prompt'),
  ...flags('one', 'uuid', '--session-id'),
  ...flags('one', 'file-or-json', '--settings'),
  ...flags('one', 'sources', '--setting-sources'),
  ...flags('one', 'model', '--model', '--fallback-model'),
  ...flags('one', 'turns', '--max-turns'),
  ...flags('one', 'amount', '--max-budget-usd'),
  ...flags('one', 'json', '--agents', '--json-schema'),
  ...flags('one', 'agent', '--agent'),
  ...flags('one', 'level', '--effort'),
  ...flags('one', 'path', '--plugin-dir', '--debug-file'),
  ...flags('many', 'tools...', '--allowedTools|--allowed-tools', '--disallowedTools|--disallowed-tools'),
  ...flags('many', 'tools...', '--tools'),
  ...flags('many', 'configs...', '--mcp-config'),
  ...flags('many', 'directories...', '--add-dir'),
]
