import fc from 'fast-check'
import { expect, test } from 'vitest'
import { mangled, values } from '../../../../test/samples/read.ts'
import type { Answer, HookEvent } from '../../schema.ts'
import { answerHook, readAny, readCall, readHook } from './rules.ts'

const place = { session_id: 's', transcript_path: '/t.jsonl', cwd: '/c' }
const ours = { session: 's', transcript: '/t.jsonl', cwd: '/c' }
const bash = { tool_name: 'Bash', tool_input: { command: 'ls' }, tool_use_id: 'toolu_1' }
const call = { id: 'toolu_1', tool: 'Bash', input: { command: 'ls' } }

test.each([
  ['SessionStart', { source: 'resume' }, { kind: 'session_started', source: 'resume' }],
  ['SessionEnd', { reason: 'other' }, { kind: 'session_ended', reason: 'other' }],
  [
    'UserPromptSubmit',
    { prompt: 'hi @/etc/passwd' },
    { kind: 'prompted', text: 'hi @/etc/passwd', origin: 'person', reads: ['/etc/passwd'] },
  ],
  [
    'UserPromptSubmit',
    { prompt: '[agency m1 from ann]\nhi' },
    {
      kind: 'prompted',
      text: '[agency m1 from ann]\nhi',
      origin: 'message',
      header: { id: 'm1', sender: 'ann' },
      reads: [],
    },
  ],
  [
    'UserPromptSubmit',
    { prompt: '<task-notification>\n' },
    { kind: 'prompted', text: '<task-notification>\n', origin: 'notification', reads: [] },
  ],
  ['PreToolUse', bash, { kind: 'tool_asked', call }],
  ['PostToolUse', { ...bash, duration_ms: 5, tool_response: {} }, { kind: 'tool_done', call, ms: 5 }],
  [
    'PostToolUseFailure',
    { ...bash, error: 'Exit code 1' },
    { kind: 'tool_failed', call, error: 'Exit code 1', interrupted: false },
  ],
  ['PermissionRequest', bash, { kind: 'permission_asked', tool: 'Bash', input: { command: 'ls' } }],
  ['PermissionDenied', { ...bash, reason: 'no' }, { kind: 'permission_denied', call, reason: 'no' }],
  ['Stop', {}, { kind: 'turn_ended', again: false, last: '', background: [] }],
  [
    'Stop',
    { stop_hook_active: true, last_assistant_message: 'x', background_tasks: 'what?' },
    {
      kind: 'turn_ended',
      again: true,
      last: 'x',
      background: [{ id: 'unknown', kind: 'unknown', description: '' }],
    },
  ],
  ['StopFailure', { error: 'server_error' }, { kind: 'turn_failed', error: 'server_error', last: '' }],
  ['SubagentStop', { agent_type: '', last_assistant_message: 'x' }, { kind: 'other', name: 'SubagentStop' }],
  ['PreCompact', { trigger: 'auto' }, { kind: 'compacting', trigger: 'auto' }],
  ['PostCompact', { trigger: 'auto' }, { kind: 'compacted', trigger: 'auto' }],
  [
    'Notification',
    { notification_type: 'idle_prompt', message: 'waiting' },
    { kind: 'notified', type: 'idle_prompt', text: 'waiting' },
  ],
  [
    'ConfigChange',
    { source: 'project_settings', file_path: '/c/.claude/settings.json' },
    { kind: 'config_changed', source: 'project_settings', path: '/c/.claude/settings.json' },
  ],
  ['SomethingNew', { x: 1 }, { kind: 'other', name: 'SomethingNew' }],
  ['toString', {}, { kind: 'other', name: 'toString' }],
])('%s is read', (hook_event_name, fields, event) => {
  const read = readHook({ ...place, hook_event_name, ...fields })
  expect(read).toEqual({ ok: true, event: { ...ours, ...event } })
})

test('turn, mode and subagent are kept', () => {
  const more = { prompt_id: 'p', permission_mode: 'plan', agent_id: 'a', agent_type: 'roz:roz' }
  const input = { ...place, ...more, hook_event_name: 'SubagentStop', last_assistant_message: 'x' }
  expect(readHook({ ...input, agent_transcript_path: '/a.jsonl' })).toEqual({
    ok: true,
    event: {
      ...ours,
      turn: 'p',
      mode: 'plan',
      subagent: { id: 'a', type: 'roz:roz' },
      kind: 'subagent_ended',
      last: 'x',
      record: '/a.jsonl',
    },
  })
})

test.each([
  [undefined],
  ['text'],
  [[]],
  [{}],
  [{ ...place }],
  [{ ...place, hook_event_name: '' }],
  [{ ...place, session_id: '', hook_event_name: 'Stop' }],
  [{ ...place, hook_event_name: 'PreToolUse' }],
  [{ ...place, hook_event_name: 'PreToolUse', ...bash, tool_use_id: 7 }],
  [{ ...place, hook_event_name: 'UserPromptSubmit', prompt: ['hi'] }],
])('what is no hook input is a problem, never an event: %j', (body) => {
  expect(readHook(body)).toMatchObject({ ok: false, problem: expect.any(String) })
})

