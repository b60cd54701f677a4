import { expect, onTestFinished, test } from 'vitest'
import { reduceOf } from '../state/rules.ts'
import { openStore } from '../store/sqlite.ts'
import { answering } from './answer.ts'
import { openReviews } from './desk.ts'
import type { ReviewFile } from './schema.ts'
import { settingOf } from './setting/rules.ts'

const day = 86_400_000
const place = { cwd: '/w', tree: '/w', home: '/h' }
const call = { id: 'c', tool: 'Bash', input: { command: 'git push' } }
const bound: ReviewFile = { reviewer: 'subagent', gates: { tools: ['Bash:git push*'] }, bind_tree: true }

const opened = async () => {
  const clock = { at: 100 * day }
  const store = await openStore({ file: ':memory:', reduce: reduceOf, now: () => new Date(clock.at) })
  onTestFinished(() => store.close())
  const reviews = openReviews({ store, now: () => clock.at, chance: () => 0 })
  const answers = answering({
    reviews,
    now: () => clock.at,
    agents: async () => new Map([['one', 'coder']]),
    tree: async (session) => `tree of ${session}`,
  })
  const of = (session: string) => reviews.of(session, async () => settingOf(bound, undefined))
  return { clock, reviews, answers, of }
}

const complete = { verdict: 'COMPLETE', summary: 'ok' } as const

test('what a person says is about the work as it was looked at last', async () => {
  const { answers, of } = await opened()
  await of('one').gate(call, { place, tree: 'tree of one' })
  expect(await answers.decide('one', { ...complete, by: 'ann' })).toMatchObject({
    agent: 'coder',
    review: { state: 'approved', approval: { tree: 'tree of one' }, decisions: [{ name: 'ann' }] },
  })
  expect(await of('one').gate(call, { place, tree: 'tree of one' })).toEqual({ kind: 'pass' })
  expect(await of('one').gate(call, { place, tree: 'another' })).toMatchObject({ kind: 'closed' })
})

test('a verdict about a session that nobody knows is noted where its secret is from', async () => {
  const { answers, reviews, of } = await opened()
  await of('one').prompted({ text: '#roz', person: true })
  const told = (await of('one').spawned({ id: 'roz-1' })) ?? ''
  const secret = /--secret (\w+)/.exec(told)?.[1] ?? expect.fail('no secret')
  await expect(answers.decide('two', { ...complete, secret })).rejects.toMatchObject({
    code: 'review_unknown',
  })
  await expect(answers.decide('two', complete)).rejects.toMatchObject({ code: 'review_unknown' })
  expect(await reviews.find('two')).toBeUndefined()
  expect((await reviews.find('one'))?.attempts).toMatchObject([{ slipped: true }])
  for (const ask of [answers.show, answers.trace])
    await expect(ask('two')).rejects.toMatchObject({ code: 'review_unknown' })
})

test('an empty secret is that of an agent: refused, and recorded', async () => {
  const { answers, reviews, of } = await opened()
  await of('one').prompted({ text: '#roz', person: true })
  await expect(answers.decide('one', { ...complete, secret: '', by: 'ann' })).rejects.toMatchObject({
    code: 'review_not_permitted',
  })
  expect(await reviews.find('one')).toMatchObject({ state: 'pending', refused: 1, decisions: [] })
})

test('what is old is forgotten, what is open stays, and a dry run changes nothing', async () => {
  const { clock, answers, of } = await opened()
  for (const session of ['one', 'two', 'three']) await of(session).prompted({ text: '#roz', person: true })
  for (const session of ['one', 'two']) await answers.decide(session, complete)
  clock.at += 8 * day
  await of('two').prompted({ text: 'hello', person: true })
  const expected = {
    removed: [{ session: 'one', agent: 'coder' }],
    kept: [
      { session: 'two', why: 'young' },
      { session: 'three', why: 'open' },
    ],
  }
  const week = { older_seconds: (7 * day) / 1000 }
  expect(await answers.clean({ ...week, dry_run: true })).toMatchObject(expected)
  expect(await answers.list()).toHaveLength(3)
  expect(await answers.clean(week)).toMatchObject(expected)
  expect((await answers.list()).map(({ session }) => session)).toEqual(['two', 'three'])
})

test('stats are of the days that were asked for', async () => {
  const { clock, answers, of } = await opened()
  await of('one').prompted({ text: '#roz', person: true })
  await of('one').stop({ again: false, background: false, tree: 'x' })
  expect(await answers.stats(1)).toMatchObject([{ tries: 1, pending: 1 }])
  clock.at += 2 * day
  expect(await answers.stats(1)).toEqual([])
  expect(await answers.stats(3)).toMatchObject([{ tries: 1 }])
})
