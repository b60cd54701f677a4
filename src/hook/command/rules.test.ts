import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { eventOf, parseHttp, passOn, readInput, refuse, targetOf } from './rules.ts'

const reason = (why: string): string =>
  `agency could not check this: ${why}. Nothing was allowed; retrying will not help until agency answers again.`
const pre = (own: object) => ({ hookSpecificOutput: { hookEventName: 'PreToolUse', ...own } })

test.each([
  ['pre-tool-use', 'PreToolUse'],
  ['PreToolUse', 'PreToolUse'],
  ['permission-request', 'PermissionRequest'],
  ['session-start', 'SessionStart'],
  ['user-prompt', 'UserPromptSubmit'],
  ['user-prompt-submit', 'UserPromptSubmit'],
  ['post-tool-use-failure', 'PostToolUseFailure'],
  ['stop', 'Stop'],
  ['constructor', undefined],
  ['__proto__', undefined],
  ['__defineGetter__', undefined],
  ['toString', undefined],
  ['pre_tool_use', undefined],
  ['', undefined],
  [undefined, undefined],
])('the event %s is %s', (word, event) => expect(eventOf(word)).toBe(event))

test.each([
  ['PreToolUse', {}, pre({ permissionDecision: 'deny', permissionDecisionReason: reason('x') })],
  [
    'PermissionRequest',
    {},
    {
      hookSpecificOutput: {
        hookEventName: 'PermissionRequest',
        decision: { behavior: 'deny', message: reason('x') },
      },
    },
  ],
  ['UserPromptSubmit', {}, { decision: 'block', reason: reason('x') }],
  ['ConfigChange', {}, { decision: 'block', reason: reason('x') }],
  ['Stop', {}, { decision: 'block', reason: reason('x') }],
  ['Stop', { stop_hook_active: false }, { decision: 'block', reason: reason('x') }],
  ['Stop', { stop_hook_active: true }, { systemMessage: reason('x') }],
  ['SubagentStop', {}, { decision: 'block', reason: reason('x') }],
  ['SubagentStop', { stop_hook_active: true }, { systemMessage: reason('x') }],
])('%s with %j is refused in its own shape', (event, input, said) => {
  const reply = refuse(event, 'x', input)
  expect({ ...reply, stdout: JSON.parse(reply.stdout) }).toEqual({ exit: 0, stdout: said, stderr: '' })
})

test('SessionStart reports by exit code and words; what only tells stays silent; no event is refused', () => {
  expect(refuse('SessionStart', 'x')).toEqual({ exit: 2, stdout: '', stderr: reason('x') })
  expect(refuse('PostToolUse', 'x')).toEqual({ exit: 0, stdout: '', stderr: 'x' })
  expect(refuse(undefined, 'x')).toEqual({ exit: 2, stdout: '', stderr: reason('x') })
})

test.each([
  ['PreToolUse', '', 'the hook input is empty'],
  ['PreToolUse', ' \n', 'the hook input is empty'],
  ['PreToolUse', '{', 'the hook input is not valid JSON'],
  ['PreToolUse', 'null', 'the hook input is not a JSON object'],
  ['PreToolUse', '[]', 'the hook input is not a JSON object'],
  ['PreToolUse', '"x"', 'the hook input is not a JSON object'],
  ['PreToolUse', '{"tool_name":"Bash"}', 'the hook input has no tool_input'],
  ['PermissionRequest', '{"tool_input":null}', 'the hook input has no tool_input'],
  ['PreToolUse', '{"tool_input":[]}', 'the hook input has no tool_input'],
  ['PreToolUse', '{"tool_input":{}}', 'the hook input has no tool_name'],
  ['PreToolUse', '{"tool_input":{},"tool_name":5}', 'the hook input has no tool_name'],
  ['PermissionRequest', '{"tool_input":{},"tool_name":""}', 'the hook input has no tool_name'],
  ['Stop', '{"hook_event_name":"PreToolUse"}', 'the hook input is not for Stop'],
])('%s with %j is a problem', (event, text, problem) => expect(readInput(event, text)).toEqual({ problem }))

test('an input is read as it is', () =>
  expect(readInput('PreToolUse', '{"tool_name":"x","tool_input":{}}')).toEqual({
    input: { tool_name: 'x', tool_input: {} },
  }))

