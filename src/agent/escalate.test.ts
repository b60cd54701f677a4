import { expect, test } from 'vitest'
import type { Approval } from '../approval/schema.ts'
import type { Review } from '../review/schema.ts'
import type { Standing } from '../task/rules.ts'
import { afterEnd, askerOf, reviewedBy, standingOf } from './escalate.ts'

const review = (state: Review['state'], more: Partial<Review> = {}): Review => ({
  session: 's',
  at: 0,
  changed: 0,
  state,
  blocks: 0,
  turn: 1,
  prompts: [],
  decisions: [{ verdict: 'ISSUES', summary: 'No test.', message: 'Write one.', by: 'process', at: 0 }],
  attempts: [],
  refused: 0,
  compacted: 0,
  ...more,
})
const answered = (verdict: 'allow' | 'deny', via: 'cli' | 'expiry' = 'cli'): Approval => ({
  id: 'a1234',
  agent: 'a',
  session: askerOf('s'),
  hook: 'h',
  tool: 'review',
  input: {},
  terminal: false,
  at: 0,
  life: 'sent',
  answer: { verdict, by: 'ann', via, at: 1 },
})
const no = (why: string): Standing => ({
  refused: `The work was not accepted (${why}): No test.\nWrite one.`,
})

test.each<[string, Review | undefined, Approval | undefined, Standing]>([
  ['nothing is known', undefined, undefined, 'free'],
  ['nothing to review', review('idle'), undefined, 'free'],
  ['COMPLETE', review('approved'), undefined, 'free'],
  ['COMPLETE, after a no to what was before', review('approved'), answered('deny'), 'free'],
  ['a review is needed', review('pending'), undefined, 'held'],
  ['one is at work', review('blocked'), answered('deny'), 'held'],
  ['a person is asked', review('escalated'), undefined, 'held'],
  ['a yes that is not stored as a verdict yet', review('escalated'), answered('allow'), 'held'],
  ['a no', review('escalated'), answered('deny'), no('ann said no')],
  ['no answer in time', review('escalated'), answered('deny', 'expiry'), no('nobody accepted it in time')],
])('whether work counts: %s', (_, found, answer, expected) => {
  expect(standingOf(found, answer)).toEqual(expected)
})

test('a no without a verdict says why there is none', () => {
  const attempt = {
    id: 'r1',
    by: 'process',
    at: 0,
    blocks: 0,
    outcome: 'no_decision',
    why: 'It hung.',
  } as const
  const found = review('escalated', { decisions: [], attempts: [attempt] })
  expect(standingOf(found, answered('deny'))).toEqual({
    refused: 'The work was not accepted (ann said no): the reviewer gave no verdict: It hung.',
  })
})

test('what is open when its session ends stays undone', () => {
  expect([afterEnd('free'), afterEnd({ refused: 'x' })]).toEqual(['free', { refused: 'x' }])
  expect(afterEnd('held')).toMatchObject({ refused: expect.stringContaining('session ended') })
  expect([reviewedBy(askerOf('s')), reviewedBy('s')]).toEqual(['s', undefined])
})
