import { expect, test } from 'vitest'
import { completeRole } from '../rules.ts'
import type { RoleFile } from '../schema.ts'
import { readCall, tryExamples } from './rules.ts'

test.each([
  ['Bash(git push)', { tool: 'Bash', input: { command: 'git push' } }],
  ['Monitor(tail -f x)', { tool: 'Monitor', input: { command: 'tail -f x' } }],
  ['Write(notes.md)', { tool: 'Write', input: { file_path: 'notes.md' } }],
  ['NotebookEdit(a.ipynb)', { tool: 'NotebookEdit', input: { notebook_path: 'a.ipynb' } }],
  ['Grep(src)', { tool: 'Grep', input: { path: 'src' } }],
  ['Agent(actor)', { tool: 'Agent', input: { subagent_type: 'actor' } }],
  ['WebFetch(domain:x.org)', { tool: 'WebFetch', input: { url: 'https://x.org/' } }],
  ['WebFetch(https://x.org/a)', { tool: 'WebFetch', input: { url: 'https://x.org/a' } }],
  ['Skill(deploy)', { tool: 'Skill', input: { skill: 'deploy' } }],
  ['TodoWrite', { tool: 'TodoWrite', input: {} }],
  ['mcp__a__b', { tool: 'mcp__a__b', input: {} }],
  ['{"tool":"Bash","input":{"command":"a (b"}}', { tool: 'Bash', input: { command: 'a (b' } }],
  ['{"tool_name":"Read","tool_input":{"file_path":"x"}}', { tool: 'Read', input: { file_path: 'x' } }],
  ['{"tool":"TodoWrite"}', { tool: 'TodoWrite', input: {} }],
])('%s is a call', (text, call) => {
  expect(readCall(text)).toEqual({ call })
})

test.each([
  ['', 'a rule must name a tool'],
  ['git push', '"git push" must start with a tool name, such as Bash or mcp__server__tool'],
  ['TodoWrite(x)', 'TodoWrite has no input that could stand in parentheses: write the call as JSON'],
  ['{"tool":', '{"tool": is not JSON'],
  ['{"tool":7}', '{"tool":7} is no call: it needs "tool" and "input"'],
  ['{"tool":"Bash","input":[]}', '{"tool":"Bash","input":[]} is no call: it needs "tool" and "input"'],
])('%s is none', (text, problem) => {
  expect(readCall(text)).toEqual({ problem })
})

const place = { cwd: '/w', tree: '/w', home: '/h', root: '/h/.agency' }
const tried = (more: Partial<RoleFile>) =>
  tryExamples(completeRole({ name: 'r', instructions: 'i', ...more }), { place, sandboxed: false })

test('an example that does not hold says what is decided instead, and one that cannot be read says so', () => {
  const permissions = { allow: ['Bash(make *)'], deny: ['Bash(git push *)'] }
  const tests = {
    allow: ['Bash(make test)', 'Bash(make test; rm x)'],
    ask: ['Bash(git pull)', 'TodoWrite(x)'],
    deny: ['Bash(/usr/bin/git -C . push)'],
  }
  expect(tried({ permissions, tests }).map(({ example, got, passed }) => [example, got, passed])).toEqual([
    ['Bash(make test)', 'allow', true],
    ['Bash(make test; rm x)', 'ask', false],
    ['Bash(git pull)', 'ask', true],
    ['TodoWrite(x)', undefined, false],
    ['Bash(/usr/bin/git -C . push)', 'deny', true],
  ])
})

test('a file is there unless the example says otherwise, wherever it is run', () => {
  const input = { file_path: 'notes.md', content: '' }
  const capabilities = { can_read_files: true, can_create_files: true }
  const tests = {
    ask: [{ tool: 'Write', input, exists: false }],
    deny: ['Write(notes.md)', { tool: 'Write', input }],
  }
  expect(tried({ capabilities, tests }).filter(({ passed }) => !passed)).toEqual([])
})
