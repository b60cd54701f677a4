import { expect, test } from 'vitest'
import { type Read, readEvent, reviewerIn } from './rules.ts'

const at = { session_id: '3f9c', cwd: '/w', transcript_path: '/t' }
const here = { session: '3f9c', cwd: '/w' }
const inside = { agent_id: 'a1', agent_type: 'roz:roz' }
const subagent = { id: 'a1', type: 'roz:roz' }
const call = { tool_name: 'Bash', tool_use_id: 't1' }

test.each<[string, object, Read]>([
  ['SessionStart', { source: 'clear' }, { event: { ...here, kind: 'started', source: 'clear' } }],
  [
    'UserPromptSubmit',
    { prompt: '#roz go' },
    { event: { ...here, kind: 'prompted', text: '#roz go', person: true } },
  ],
  [
    'UserPromptSubmit',
    { prompt: '<task-notification>\n#roz' },
    { event: { ...here, kind: 'prompted', text: '<task-notification>\n#roz', person: false } },
  ],
  ['UserPromptSubmit', {}, { problem: 'the hook input has no prompt' }],
  [
    'PreToolUse',
    { ...call, tool_input: { command: 'ls' } },
    { event: { ...here, kind: 'asked', id: 't1', tool: 'Bash', input: { command: 'ls' } } },
  ],
  ['PreToolUse', { tool_name: 'Bash', tool_input: {} }, { problem: 'the hook input has no tool_use_id' }],
  ['PostToolUse', call, { event: { ...here, kind: 'done', id: 't1', tool: 'Bash', ok: true } }],
  ['PostToolUseFailure', call, { event: { ...here, kind: 'done', id: 't1', tool: 'Bash', ok: false } }],
  ['SubagentStart', inside, { event: { ...here, subagent, kind: 'spawned' } }],
  ['SubagentStop', inside, { event: { ...here, subagent, kind: 'left' } }],
  // The one that compacting leaves behind.
  ['SubagentStop', { agent_type: '' }, { event: { ...here, kind: 'left' } }],
  [
    'Stop',
    { stop_hook_active: true },
    { event: { ...here, kind: 'stopped', again: true, background: false } },
  ],
  [
    'Stop',
    { stop_hook_active: 'yes' },
    { event: { ...here, kind: 'stopped', again: false, background: false } },
  ],
  ['SessionEnd', { reason: 'other' }, { event: { ...here, kind: 'ended', reason: 'other' } }],
  ['Notification', {}, undefined],
  ['toString', {}, undefined],
  ['Stop', { session_id: 7 }, { problem: 'the hook input has no session_id' }],
  ['Stop', { session_id: '../x' }, { problem: 'the hook input has a session_id that is none' }],
  ['Stop', { session_id: '' }, { problem: 'the hook input has a session_id that is none' }],
])('%s %j is read as %j', (name, input, read) => expect(readEvent(name, { ...at, ...input })).toEqual(read))

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
