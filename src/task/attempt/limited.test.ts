import { expect, test } from 'vitest'
import type { Task } from '../schema.ts'
import { limitedUntil } from './rules.ts'

const task = (more: Partial<Task>): Task => ({
  id: 'task-a',
  agent: 'a',
  session: 's',
  preview: '',
  digest: '',
  at: 0,
  state: 'failed',
  ...more,
})
const [now, later] = ['2026-01-01T00:00:00.000Z', '2026-01-01T00:00:01.000Z']
const met = (endedAt: number, retry_at?: string): Task =>
  task({ endedAt, error: { type: 'rate_limited', message: '', ...(retry_at && { retry_at }) } })

test.each<[string, Task | undefined, string | undefined]>([
  ['nothing was done yet', undefined, undefined],
  ['the last one met a limit', met(2, later), later],
  ['it is over now', met(1, now), undefined],
  ['when it ends was not told', met(1), undefined],
  ['another was done since', task({ endedAt: 2, state: 'completed' }), undefined],
  [
    'another error',
    task({ endedAt: 1, error: { type: 'timeout', message: '', retry_at: later } }),
    undefined,
  ],
])('limited until: %s', (_, last, until) => expect(limitedUntil(last, now)).toBe(until))
