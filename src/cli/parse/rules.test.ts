import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Spec } from '../command/schema.ts'
import { parse, wantsJson } from './rules.ts'

const specs: readonly Spec[] = [
  {
    words: ['list'],
    summary: '',
    group: '',
    agents: 'may',
    args: [],
    options: [{ name: 'pod', value: 'POD', summary: '' }],
    examples: [],
  },
  {
    words: ['run'],
    summary: '',
    group: '',
    agents: 'may',
    args: [],
    options: [
      { name: 'role', value: 'ROLE', summary: '' },
      { name: 'override', value: 'KEY=VALUE', summary: '', repeat: true },
      { name: 'detach', summary: '' },
    ],
    rest: 'ARGS',
    examples: [],
  },
  {
    words: ['role', 'show'],
    summary: '',
    group: '',
    agents: 'may',
    args: [{ name: 'role', summary: '' }],
    options: [],
    examples: [],
  },
  {
    words: ['completion'],
    summary: '',
    group: '',
    agents: 'may',
    args: [{ name: 'shell', summary: '', choices: ['bash', 'zsh'] }],
    options: [],
    examples: [],
  },
  { words: ['role', 'list'], summary: '', group: '', agents: 'may', args: [], options: [], examples: [] },
  { words: ['config'], summary: '', group: '', agents: 'may', args: [], options: [], examples: [] },
  {
    words: ['config', 'set'],
    summary: '',
    group: '',
    agents: 'may',
    args: [
      { name: 'key', summary: '' },
      { name: 'value', summary: '', empty: true },
    ],
    options: [],
    examples: [],
  },
  {
    words: ['credential', 'set'],
    summary: '',
    group: '',
    agents: 'may',
    args: [{ name: 'name', summary: '', choices: ['claude-token', 'github-token'] }],
    options: [],
    examples: [],
    secret: true,
  },
  {
    words: ['end'],
    summary: '',
    group: '',
    agents: 'may',
    args: [{ name: 'file', summary: '', optional: true }],
    options: [
      { name: 'all', summary: '' },
      { name: 'sure', summary: '', required: true },
    ],
    oneOf: ['file', 'all'],
    examples: [],
  },
]

const ran: [string[], object][] = [
  [['list'], { words: 'list', values: {}, lists: {}, flags: [], rest: [] }],
  [['--json', 'list'], { words: 'list', values: {}, lists: {}, flags: ['json'], rest: [] }],
  [['list', '--pod', 'x'], { words: 'list', values: { pod: 'x' }, lists: {}, flags: [], rest: [] }],
  [['list', '--pod=-x=y'], { words: 'list', values: { pod: '-x=y' }, lists: {}, flags: [], rest: [] }],
  [['list', '--pod', '-'], { words: 'list', values: { pod: '-' }, lists: {}, flags: [], rest: [] }],
  [
    ['run', '--override', 'a=1', '--detach', '--override=b=2', '--', '--role', '--'],
    {
      words: 'run',
      values: {},
      lists: { override: ['a=1', 'b=2'] },
      flags: ['detach'],
      rest: ['--role', '--'],
    },
  ],
  [
    ['role', 'show', '--', '-odd'],
    { words: 'role show', values: { role: '-odd' }, lists: {}, flags: [], rest: [] },
  ],
  [['config'], { words: 'config', values: {}, lists: {}, flags: [], rest: [] }],
  [
    ['config', 'set', 'a', ''],
    { words: 'config set', values: { key: 'a', value: '' }, lists: {}, flags: [], rest: [] },
  ],
  [['end', '--all', '--sure'], { words: 'end', values: {}, lists: {}, flags: ['all', 'sure'], rest: [] }],
]

