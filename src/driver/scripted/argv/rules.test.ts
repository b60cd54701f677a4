import { expect, test } from 'vitest'
import { parse } from './rules.ts'
import type { Options } from './schema.ts'

const usual: Options = {
  print: false,
  input: 'text',
  output: 'text',
  verbose: false,
  hookEvents: false,
  continue: false,
  fork: false,
  keep: true,
  bypass: false,
  mayBypass: false,
  snapshot: true,
  allowed: [],
  disallowed: [],
  plugins: [],
}
const id = '11111111-1111-4111-8111-111111111111'
const read = (...args: string[]) => parse(args, '9.9')

test.each<[string[], Partial<Options>]>([
  [[], {}],
  [['-p', 'say hi'], { print: true, prompt: 'say hi' }],
  [['--print', '--', '-x'], { print: true, prompt: '-x' }],
  [['-'], { prompt: '-' }],
  [['--output-format=stream-json', '--verbose'], { output: 'stream-json', verbose: true }],
  [['--session-id', id], { session: id }],
  [['-r', id], { resume: id }],
  [['--resume'], { resume: '' }],
  [['--resume', id, '--fork-session', '--session-id', id], { resume: id, fork: true, session: id }],
  [['-c'], { continue: true }],
  [['--permission-mode', 'manual'], { mode: 'default' }],
  [['--permission-mode', 'plan'], { mode: 'plan' }],
  [['--permission-mode', 'bypassPermissions'], { mode: 'bypassPermissions', bypass: true }],
  [['--dangerously-skip-permissions'], { bypass: true }],
  [['--system-prompt-snapshot', 'off'], { snapshot: false }],
  [['--append-system-prompt', '-x'], { append: '-x' }],
  [['--tools', ''], { tools: [] }],
  [['--tools', 'Bash,Read'], { tools: ['Bash', 'Read'] }],
  [['--setting-sources', 'user,project'], { sources: ['user', 'project'] }],
  [['--max-turns', '3', '--max-budget-usd', '0.5'], { maxTurns: 3, maxCost: 0.5 }],
  // A list takes all that follows, the prompt too.
  [['--allowedTools', 'Bash', 'say hi'], { allowed: ['Bash', 'say', 'hi'] }],
  [
    ['--allowedTools=Bash(git add *),Read', 'say hi'],
    { allowed: ['Bash(git add *)', 'Read'], prompt: 'say hi' },
  ],
  [['--disallowed-tools', 'Bash(touch *)', '--', 'go'], { disallowed: ['Bash(touch *)'], prompt: 'go' }],
  [['--no-session-persistence', '--include-hook-events'], { keep: false, hookEvents: true }],
])('%j', (args, options) => expect(read(...args)).toEqual({ options: { ...usual, ...options } }))

test.each<[string[], string]>([
  [['--prompt', 'x'], "error: unknown option '--prompt'"],
  [['-p', '-x'], "error: unknown option '-x'"],
  [['--model'], "error: option '--model <model>' argument missing"],
  [
    ['--permission-mode', 'root'],
    "error: option '--permission-mode <mode>' argument 'root' is invalid. Allowed choices are acceptEdits, auto, bypassPermissions, manual, dontAsk, plan.",
  ],
  [
    ['--output-format', 'xml'],
    "error: option '--output-format <format>' argument 'xml' is invalid. Allowed choices are text, json, stream-json.",
  ],
  [['--session-id', 'x'], 'Error: Invalid session ID. Must be a valid UUID.'],
  [
    ['--session-id', id, '--resume', id],
    'Error: --session-id can only be used with --continue or --resume if --fork-session is also specified.',
  ],
  [
    ['-p', '--output-format', 'stream-json'],
    'Error: When using --print, --output-format=stream-json requires --verbose',
  ],
  [['-p', '--resume'], 'Error: --resume requires a valid session ID when used with --print'],
  [['--agents', 'x'], 'Error: --agents must be a JSON object'],
  [['--max-turns', 'x'], 'Error: --max-turns must be a number'],
])('%j is refused', (args, problem) => expect(read(...args)).toEqual({ problem }))

test('version', () => expect(read('-p', '--version')).toEqual({ says: '9.9 (Claude Code)' }))
