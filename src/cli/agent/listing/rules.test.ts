import { expect, test } from 'vitest'
import type { AgentEntry } from '../../../agent/api.ts'
import { agentLines, besides, inPod, markSilent, restLines } from './rules.ts'

const agent = (name: string, more: Partial<AgentEntry> = {}): AgentEntry => ({
  name,
  session: 's',
  managed: true,
  state: 'idle',
  text: 'idle',
  state_seconds: 65,
  launched_at: '2026-01-01T00:00:00.000Z',
  cwd: '/w',
  turns: 0,
  tokens: 0,
  cost_usd: 0,
  needs_you: false,
  background: 0,
  queued_messages: 0,
  ...more,
})

test('agents stand by pod, those without one first', () => {
  const blocked = { state: 'blocked', text: 'blocked (permission: Bash)', needs_you: true } as const
  expect(
    agentLines([
      agent('z', { pod: 'b', tokens: 12_345, cost_usd: 1.234 }),
      agent('y', { pod: 'a', role: 'coder', ...blocked }),
      agent('x', { tokens: 2_500_000 }),
      agent('c', { pod: 'b' }),
    ]),
  ).toEqual([
    'AGENT  STATE                         FOR  ROLE   TOKENS  COST   QUEUED  CWD',
    'x      idle                          1m   -      2.5M    $0.00  0       /w',
    'pod a',
    '  y    blocked (permission: Bash) !  1m   coder  0       $0.00  0       /w',
    'pod b',
    '  c    idle                          1m   -      0       $0.00  0       /w',
    '  z    idle                          1m   -      12.3k   $1.23  0       /w',
  ])
  expect(agentLines([])).toEqual([])
})

test('a pod is chosen, or all of them', () => {
  const all = [agent('x'), agent('y', { pod: 'a' })]
  expect(inPod(all, undefined)).toEqual(all)
  expect(inPod(all, 'a').map(({ name }) => name)).toEqual(['y'])
})

test('everything else, bridges last, launched agents not twice', () => {
  const shown = (id: string, type: 'agent' | 'bridge' | 'director') => ({
    id,
    name: id.split('/')[1] ?? '',
    type,
    state: 'idle' as const,
  })
  const lines = restLines(
    [shown('agents/x', 'agent'), shown('directors/b', 'bridge'), shown('directors/d', 'director')],
    [agent('x')],
  )
  expect(lines.map((line) => line.split(' ')[0])).toEqual(['NAME', 'd', 'b'])
})

test('who does not answer is silent, unless it has ended', () => {
  const [quiet, over] = [agent('q'), agent('o', { state: 'exited', text: 'exited (code 0)' })]
  expect(markSilent([quiet, over, agent('x')], new Set(['q', 'o']))).toEqual([
    { ...quiet, silent: true, text: 'silent (last: idle)' },
    over,
    agent('x'),
  ])
})

test('what an agent calls its state or its place cannot act on the terminal', () => {
  const hostile = '\u001b]0;owned\u0007\u001b[2J\u202e\nx'
  const [, line = ''] = agentLines([agent('x', { text: hostile, cwd: hostile, role: hostile })])
  expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/)
})

test('a pod is shown with its agents and the bridges, and without the rest', () => {
  const [x, y, d, b] = [
    { id: 'agents/x', type: 'agent' },
    { id: 'agents/y', type: 'agent' },
    { id: 'directors/d', type: 'director' },
    { id: 'directors/b', type: 'bridge' },
  ] as const
  const configured = { id: 'agents/z', type: 'agent', pod: 'a' } as const
  expect(besides([x, y, d, b, configured], [agent('y')], 'a')).toEqual([y, b, configured])
  expect(besides([configured], [], 'b')).toEqual([])
})
