import { expect, test } from 'vitest'
import { linesOf, type Present, type Result, runningPods, standing, tally } from './rules.ts'

const member = { name: 'a', role: 'r', pod: 'p', overrides: [], index: 1 }
const there: Present = { name: 'a', role: 'r', pod: 'p', text: 'idle', over: false }
const taken = (text: string): Result => ({
  name: 'a',
  role: 'r',
  result: 'failed',
  text: `another agent has that name: it runs ${text}`,
  error: 'name_in_use',
})

test.each<[string, readonly Present[], Result | undefined]>([
  ['nobody', [], undefined],
  ['somebody else', [{ ...there, name: 'b' }], undefined],
  ['one that has ended', [{ ...there, over: true }], undefined],
  ['itself', [there], { name: 'a', role: 'r', result: 'running', text: 'idle' }],
  [
    'itself, after an older one',
    [{ ...there, over: true }, there],
    { name: 'a', role: 'r', result: 'running', text: 'idle' },
  ],
  ['one of another pod', [{ ...there, pod: 'q' }], taken('in the pod "q", with the role "r"')],
  ['one of another role', [{ ...there, role: 's' }], taken('in the pod "p", with the role "s"')],
  ['a plain command', [{ name: 'a', text: '', over: false }], taken('in no pod, without a role')],
])('a launch finds %s', (_, present, expected) => {
  expect(standing(member, present)).toEqual(expected)
})

test('pods run while one of their agents does, and show the others too', () => {
  const agent = (name: string, pod: string | undefined, over: boolean): Present => ({
    name,
    pod,
    text: over ? 'exited' : 'idle',
    over,
  })
  expect(
    runningPods([
      agent('z', 'q', false),
      agent('b', 'p', true),
      agent('a', 'p', false),
      agent('c', 'gone', true),
      agent('d', undefined, false),
    ]),
  ).toEqual([
    { pod: 'p', agents: [agent('a', 'p', false), agent('b', 'p', true)] },
    { pod: 'q', agents: [agent('z', 'q', false)] },
  ])
})

test('each agent has its line, and all of them a sum', () => {
  const results: Result[] = [
    { name: 'a', result: 'launched', text: 'idle, pid 7' },
    { name: 'b', result: 'running', text: 'working (Bash)' },
    { name: 'c', result: 'failed', text: 'It did not start.', problems: ['no such file'] },
    { name: 'd', result: 'failed', text: 'So did this.' },
    { name: 'e', result: 'ended', text: '' },
  ]
  expect(results.flatMap(linesOf)).toEqual([
    'a: launched, idle, pid 7',
    'b: already running, working (Bash)',
    'c: failed: It did not start.',
    '    no such file',
    'd: failed: So did this.',
    'e: ended',
  ])
  expect(tally(results)).toBe('1 launched, 1 already running, 1 ended, 2 failed')
  expect(tally([])).toBe('')
})
