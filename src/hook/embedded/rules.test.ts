import { expect, test } from 'vitest'
import { gatedBy } from '../../review/gate/rules.ts'
import type { Gate, Stop } from '../../review/schema.ts'
import { settingOf } from '../../review/setting/rules.ts'
import {
  context,
  gateReply,
  isUntouched,
  mayConcern,
  opinionsText,
  quoted,
  reviewerText,
  silence,
  stopReply,
  type Way,
  wayOf,
} from './rules.ts'

test.each<[Record<string, string>, Way]>([
  [{}, 'embedded'],
  [{ CLAUDE_PLUGIN_ROOT: '/p' }, 'embedded'],
  [{ AGENCY_HOOK: '', AGENCY_ACTOR: '' }, 'embedded'],
  [{ AGENCY_HOOK: 'http://127.0.0.1:1/hook' }, 'listener'],
  [{ AGENCY_ACTOR: 'coder-1' }, 'listener'],
  [{ AGENCY_ACTOR: 'coder-1', CLAUDE_PLUGIN_ROOT: '/p' }, 'silent'],
  [{ AGENCY_HOOK: '/s', AGENCY_ACTOR: 'coder-1', CLAUDE_PLUGIN_ROOT: '/p' }, 'silent'],
])('with %j the way is %s', (env, way) => expect(wayOf(env)).toBe(way))

const json = ({ stdout }: { stdout: string }): unknown => (stdout === '' ? undefined : JSON.parse(stdout))

test.each<[Gate, unknown]>([
  [{ kind: 'pass' }, undefined],
  [
    { kind: 'closed', pattern: 'x', reason: 'review first', need: 'spawn' },
    {
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        permissionDecision: 'deny',
        permissionDecisionReason: 'review first',
      },
    },
  ],
])('the gate %j says %j', (gate, said) => expect(json(gateReply(gate))).toEqual(said))

test.each<[Exclude<Stop, { kind: 'review' }>, unknown]>([
  [{ kind: 'pass' }, undefined],
  [{ kind: 'pass', warning: 'unreviewed', escalated: true }, { systemMessage: 'unreviewed' }],
  [
    { kind: 'block', reason: 'not yet' },
    { decision: 'block', reason: 'not yet' },
  ],
])('the stop %j says %j', (stop, said) => expect(json(stopReply(stop))).toEqual(said))

test('no context is silence', () => {
  expect(context('SessionStart', undefined)).toBe(silence)
  expect(json(context('SessionStart', 'x'))).toEqual({
    hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext: 'x' },
  })
})

test.each<[string[], RegExp]>([
  [[], /no program/],
  [['codex'], /ask `codex`\./],
  [['codex', 'gemini'], /ask `codex` and `gemini`\./],
])('with %j it is told %s', (programs, text) => expect(opinionsText(programs)).toMatch(text))

test.each([
  ['/opt/roz', '/opt/roz'],
  ['/My Files/roz', "'/My Files/roz'"],
  ["it's", `'it'\\''s'`],
])('%s is typed as %s', (text, typed) => expect(quoted(text)).toBe(typed))

const settings = (tools: string[]) => {
  const setting = settingOf({}, undefined)
  return { ...setting, gates: { ...setting.gates, tools } }
}
const bash = (command: unknown) => ({ tool: 'Bash', input: { command } })

test.each<[string[], Parameters<typeof mayConcern>[1], boolean]>([
  [[], bash('ls'), false],
  [[], bash('roz decide'), true],
  [[], bash('/opt/agency review decide'), true],
  [[], bash(7), false],
  [[], { tool: 'Bash', input: null }, false],
  [[], { tool: 'Read', input: { command: 'roz' } }, false],
  [[], { ...bash('ls'), subagent: { id: 'a', type: 'roz:roz' } }, true],
  [[], { ...bash('ls'), subagent: { id: 'a', type: 'Explore' } }, false],
  [['Edit'], bash('ls'), true],
  [['Bash:gh*', ' Bash(gh *)', 'Bash'], { tool: 'Read', input: {} }, false],
  [['Bash:gh*'], { tool: 'Monitor', input: {} }, true],
  [['Bash*'], { tool: 'BashOutput', input: {} }, true],
  [['Bash:gh*', 'Read'], { tool: 'Read', input: {} }, true],
])('with the gates %j the call %j may concern them: %s', (tools, call, may) =>
  expect(mayConcern(settings(tools), call)).toBe(may),
)

test.each<[string, boolean]>([
  ['', true],
  ['# a\n\nstore: sqlite\nhost:\n  # b\n  port: 0\n  log_level: info\n', true],
  ['review: {}\n', false],
  ['reviw: {}\n', false],
  ['host:\n  port: 8080\n', false],
  ['store: sqlite # ours\nreview: {}', false],
  ['\u00a0review: {}', false],
])('%j is as init made it: %s', (text, untouched) => expect(isUntouched(text)).toBe(untouched))

test('a reviewer is told by which program it asks and decides', () => {
  const told = 'Run one of these:\n  roz decide s1 COMPLETE "x"\n  roz decide s1 ISSUES "x"'
  expect(reviewerText(told, '/p/bin/roz', 's1').split('\n')).toEqual([
    'The review gate:',
    'Run one of these:',
    '  /p/bin/roz decide s1 COMPLETE "x"',
    '  /p/bin/roz decide s1 ISSUES "x"',
    'What the person asked for, and what was found before, is told by this:',
    '  /p/bin/roz context s1',
  ])
})

test('no gate is about a call that is not looked at', () => {
  const place = { cwd: '/w', tree: '/w', home: '/h' }
  const tools = [
    'Bash',
    'BashOutput',
    'Monitor',
    'PowerShell',
    'Read',
    'Edit',
    'mcp__Bash__run',
    'Agent',
    '*',
    '',
  ]
  const patterns = tools.flatMap((tool) => [
    tool,
    `${tool}:x*`,
    `${tool}(x *)`,
    ` ${tool} `,
    `${tool}*`,
    `B${tool}`,
  ])
  for (const pattern of patterns.filter((each) => each.trim() !== ''))
    for (const tool of tools) {
      const call = { tool, input: { command: 'x y', file_path: '/w/x' } }
      const setting = settings([pattern])
      if (!mayConcern(setting, call))
        expect([pattern, gatedBy(setting.gates, call, place)]).toEqual([pattern, undefined])
    }
})
