// Reads the command line as the CLI does, its traps included: lists that swallow the prompt, prompts that look like flags.
import { type Flag, known, type Mode, modes, type Options } from './schema.ts'

export type Parsed = { options: Options } | { says: string } | { problem: string }
type Given = Map<string, string[]>

const find = (token: string): Flag | undefined =>
  known.find((flag) => flag.short === token || flag.long.includes(token))

const dashed = (token: string | undefined): boolean => token === undefined || /^-./.test(token)

const collect = (args: readonly string[]): { given: Given; words: string[] } | { problem: string } => {
  const given: Given = new Map()
  const words: string[] = []
  const add = (flag: Flag, values: string[]): void => {
    const name = flag.long[0] ?? ''
    given.set(name, flag.takes === 'many' ? [...(given.get(name) ?? []), ...values] : values)
  }
  for (let at = 0; at < args.length; at++) {
    const token = args[at] ?? ''
    if (token === '--') return { given, words: [...words, ...args.slice(at + 1)] }
    if (!dashed(token)) {
      words.push(token)
      continue
    }
    const cut = token.startsWith('--') ? token.indexOf('=') : -1
    const name = cut > 0 ? token.slice(0, cut) : token
    const flag = find(name)
    if (!flag) return { problem: `error: unknown option '${name}'` }
    if (cut > 0) {
      add(flag, [token.slice(cut + 1)])
    } else if (flag.takes === 'none' || (flag.takes === 'maybe' && dashed(args[at + 1]))) {
      add(flag, [])
    } else if (flag.takes === 'many') {
      const values: string[] = []
      while (!dashed(args[at + 1])) values.push(args[++at] ?? '')
      add(flag, values)
    } else {
      const value = args[++at]
      const shown = `${flag.short ? `${flag.short}, ` : ''}${flag.long.join(', ')} <${flag.word}>`
      if (value === undefined) return { problem: `error: option '${shown}' argument missing` }
      add(flag, [value])
    }
  }
  return { given, words }
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const lists = (values: string[] | undefined): string[] =>
  // A comma inside parentheses belongs to the rule: Bash(git add, *).
  (values ?? []).flatMap((value) => value.match(/(?:[^,()\s]|\([^)]*\))+/g) ?? [])

const choice = (flag: string, value: string, allowed: readonly string[]): string =>
  `error: option '${flag}' argument '${value}' is invalid. Allowed choices are ${allowed.join(', ')}.`

const isObject = (text: string): boolean => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null
  } catch {
    return false
  }
}

/** What makes the CLI refuse to start, in its own words; undefined = fine. */
const refuse = (options: Options, given: Given): string | undefined => {
  const mode = given.get('--permission-mode')?.[0]
  if (mode !== undefined && mode !== 'default' && !modes.some((known) => known === mode))
    return choice('--permission-mode <mode>', mode, modes)
  const format = given.get('--output-format')?.[0]
  if (format !== undefined && !['text', 'json', 'stream-json'].includes(format))
    return choice('--output-format <format>', format, ['text', 'json', 'stream-json'])
  if (!['text', 'stream-json'].includes(options.input))
    return choice('--input-format <format>', options.input, ['text', 'stream-json'])
  if (options.input === 'stream-json' && options.output !== 'stream-json')
    return 'Error: --input-format=stream-json requires output-format=stream-json.'
  if (options.session !== undefined && !uuid.test(options.session))
    return 'Error: Invalid session ID. Must be a valid UUID.'
  if (options.session !== undefined && (options.resume !== undefined || options.continue) && !options.fork)
    return 'Error: --session-id can only be used with --continue or --resume if --fork-session is also specified.'
  if (options.print && options.output === 'stream-json' && !options.verbose)
    return 'Error: When using --print, --output-format=stream-json requires --verbose'
  if (options.print && options.resume === '')
    return 'Error: --resume requires a valid session ID when used with --print'
  if (options.agents !== undefined && !isObject(options.agents))
    return 'Error: --agents must be a JSON object'
  if (Number.isNaN(options.maxTurns)) return 'Error: --max-turns must be a number'
  return undefined
}

const numeric = (value: string | undefined): number | undefined =>
  value === undefined ? undefined : value.trim() === '' ? Number.NaN : Number(value)

export const parse = (args: readonly string[], version: string): Parsed => {
  const read = collect(args)
  if ('problem' in read) return read
  const { given, words } = read
  if (given.has('--version')) return { says: `${version} (Claude Code)` }
  if (given.has('--help')) return { says: 'Usage: claude [options] [command] [prompt]' }
  const one = (name: string): string | undefined => given.get(name)?.[0]
  const optional = <T>(key: keyof Options, value: T | undefined): object =>
    value === undefined ? {} : { [key]: value }
  const mode = one('--permission-mode')
  const options = {
    print: given.has('--print'),
    input: (one('--input-format') ?? 'text') as Options['input'],
    output: (one('--output-format') ?? 'text') as Options['output'],
    verbose: given.has('--verbose'),
    hookEvents: given.has('--include-hook-events'),
    continue: given.has('--continue'),
    fork: given.has('--fork-session'),
    keep: !given.has('--no-session-persistence'),
    bypass: given.has('--dangerously-skip-permissions') || mode === 'bypassPermissions',
    mayBypass: given.has('--allow-dangerously-skip-permissions'),
    snapshot: one('--system-prompt-snapshot') !== 'off',
    allowed: lists(given.get('--allowedTools')),
    disallowed: lists(given.get('--disallowedTools')),
    plugins: given.get('--plugin-dir') ?? [],
    ...optional('prompt', words[0]),
    ...optional('session', one('--session-id')),
    ...optional('resume', given.has('--resume') ? (one('--resume') ?? '') : undefined),
    ...optional('settings', one('--settings')),
    ...optional('sources', one('--setting-sources')?.split(',')),
    ...optional('mode', mode === undefined ? undefined : ((mode === 'manual' ? 'default' : mode) as Mode)),
    ...optional('model', one('--model')),
    ...optional('maxTurns', numeric(one('--max-turns'))),
    ...optional('maxCost', numeric(one('--max-budget-usd'))),
    ...optional('system', one('--system-prompt')),
    ...optional('append', one('--append-system-prompt')),
    ...optional('tools', given.has('--tools') ? lists(given.get('--tools')) : undefined),
    ...optional('shape', one('--json-schema')),
    ...optional('agents', one('--agents')),
    ...optional('agent', one('--agent')),
  } satisfies Options as Options
  const problem = refuse(options, given)
  return problem ? { problem } : { options }
}