const good: [string, object][] = [
  ['PreToolUse', pre({ permissionDecision: 'allow' })],
  ['PreToolUse', pre({ permissionDecision: 'defer' })],
  ['PreToolUse', pre({ updatedInput: {} })],
  ['PreToolUse', {}],
  ['PreToolUse', { decision: 'block', reason: 'no' }],
  ['PermissionRequest', { hookSpecificOutput: { hookEventName: 'PermissionRequest' } }],
  [
    'PermissionRequest',
    { hookSpecificOutput: { hookEventName: 'PermissionRequest', decision: { behavior: 'allow' } } },
  ],
  ['SessionStart', { hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext: 'x' } }],
]
test.each(good)('%s: %j is passed on', (event, answer) =>
  expect(passOn(event, { status: 200, body: JSON.stringify(answer) }, {})).toEqual({
    exit: 0,
    stdout: JSON.stringify(answer),
    stderr: '',
  }),
)

const bad: [number, string][] = [
  [200, ''],
  [200, 'ok'],
  [200, 'null'],
  [200, '[]'],
  [200, JSON.stringify(pre({ permissionDecision: 'maybe' }))],
  [200, JSON.stringify({ hookSpecificOutput: { hookEventName: 'Stop', permissionDecision: 'allow' } })],
  [200, JSON.stringify({ hookSpecificOutput: null })],
  [200, JSON.stringify({ decision: 'allow' })],
  [201, '{}'],
  [302, ''],
  [403, JSON.stringify(pre({ permissionDecision: 'allow' }))],
  [500, '{}'],
]
test.each(bad)('%i %s is a refusal', (status, body) => {
  const { exit, stdout } = passOn('PreToolUse', { status, body }, {})
  expect([exit, JSON.parse(stdout).hookSpecificOutput.permissionDecision]).toEqual([0, 'deny'])
})

test('204 is no opinion', () =>
  expect(passOn('PreToolUse', { status: 204, body: '' }, {})).toEqual({ exit: 0, stdout: '', stderr: '' }))

test('nothing but a permission that was given lets a call run', () => {
  fc.assert(
    fc.property(fc.integer({ min: 100, max: 599 }), fc.oneof(fc.json(), fc.string()), (status, body) => {
      const { exit, stdout } = passOn('PreToolUse', { status, body }, {})
      if (status === 204) return stdout === '' && exit === 0
      const said = JSON.parse(stdout)
      return exit === 0 && (said.hookSpecificOutput?.permissionDecision === 'deny' || status === 200)
    }),
  )
})

test.each([
  ['http://127.0.0.1:4000/hook', { host: '127.0.0.1', port: 4000, path: '/hook' }],
  ['http://localhost:1', { host: 'localhost', port: 1, path: '/' }],
  ['http://[::1]:80/a?b=c', { host: '::1', port: 80, path: '/a?b=c' }],
  ['/run/x.sock', { socket: '/run/x.sock', path: '/hook' }],
  ['https://127.0.0.1:1/', undefined],
  ['http://127.0.0.1/', undefined],
  ['http://127.0.0.1:70000/', undefined],
  ['http://a@b:1/', undefined],
  ['http://127.0.0.1:1/a\r\nX: y', undefined],
  ['', undefined],
  [undefined, undefined],
])('the target %s', (text, target) => expect(targetOf(text)).toEqual(target))

test.each<[string, string, boolean, object | undefined]>([
  ['a length', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}', false, { status: 200, body: '{}' }],
  ['a length not reached', 'HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n{}', true, undefined],
  [
    'more than the length',
    'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}HTTP',
    false,
    { status: 200, body: '{}' },
  ],
  [
    'chunks',
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n1\r\n}\r\n0\r\n\r\n',
    false,
    { status: 200, body: '{}' },
  ],
  ['chunks cut off', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{}', true, undefined],
  ['chunks of no size', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n', true, undefined],
  ['until the end', 'HTTP/1.0 200 OK\r\n\r\n{}', true, { status: 200, body: '{}' }],
  ['until the end, still open', 'HTTP/1.0 200 OK\r\n\r\n{}', false, undefined],
  ['no body', 'HTTP/1.1 204 No Content\r\n\r\n', false, { status: 204, body: '' }],
  ['a head cut off', 'HTTP/1.1 204 No', true, undefined],
  [
    'go on, then an answer',
    'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 x\r\n\r\n',
    false,
    { status: 204, body: '' },
  ],
  ['no HTTP', 'SSH-2.0-x\r\n\r\n', true, undefined],
  ['nothing', '', true, undefined],
])('an answer with %s', (_, raw, closed, heard) => expect(parseHttp(raw, closed)).toEqual(heard))
