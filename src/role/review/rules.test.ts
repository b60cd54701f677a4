import { expect, test } from 'vitest'
import { checkReview } from './rules.ts'
import type { GatePattern } from './schema.ts'

const said = (...tools: GatePattern[]) =>
  checkReview({ gates: { tools } }).map(({ message, warning, meant }) =>
    [warning ? 'warning' : 'wrong', message, ...(meant === undefined ? [] : [meant])].join(': '),
  )

test.each([
  'Bash:gh issue close*',
  'Bash(gh issue close:*)',
  'mcp__tissue__close*',
  'mcp__beads__*',
  'Edit(src/**)',
  'WebFetch(domain:x.org)',
  'Bash',
  '*',
])('%s is a gate', (pattern) => {
  expect(said(pattern)).toEqual([])
})

test.each([
  ['gh issue close*', 'wrong: review.gates.tools[0] is "gh issue close*", which names no tool'],
  ['Bash(gh', 'wrong: review.gates.tools[0] is "Bash(gh", which names no tool'],
  ['bash:gh*', 'wrong: review.gates.tools[0] is "bash:gh*", which names no tool'],
  ['Bash:gh\u200b*', 'wrong: review.gates.tools[0] has an invisible character'],
  ['Bsh:gh*', 'warning: review.gates.tools[0] is for "Bsh", which is no tool of Claude Code: Bash'],
])('%s is doubted', (pattern, words) => {
  const [first = '', ...more] = said(pattern)
  expect(first.slice(0, words.length)).toBe(words)
  expect(more).toEqual([])
})

test('examples that hold say nothing, whatever way they are written', () => {
  const gate = {
    pattern: 'Bash:gh issue close*',
    match: [
      'Bash(gh issue close 1)',
      'Bash:true && gh issue close 1 | cat',
      { tool: 'Bash', input: { command: 'bash -lc "gh issue close 1"' } },
    ],
    not_match: ['Bash(gh issue list)', 'Read(a.md)'],
  }
  const edit = { pattern: 'Edit(src/**)', match: ['Write(src/a.ts)'], not_match: ['Edit(docs/a.md)'] }
  expect(said(gate, edit)).toEqual([])
})

test('a wrong example is an error that names it and where it stands', () => {
  const gate = {
    pattern: 'Bash:gh issue close*',
    match: ['Bash(gh issue list)', 'nonsense call'],
    not_match: ['Bash(gh issue close 1)'],
  }
  expect(
    checkReview({ gates: { tools: ['Bash', gate] } }).map(({ keys, message }) => [keys, message]),
  ).toEqual([
    [
      ['review', 'gates', 'tools', 1, 'match', 0],
      'review.gates.tools[1].match[0] is wrong about Bash:gh issue close*, which does not stop Bash(gh issue list): runs nothing like it',
    ],
    [
      ['review', 'gates', 'tools', 1, 'match', 1],
      'review.gates.tools[1].match[1] is no call: "nonsense call" must start with a tool name, such as Bash or mcp__server__tool',
    ],
    [
      ['review', 'gates', 'tools', 1, 'not_match', 0],
      'review.gates.tools[1].not_match[0] is wrong about Bash:gh issue close*, which stops Bash(gh issue close 1): runs "gh issue close 1"',
    ],
  ])
})

test('what is skipped is judged too', () => {
  expect(checkReview({ gates: { skip: ['gh issue list'] } })).toHaveLength(1)
  expect(checkReview(undefined)).toEqual([])
})