test.each(ran)('%j is understood', (argv, expected) => {
  const parsed = parse(specs, argv)
  if (parsed.kind !== 'run') return expect(parsed).toBe('run')
  const { values, lists, flags, rest } = parsed.line
  expect({
    words: parsed.spec.words.join(' '),
    values: { ...values },
    lists: { ...lists },
    flags: [...flags],
    rest,
  }).toEqual(expected)
})

const all = 'Type `agency --help` for the list.'
const refused: [string[], string, object][] = [
  [['lst'], 'unknown_command', { word: 'lst', hint: `Did you mean "list"? ${all}` }],
  [[''], 'unknown_command', { word: '', hint: all }],
  [['help', 'lst'], 'unknown_command', { word: 'lst', hint: `Did you mean "list"? ${all}` }],
  [
    ['--', 'list'],
    'unexpected_argument',
    { command: 'agency', what: '"list" behind --', hint: 'Type the command first.' },
  ],
  [
    ['role', 'shwo', 'x'],
    'unknown_command',
    { word: 'role shwo', hint: 'Did you mean "show"? Verbs of role: show, list.' },
  ],
  [
    ['role'],
    'missing_argument',
    { command: 'agency role', what: 'a verb: show, list', hint: 'Type `agency role --help`.' },
  ],
  [
    ['run', '--rol', 'x'],
    'unknown_option',
    { command: 'agency run', option: '--rol', hint: 'Did you mean --role? Type `agency run --help`.' },
  ],
  [
    ['list', '-p'],
    'unknown_option',
    { command: 'agency list', option: '-p', hint: 'Type `agency list --help`.' },
  ],
  [
    ['--pod=x', 'list'],
    'unknown_option',
    { command: 'agency', option: '--pod', hint: 'Options come after the command. Type `agency --help`.' },
  ],
  [['list', '--pod'], 'missing_value', { option: '--pod', command: 'agency list', hint: 'Type --pod POD.' }],
  [
    ['list', '--pod', '-rf'],
    'missing_value',
    { option: '--pod', command: 'agency list', hint: 'For a value that starts with a dash type --pod=-rf.' },
  ],
  [['list', '--pod='], 'empty_value', { what: 'the option --pod', hint: 'Type `agency list --help`.' }],
  [
    ['role', 'show', ''],
    'empty_value',
    { what: 'the argument role', hint: 'Type `agency role show --help`.' },
  ],
  [
    ['run', '--detach=no'],
    'unexpected_value',
    { option: '--detach', command: 'agency run', hint: 'Type just --detach.' },
  ],
  [
    ['run', '--role', 'a', '--role=b'],
    'option_twice',
    { option: '--role', command: 'agency run', hint: 'Give it once.' },
  ],
  [
    ['role', 'show'],
    'missing_argument',
    { command: 'agency role show', what: 'role', hint: 'Type `agency role show --help`.' },
  ],
  [
    ['list', 'x'],
    'unexpected_argument',
    { command: 'agency list', what: '"x"', hint: 'Type `agency list --help`.' },
  ],
  [
    ['list', '--', 'x'],
    'unexpected_argument',
    { command: 'agency list', what: '"x"', hint: 'Type `agency list --help`.' },
  ],
  [
    ['config', 'ste'],
    'unexpected_argument',
    { command: 'agency config', what: '"ste"', hint: 'Did you mean "set"? Type `agency config --help`.' },
  ],
  [
    ['credential', 'set', 'github-token', 'ghp_secret'],
    'unexpected_argument',
    {
      command: 'agency credential set',
      what: 'a second argument (it is not repeated here: it may be a secret)',
      hint: 'Type `agency credential set --help`.',
    },
  ],
  [
    ['credential', 'set', 'ghp_secret'],
    'bad_value',
    {
      value: '…',
      what: 'the argument name',
      expected: 'claude-token, github-token',
      hint: 'Type `agency credential set --help`.',
    },
  ],
  [
    ['end', '--all'],
    'missing_argument',
    { command: 'agency end', what: '--sure', hint: 'Type `agency end --help`.' },
  ],
  [
    ['end', '--sure'],
    'missing_argument',
    { command: 'agency end', what: 'exactly one of file, --all', hint: 'Type `agency end --help`.' },
  ],
  [
    ['end', 'x', '--all', '--sure'],
    'missing_argument',
    { command: 'agency end', what: 'exactly one of file, --all', hint: 'Type `agency end --help`.' },
  ],
]