test.each([
  ['auto', 'session_started prompted tool_asked permission_denied other turn_ended session_ended'],
  [
    'config',
    'session_started prompted tool_asked config_changed tool_done other tool_asked tool_done other turn_ended session_ended',
  ],
  ['overload', 'session_started prompted turn_failed session_ended'],
  [
    'stop-block',
    'session_started prompted turn_ended turn_ended session_ended session_started prompted session_ended',
  ],
  [
    'subagent',
    'session_started prompted tool_asked subagent_started tool_asked permission_asked tool_done other subagent_ended tool_done tool_asked permission_asked tool_done other turn_ended session_ended',
  ],
  [
    'background',
    'session_started prompted tool_asked subagent_started tool_done tool_asked tool_asked permission_asked permission_asked tool_done other tool_done other turn_ended subagent_ended prompted turn_ended session_ended',
  ],
])('the recorded session "%s" is read whole', (name, kinds) => {
  const reads = values(`hook/${name}.jsonl`).map(readHook)
  expect(reads.map((read) => (read.ok ? read.event.kind : read.problem)).join(' ')).toBe(kinds)
})

test.each(['tools', 'terminal'])('every hook of the recorded session "%s" is understood', (name) => {
  expect(
    values(`hook/${name}.jsonl`)
      .map(readHook)
      .filter((read) => !read.ok),
  ).toEqual([])
})

test('a background task that ended is no prompt of a person', () => {
  const origins = values('hook/background.jsonl').flatMap((body) => {
    const read = readHook(body)
    return read.ok && read.event.kind === 'prompted' ? [read.event.origin] : []
  })
  expect(origins).toEqual(['person', 'notification'])
})

test('a hook with anything else in any place is read, or refused with its reason', () => {
  const recorded = ['tools', 'background', 'config'].flatMap((name) => values(`hook/${name}.jsonl`))
  fc.assert(
    fc.property(mangled(recorded), (body) => {
      const read = readHook(body)
      expect(read.ok ? read.event.kind : read.problem).toMatch(/./)
    }),
  )
})

test('the hooks of calls are read without the schema as the schema reads them', () => {
  const calls = values('hook/tools.jsonl').filter((body) => readCall(body) !== undefined)
  expect(calls.length).toBeGreaterThan(5)
  for (const body of calls) expect(readCall(body)).toEqual(readAny(body))
  fc.assert(
    fc.property(mangled(calls), (body) => {
      const read = readCall(body)
      if (read !== undefined) expect(read).toEqual(readAny(body))
    }),
    { numRuns: 2_000, seed: 7 },
  )
  for (const body of [null, undefined, 'text', 7, [], {}]) expect(readCall(body)).toBeUndefined()
})

const event = (name: string): HookEvent => {
  const read = readHook({ ...place, hook_event_name: name, prompt: '', ...bash, agent_type: 'x' })
  if (!read.ok) throw new Error(read.problem)
  return read.event
}
const specific = (hookEventName: string, fields: object) => ({
  hookSpecificOutput: { hookEventName, ...fields },
})
const none: Answer = { kind: 'none' }
const allow: Answer = { kind: 'allow' }
const ask: Answer = { kind: 'ask', reason: 'why' }
const deny: Answer = { kind: 'deny', reason: 'no' }
const context: Answer = { kind: 'context', text: 'note' }
const blocked = { decision: 'block', reason: 'no' }

test.each([
  ['PreToolUse', none, undefined],
  ['PreToolUse', allow, specific('PreToolUse', { permissionDecision: 'allow' })],
  ['PreToolUse', ask, specific('PreToolUse', { permissionDecision: 'ask', permissionDecisionReason: 'why' })],
  [
    'PreToolUse',
    deny,
    specific('PreToolUse', { permissionDecision: 'deny', permissionDecisionReason: 'no' }),
  ],
  ['PreToolUse', context, specific('PreToolUse', { additionalContext: 'note' })],
  ['PermissionRequest', none, undefined],
  ['PermissionRequest', ask, undefined],
  ['PermissionRequest', allow, specific('PermissionRequest', { decision: { behavior: 'allow' } })],
  [
    'PermissionRequest',
    { ...allow, rules: ['Bash(git push (now))', 'mcp__a__b'] },
    specific('PermissionRequest', {
      decision: {
        behavior: 'allow',
        updatedPermissions: [
          {
            type: 'addRules',
            rules: [{ toolName: 'Bash', ruleContent: 'git push (now)' }, { toolName: 'mcp__a__b' }],
            behavior: 'allow',
            destination: 'session',
          },
        ],
      },
    }),
  ],
  [
    'PermissionRequest',
    deny,
    specific('PermissionRequest', { decision: { behavior: 'deny', message: 'no' } }),
  ],
  [
    'PermissionRequest',
    { ...deny, interrupt: true },
    specific('PermissionRequest', { decision: { behavior: 'deny', message: 'no', interrupt: true } }),
  ],
  [
    'PreToolUse',
    { ...deny, interrupt: true },
    {
      continue: false,
      stopReason: 'no',
      ...specific('PreToolUse', { permissionDecision: 'deny', permissionDecisionReason: 'no' }),
    },
  ],
  ['Stop', none, undefined],
  ['Stop', allow, undefined],
  ['Stop', deny, blocked],
  ['Stop', { ...none, warning: 'unreviewed' }, { systemMessage: 'unreviewed' }],
  ['UserPromptSubmit', { ...none, warning: 'x' }, undefined],
  ['SubagentStop', deny, blocked],
  ['ConfigChange', deny, blocked],
  ['UserPromptSubmit', allow, undefined],
  ['UserPromptSubmit', deny, blocked],
  ['UserPromptSubmit', context, specific('UserPromptSubmit', { additionalContext: 'note' })],
  ['PostToolUse', context, specific('PostToolUse', { additionalContext: 'note' })],
  ['SessionStart', context, specific('SessionStart', { additionalContext: 'note' })],
  ['SessionStart', deny, undefined],
  ['Notification', deny, undefined],
] as [string, Answer, unknown][])('%s answered with %j', (name, answer, body) => {
  expect(answerHook(event(name), answer)).toEqual(body)
})
