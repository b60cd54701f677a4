import { expect, test } from 'vitest'
import type { AgentEntry } from '../../../agent/api.ts'
import { agentLines, inPod, restLines } from './rules.ts'

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
    '  y      blocked (permission: Bash) !  1m   coder  0       $0.00  0       /w',
    'pod b',
    '  c      idle                          1m   -      0       $0.00  0       /w',
    '  z      idle                          1m   -      12.3k   $1.23  0       /w',
  ])
  expect(agentLines([])).toEqual([])
})

test('a pod is chosen, or all of them', () => {
  const all = [agent('x'), agent('y', { pod: 'a' })]
  expect(inPod(all, undefined)).toEqual(all)
  expect(inPod(all, '*')).toEqual(all)
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
