import { expect, test } from 'vitest'
import { type Answer, addressed, fold, interpret, matches, type Raw, subjectOf, substitute } from './rules.ts'

const exit = (code: number, stdout = '', stderr = ''): Raw => ({ kind: 'exit', code, stdout, stderr })
const body = (status: number, said: unknown = ''): Raw => ({
  kind: 'http',
  status,
  body: typeof said === 'string' ? said : JSON.stringify(said),
})
const own = (event: string, more: object) => ({ hookSpecificOutput: { hookEventName: event, ...more } })
const entry = { type: 'command' as const, command: 'x' }

test.each<[string, Raw, Answer]>([
  ['PreToolUse', exit(0), {}],
  ['PreToolUse', exit(0, 'hello'), {}],
  ['UserPromptSubmit', exit(0, 'hello'), { context: 'hello' }],
  ['SessionStart', exit(0, 'hello'), { context: 'hello' }],
  ['PreToolUse', exit(2, '', 'no\n'), { block: 'no' }],
  ['Stop', exit(2, '', 'more'), { block: 'more' }],
  ['PermissionRequest', exit(2, '', 'no'), {}],
  ['SessionStart', exit(2, '', 'no'), {}],
  ['PreToolUse', exit(1, '', 'no'), { failed: 'exit 1' }],
  ['PreToolUse', exit(0, '{'), { failed: 'output is not valid JSON' }],
  ['PreToolUse', { kind: 'failed', why: 'timed out' }, { failed: 'timed out' }],
  ['PreToolUse', body(204), {}],
  ['PreToolUse', body(200), {}],
  ['PreToolUse', body(200, 'ok'), { failed: 'output is not valid JSON' }],
  ['PreToolUse', body(403, own('PreToolUse', { permissionDecision: 'deny' })), { failed: 'HTTP 403' }],
  ['PreToolUse', body(302), { failed: 'HTTP 302' }],
  [
    'PreToolUse',
    body(200, own('PreToolUse', { permissionDecision: 'deny', permissionDecisionReason: 'r' })),
    { decision: 'deny', reason: 'r' },
  ],
  ['PreToolUse', body(200, own('PreToolUse', { updatedInput: { a: 1 } })), { input: { a: 1 } }],
  [
    'PreToolUse',
    body(200, own('PreToolUse', { permissionDecision: 'maybe' })),
    { failed: 'unknown decision maybe' },
  ],
  [
    'PreToolUse',
    body(200, own('Stop', { permissionDecision: 'deny' })),
    { failed: 'hookEventName is not PreToolUse' },
  ],
  ['PreToolUse', body(200, { decision: 'block', reason: 'r' }), { block: 'r' }],
  ['PreToolUse', body(200, { decision: 'approve' }), { decision: 'allow' }],
  ['PreToolUse', body(200, { decision: 'maybe' }), { failed: 'unknown decision maybe' }],
  ['PreToolUse', body(200, { continue: false, stopReason: 's' }), { stop: 's' }],
  [
    'PermissionRequest',
    body(200, own('PermissionRequest', { decision: { behavior: 'deny', message: 'm', interrupt: true } })),
    { decision: 'deny', reason: 'm', interrupt: true },
  ],
  [
    'PermissionRequest',
    body(
      200,
      own('PermissionRequest', {
        decision: { behavior: 'allow', updatedInput: { a: 1 }, updatedPermissions: [] },
      }),
    ),
    { decision: 'allow', input: { a: 1 }, permissions: [] },
  ],
  [
    'PermissionRequest',
    body(200, own('PermissionRequest', { decision: { behavior: 'x' } })),
    { failed: 'unknown behavior x' },
  ],
  [
    'PostToolUse',
    body(200, own('PostToolUse', { updatedToolOutput: 'o', additionalContext: 'c' })),
    { output: 'o', context: 'c' },
  ],
  ['SessionStart', exit(0, JSON.stringify(own('SessionStart', { initialUserMessage: 'i' }))), { first: 'i' }],
])('%s %j means %j', (event, raw, answer) => expect(interpret(event, entry, raw)).toEqual(answer))

const why = '[x]: failed; blocking because onFailure is "block"'
test.each<[string, Answer]>([
  ['PreToolUse', { block: why }],
  ['UserPromptSubmit', { block: why }],
  ['PermissionRequest', { decision: 'deny', reason: why }],
  ['Stop', { failed: 'exit 1' }],
  ['SessionStart', { failed: 'exit 1' }],
])('onFailure block on %s', (event, answer) =>
  expect(interpret(event, { ...entry, onFailure: 'block' }, exit(1))).toEqual(answer),
)

test.each<[Answer[], Answer]>([
  [[], {}],
  [
    [
      { decision: 'allow', reason: 'a' },
      { decision: 'deny', reason: 'd' },
      { decision: 'ask', reason: 'q' },
    ],
    { decision: 'deny', reason: 'd' },
  ],
  [
    [
      { decision: 'deny', reason: 'd' },
      { decision: 'allow', reason: 'a' },
    ],
    { decision: 'deny', reason: 'd' },
  ],
  [[{ decision: 'allow' }, {}], { decision: 'allow' }],
  [[{ context: 'a' }, { context: 'b' }], { context: 'a\nb' }],
  [[{ block: 'first' }, { block: 'second' }], { block: 'first' }],
  [[{ decision: 'allow', input: { a: 1 } }, { decision: 'ask' }], { decision: 'ask', input: { a: 1 } }],
])('%j together are %j', (answers, sum) => expect(fold(answers)).toEqual(sum))

test.each([
  ['', 'Bash', true],
  ['*', 'Bash', true],
  ['Bash', 'Bash', true],
  ['bash', 'Bash', false],
  ['Bas', 'Bash', false],
  ['Write|Edit', 'Edit', true],
  ['Write|Edit', 'NotebookEdit', false],
  ['mcp__.*', 'mcp__a__b', true],
  ['Bash(touch *)', 'Bash', false],
  ['Task', 'Agent', true],
  ['Agent', 'Agent', true],
  ['roz:roz', 'roz:roz', true],
  ['roz', 'roz:roz', false],
  ['(', 'Bash', false],
])('the matcher %j on %s is %s', (matcher, subject, fits) => expect(matches(matcher, subject)).toBe(fits))

test.each([
  ['PreToolUse', { tool_name: 'Bash' }, 'Bash'],
  ['Stop', { agent_type: 'x' }, undefined],
  ['SessionStart', { source: 'resume' }, 'resume'],
  ['SubagentStop', { agent_type: 'roz:roz' }, 'roz:roz'],
  ['Notification', { notification_type: 'idle_prompt' }, 'idle_prompt'],
  ['SessionEnd', { reason: 'other' }, 'other'],
])('%s %j is matched by %s', (event, fields, subject) => expect(subjectOf(event, fields)).toBe(subject))

test('a header shows only variables that it may', () =>
  expect(substitute(`Bearer $A-$\{B}-$C`, ['A', 'B'], { A: 'a', B: 'b', C: 'secret' })).toBe('Bearer a-b-'))

test.each([
  [undefined, 'http://a/x', true],
  [[], 'http://a/x', false],
  [['http://a/*'], 'http://a/x', true],
  [['http://a/*'], 'http://ab/x', false],
  [['http://a.b/*'], 'http://axb/x', false],
])('addresses %j and %s: %s', (allowed, url, fits) => expect(addressed(allowed, url)).toBe(fits))
