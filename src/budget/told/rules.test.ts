import { expect, test } from 'vitest'
import type { Line } from '../rules.ts'
import { adviceOf, lineText, noticeOf, opinionOf } from './rules.ts'

const line = (more: Partial<Line>): Line => ({
  scope: 'agent/coder-1',
  measure: 'turns',
  used: 50,
  of: 50,
  level: 'reached',
  ...more,
})

test.each<[Partial<Line>, string, string]>([
  [{}, '50 of 50 turns', 'coder-1 --turns +10'],
  [
    { measure: 'tokens', used: 900, of: 1000, scope: 'pod/web' },
    '900 of 1000 tokens, of the pod web',
    'pod/web --tokens +100000',
  ],
  [
    { measure: 'cost_usd', used: 4.904, of: 5, per: 'day', scope: 'root' },
    '$4.90 of $5.00 at API prices today, of all agents',
    'root --cost +1',
  ],
  [{ measure: 'cost_usd', used: 0.00251, of: 1 }, '$0.0025 of $1.00 at API prices', 'coder-1 --cost +1'],
  [{ measure: 'wall_ms', used: 5_400_000, of: 7_200_000 }, '1h30m of 2h of time', 'coder-1 --wall-time +30m'],
  [
    { measure: 'runs', used: 3, of: 3, scope: 'role/coder' },
    '3 of 3 runs, of the role coder',
    'role/coder --runs +1',
  ],
])('%j: %s', (more, text, advice) => {
  expect([lineText(line(more)), adviceOf(line(more))]).toEqual([text, `agency budget raise ${advice}`])
})

test('what lists and agents are told', () => {
  expect(noticeOf(line({}))).toBe('budget used up: 50 of 50 turns')
  expect(noticeOf(line({ used: 41, level: 'near' }))).toBe('budget: 41 of 50 turns')
  expect(opinionOf(line({}))).toEqual({
    layer: 'budget',
    verdict: 'deny',
    rule: 'turns',
    reason:
      'its budget is used up (50 of 50 turns); a person can let it go on with `agency budget raise coder-1 --turns +10`',
  })
})
