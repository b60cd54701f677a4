import { expect, test } from 'vitest'
import type { Gate, Stop } from '../../review/schema.ts'
import { context, gateReply, opinionsText, reviewerIn, silence, stopReply, type Way, wayOf } from './rules.ts'

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

test.each<[unknown, boolean]>([
  [[{ id: 'a', type: 'subagent', status: 'running', agent_type: 'roz:roz' }], true],
  [[{ id: 'a', type: 'subagent', status: 'completed', agent_type: 'roz:roz' }], false],
  [[{ id: 'a', type: 'subagent', status: 'running', agent_type: 'general-purpose' }], false],
  [[{ id: 'a', type: 'shell', status: 'running', description: 'roz:roz' }], false],
  [[null, 7, 'roz:roz'], false],
  [[], false],
  [undefined, false],
  ['roz:roz', false],
])('in %j a reviewer is at work: %s', (tasks, found) => expect(reviewerIn(tasks)).toBe(found))

test.each<[string[], RegExp]>([
  [[], /no program/],
  [['codex'], /ask `codex`\./],
  [['codex', 'gemini'], /ask `codex` and `gemini`\./],
])('with %j it is told %s', (programs, text) => expect(opinionsText(programs)).toMatch(text))
