import { expect, test } from 'vitest'
import { order } from '../../../../test/samples/order.ts'
import type { Order } from '../../schema.ts'
import { features, oldest, parseVersion } from '../version/rules.ts'
import { argv, argvProblems, extraProblems, longestWord } from './rules.ts'

const id = '00000000-0000-4000-8000-000000000001'
const now = features(parseVersion('2.1.325') ?? oldest)
const old = features(oldest)
const settings = `--settings=${order.paths.settings}`

const cases: readonly [string, Partial<Order>, typeof now, readonly string[]][] = [
  ['a terminal', {}, now, [`--session-id=${id}`, '--permission-mode=manual', settings]],
  ['an older CLI', {}, old, [`--session-id=${id}`, '--permission-mode=default', settings]],
  [
    'headless',
    {
      terminal: false,
      prompt: '--help',
      maxTurns: 50,
      maxCostUsd: 0.25,
      model: 'sonnet',
      permissionMode: 'bypassPermissions',
    },
    now,
    [
      '--print',
      '--output-format=stream-json',
      '--verbose',
      `--session-id=${id}`,
      '--permission-mode=bypassPermissions',
      settings,
      '--model=sonnet',
      '--max-turns=50',
      '--max-budget-usd=0.25',
    ],
  ],
  [
    'a resumed session',
    { start: { kind: 'resume', id } },
    now,
    [`--resume=${id}`, '--permission-mode=manual', settings],
  ],
  [
    'a fork',
    { start: { kind: 'fork', from: 'parent', id } },
    now,
    ['--resume=parent', '--fork-session', `--session-id=${id}`, '--permission-mode=manual', settings],
  ],
  [
    'another role on resume',
    { start: { kind: 'resume', id }, switched: true, instructions: '- be kind', tools: ['Read', 'Bash'] },
    now,
    [
      `--resume=${id}`,
      '--permission-mode=manual',
      settings,
      '--append-system-prompt=- be kind',
      '--system-prompt-snapshot=off',
      '--tools=Read,Bash',
    ],
  ],
  [
    'another role on resume, older CLI: it replays nothing',
    { start: { kind: 'resume', id }, switched: true, systemPrompt: 'x' },
    old,
    [`--resume=${id}`, '--permission-mode=default', settings, '--system-prompt=x'],
  ],
  [
    'no tools, two rules, project settings left out, words of the user last',
    {
      tools: [],
      disallowed: ['WebFetch', 'Bash(touch a,b)'],
      ignoreProjectSettings: true,
      permissionMode: 'plan',
      extra: ['--effort', 'high'],
    },
    now,
    [
      `--session-id=${id}`,
      '--permission-mode=plan',
      settings,
      '--setting-sources=user',
      '--tools=',
      '--disallowedTools=WebFetch',
      '--disallowedTools=Bash(touch a,b)',
      '--effort',
      'high',
    ],
  ],
  [
    'an answer by schema',
    { terminal: false, prompt: 'x', jsonSchema: '{"type":"object"}' },
    now,
    [
      '--print',
      '--output-format=stream-json',
      '--verbose',
      `--session-id=${id}`,
      '--permission-mode=manual',
      settings,
      '--json-schema={"type":"object"}',
    ],
  ],
]

test.each(cases)('%s', (_, change, with_, words) => {
  const wanted = { ...order, ...change }
  expect(argv('/opt/claude', wanted, with_)).toEqual(['/opt/claude', ...words])
  expect(argvProblems(wanted)).toEqual([])
})

test.each([
  [[], []],
  [['--effort=high', '--debug', '--mcp-config', 'x.json'], []],
  [['say hi'], ['"say hi": a prompt cannot be given here; send it as a message']],
  [['--debug', 'hi'], ['"hi": a prompt cannot be given here; send it as a message']],
  [['--debug=hooks'], ['"--debug" takes no value']],
  [['--effort'], ['"--effort" needs a value']],
  [['--'], ['"--" cannot be given here; set it in the role']],
  [['--constructor'], ['"--constructor" cannot be given here; set it in the role']],
  ...[
    '--dangerously-skip-permissions',
    '--bare',
    '--safe-mode',
    '--settings',
    '--setting-sources',
    '-p',
    '--resume',
  ]
    .concat(['--permission-mode', '--allowedTools', '--allowed-tools', '--add-dir', '--bg', '--restricted'])
    .map((word) => [[`${word}=x`], [`"${word}" cannot be given here; set it in the role`]]),
] as [string[], string[]][])('behind "--": %j', (extra, problems) => {
  expect(extraProblems(extra)).toEqual(problems)
})

test.each([
  [{ instructions: 'ä'.repeat(longestWord / 2) }, []],
  [
    { instructions: `${'ä'.repeat(longestWord / 2)}x` },
    ['instructions has 120001 bytes; at most 120000 can be passed on'],
  ],
  [{ systemPrompt: 'a\0b' }, ['system_prompt contains a NUL character']],
  [{ tools: ['--bare'] }, ['"--bare" is no name of a tool']],
  [{ tools: ['Bash,Write'] }, ['a name of a tool has no comma']],
  [{ terminal: false }, ['a headless session needs a prompt']],
  [{ prompt: 'hi' }, ['a terminal session gets its prompt as a message']],
] as [Partial<Order>, string[]][])('an order that cannot be passed on %#', (change, problems) => {
  expect(argvProblems({ ...order, ...change })).toEqual(problems)
})