test.each(refused)('%j is refused: %s', (argv, code, facts) => {
  expect(parse(specs, argv)).toEqual({ kind: 'wrong', wrong: { code, facts } })
})

test('help and version', () => {
  expect(parse(specs, [])).toEqual({ kind: 'help', words: [] })
  expect(parse(specs, ['-h'])).toEqual({ kind: 'help', words: [] })
  expect(parse(specs, ['role', '--help'])).toEqual({ kind: 'help', words: ['role'] })
  expect(parse(specs, ['role', 'show', '--help'])).toEqual({ kind: 'help', words: ['role', 'show'] })
  expect(parse(specs, ['help'])).toEqual({ kind: 'help', words: [] })
  expect(parse(specs, ['help', 'role', 'show'])).toEqual({ kind: 'help', words: ['role', 'show'] })
  expect(parse(specs, ['--version'])).toEqual({ kind: 'version' })
})

test.each([[['run', '--nonsense', '--help']], [['run', '--role', '--help']], [['run', 'x', 'y', '-h']]])(
  '%j is helped, however the rest is typed',
  (argv) => {
    expect(parse(specs, argv)).toEqual({ kind: 'help', words: ['run'] })
  },
)

test.each([
  [['config', 'set', 'a', '-1'], { key: 'a', value: '-1' }],
  [['list', '--pod', '-5'], { pod: '-5' }],
  [['config', 'set', 'a', '-'], { key: 'a', value: '-' }],
])('%j: a number below zero and a lone dash are values', (argv, values) => {
  expect(parse(specs, argv)).toMatchObject({ kind: 'run', line: { values } })
})

test('help behind `--` is for the program there', () => {
  expect(parse(specs, ['run', '--role', 'x', '--', '--help']).kind).toBe('run')
})

test('JSON is asked for before `--` only', () => {
  expect([wantsJson(['x', '--json']), wantsJson(['x', '--', '--json']), wantsJson(['--jso'])]).toEqual([
    true,
    false,
    false,
  ])
})

test('any argv is answered, never thrown at', () => {
  const token = fc.oneof(
    fc.string(),
    fc.constantFrom(
      'run',
      'role',
      'show',
      'config',
      'set',
      '--',
      '--role',
      '--override',
      '--json',
      '-h',
      '__proto__',
      '--__proto__=x',
    ),
  )
  fc.assert(
    fc.property(fc.array(token), (argv) => {
      const parsed = parse(specs, argv)
      expect(['help', 'version', 'run', 'wrong']).toContain(parsed.kind)
      expect(({} as Record<string, unknown>).x).toBeUndefined()
    }),
  )
})

test('an argument that may be repeated gathers all that is left, and none is fine', () => {
  const args = [
    { name: 'role', summary: '' },
    { name: 'more', summary: '', optional: true, repeat: true },
  ] as const
  const many: readonly Spec[] = [
    { words: ['role', 'test'], summary: '', group: '', agents: 'may', args, options: [], examples: [] },
  ]
  const lineOf = (...typed: string[]) => {
    const parsed = parse(many, ['role', 'test', ...typed])
    return parsed.kind === 'run' ? { ...parsed.line.values, ...parsed.line.lists } : parsed.kind
  }
  expect(lineOf('a')).toEqual({ role: 'a' })
  expect(lineOf('a', 'b', '--', '-c')).toEqual({ role: 'a', more: ['b', '-c'] })
  expect(lineOf('a', '')).toBe('wrong')
  expect(lineOf()).toBe('wrong')
})
