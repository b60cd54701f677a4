import { expect, test } from 'vitest'
import type { Mode } from '../argv/schema.ts'
import { type Call, commands, isRead, judge, ruleMatches, unavailable } from './rules.ts'

const cwd = '/w'
const bash = (command: string): Call => ({ tool: 'Bash', input: { command }, cwd })
const write = (file_path: string): Call => ({ tool: 'Write', input: { file_path, content: '' }, cwd })
const none = { allow: [], deny: [], ask: [] }

test.each([
  ['a && b || c; d | e & f\ng', ['a', 'b', 'c', 'd', 'e', 'f', 'g']],
  ['echo "a && b"', ['echo "a && b"']],
  ['echo a 2>&1', ['echo a 2>&1']],
  ['', []],
])('%j is %j', (line, parts) => expect(commands(line)).toEqual(parts))

test.each([
  ['echo hi', true],
  ['ls -la | wc -l', true],
  ['cat a 2>&1', true],
  ['cat a > /dev/null', true],
  ['git status', true],
  ['git push', false],
  ['echo hi > a', false],
  ['echo $(touch a)', false],
  ['echo "a > b"', true],
  ['find . -exec rm {} +', false],
  ['touch a', false],
  ['echo a && touch b', false],
])('%j only reads: %s', (line, reads) => expect(isRead(line)).toBe(reads))

test.each<[string, Call, boolean, boolean]>([
  ['Bash', bash('x'), false, true],
  ['Bash(*)', bash('x'), false, true],
  ['Bash(touch *)', bash('touch a'), false, true],
  ['Bash(touch:*)', bash('touch'), false, true],
  ['Bash(touch *)', bash('touchy'), false, false],
  ['Bash(npm run *)', bash('npm run x && rm y'), false, true],
  ['Bash(npm run *)', bash('npm run x && rm y'), true, false],
  ['Bash(git * main)', bash('git push main'), true, true],
  ['Edit', write('/w/a'), false, true],
  ['Write(//w/**)', write('/w/a/b'), false, true],
  ['Write(src/*)', write('/w/src/a'), false, true],
  ['Write(src/*)', write('/w/src/a/b'), false, false],
  ['Read', write('/w/a'), false, false],
])('%s on %j (every part: %s) is %s', (rule, { tool, input }, every, fits) =>
  expect(ruleMatches(rule, tool, input, cwd, every)).toBe(fits),
)

test('a rule about agents names their kind', () => {
  expect(ruleMatches('Task(Explore)', 'Agent', { subagent_type: 'Explore' }, cwd)).toBe(true)
  expect(ruleMatches('Agent(Plan)', 'Agent', { subagent_type: 'Explore' }, cwd)).toBe(false)
})

test.each<[Mode, Call, 'allow' | 'ask' | 'deny']>([
  ['default', bash('echo hi'), 'allow'],
  ['default', bash('touch a'), 'ask'],
  ['default', write('/w/a'), 'ask'],
  ['default', { tool: 'Read', input: { file_path: '/w/a' }, cwd }, 'allow'],
  ['default', { tool: 'Read', input: { file_path: '/etc/x' }, cwd }, 'ask'],
  ['acceptEdits', write('/w/a'), 'allow'],
  ['acceptEdits', write('/x/a'), 'ask'],
  ['acceptEdits', write('/w/../x'), 'ask'],
  ['acceptEdits', write('/w/.claude/settings.json'), 'ask'],
  ['acceptEdits', write('/w/.git/hooks/x'), 'ask'],
  ['acceptEdits', write('/w/.mcp.json'), 'ask'],
  ['acceptEdits', bash('echo x > .git/hooks/a'), 'ask'],
  ['acceptEdits', bash('touch a'), 'allow'],
  ['acceptEdits', bash('curl x'), 'ask'],
  ['bypassPermissions', write('/w/.claude/settings.json'), 'allow'],
  ['plan', write('/w/a'), 'ask'],
  ['dontAsk', bash('touch a'), 'deny'],
  ['dontAsk', bash('echo a'), 'allow'],
  ['auto', bash('touch a'), 'allow'],
  ['auto', bash('curl x'), 'deny'],
])('in %s mode %j is %s', (mode, call, behavior) =>
  expect(judge(call, { mode, ...none }).behavior).toBe(behavior),
)

test('what auto mode cannot judge is refused for want of a classifier', () =>
  expect(judge(bash('curl x'), { mode: 'auto', ...none })).toEqual({ behavior: 'deny', why: unavailable }))

test.each<[object, 'allow' | 'ask' | undefined, 'allow' | 'ask' | 'deny']>([
  [{ allow: ['Bash'] }, undefined, 'allow'],
  [{ allow: ['Bash'], deny: ['Bash(touch *)'] }, undefined, 'deny'],
  [{ deny: ['Bash(touch *)'] }, 'allow', 'deny'],
  [{ allow: ['Bash'], ask: ['Bash(touch *)'] }, undefined, 'ask'],
  [{ allow: ['Bash'] }, 'ask', 'ask'],
  [{}, 'allow', 'allow'],
])('%j and a hook that says %s: %s', (rules, hook, behavior) =>
  expect(judge(bash('touch a'), { mode: 'default', ...none, ...rules }, hook).behavior).toBe(behavior),
)

test('a denial holds in bypass mode, and so does a hook’s question', () => {
  expect(judge(bash('touch a'), { mode: 'bypassPermissions', ...none, deny: ['Bash'] }).behavior).toBe('deny')
  expect(judge(bash('touch a'), { mode: 'bypassPermissions', ...none }, 'ask').behavior).toBe('ask')
})
