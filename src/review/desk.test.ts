import { expect, onTestFinished, test } from 'vitest'
import { reduceOf } from '../state/rules.ts'
import { openStore } from '../store/sqlite.ts'
import { verify } from '../store/verify.ts'
import { openReviews } from './desk.ts'
import type { Setting } from './schema.ts'
import { settingOf } from './setting/rules.ts'

const place = { cwd: '/w', tree: '/w', home: '/h' }
const close1 = { id: 'c1', tool: 'Bash', input: { command: 'gh issue close 1' } }

const desk = async () => {
  const clock = { at: 1_000_000 }
  const store = await openStore({ file: ':memory:', reduce: reduceOf, now: () => new Date(clock.at) })
  onTestFinished(() => store.close())
  const reviews = openReviews({ store, now: () => clock.at, chance: () => 0 })
  return { clock, store, reviews }
}

const setting = (more: Parameters<typeof settingOf>[0] = {}): (() => Promise<Setting>) => {
  const found = settingOf(more, undefined)
  return async () => found
}

test('#roz, refused by a process: ISSUES is told, COMPLETE ends it', async () => {
  const { store, reviews } = await desk()
  const one = reviews.of('s1', setting())
  await one.started('startup')
  await one.prompted({ text: '#roz Fix bug', person: true })
  expect(await one.stop({ again: false, background: false })).toEqual({ kind: 'review' })
  const first = await one.begin('process')
  await one.decide(
    { verdict: 'ISSUES', summary: 'no test', message: 'Write one.' },
    { kind: 'process', attempt: first.id },
  )
  expect(await one.stop({ again: false, background: false })).toEqual({
    kind: 'block',
    reason:
      'The reviewer found ISSUES: no test\nWrite one.\nDo what is needed, then finish again: the work is reviewed again.',
  })
  expect(await one.stop({ again: true, background: false })).toEqual({ kind: 'review' })
  const second = await one.begin('process')
  await one.decide({ verdict: 'COMPLETE', summary: 'ok' }, { kind: 'process', attempt: second.id })
  expect(await one.stop({ again: true, background: false })).toEqual({ kind: 'pass' })
  expect((await reviews.trace('s1')).map(({ name }) => name)).toEqual([
    'SessionStart',
    'PromptReceived',
    'StopHookCalled',
    'ReviewerStarted',
    'RozDecision',
    'StopHookCalled',
    'StopHookCalled',
    'ReviewerStarted',
    'RozDecision',
    'StopHookCalled',
  ])
  expect(await verify(store, reduceOf)).toEqual([])
})

test('a gate of a subagent: the secret opens it once, and only for this call', async () => {
  const { reviews } = await desk()
  const gates = { tools: ['Bash:gh issue close*'], approval_scope: 'tool' as const }
  const one = reviews.of('s1', setting({ reviewer: 'subagent', gates }))
  expect(await one.gate({ ...close1, input: { command: 'ls' } }, { place })).toEqual({ kind: 'pass' })
  expect(await one.gate(close1, { place })).toMatchObject({ kind: 'closed', need: 'spawn' })
  const words = await one.spawned({ id: 'a1' })
  const secret = /--secret (\w+)/.exec(words ?? '')?.[1] ?? ''
  expect(await one.gate(close1, { place })).toMatchObject({ kind: 'closed', need: 'wait' })
  const complete = { verdict: 'COMPLETE' as const, summary: 'ok' }
  await expect(one.decide(complete, { kind: 'subagent', secret: 'guess' })).rejects.toMatchObject({
    code: 'review_not_permitted',
  })
  await one.decide(complete, { kind: 'subagent', secret })
  await expect(one.decide(complete, { kind: 'subagent', secret })).rejects.toMatchObject({
    code: 'review_not_permitted',
  })
  expect(await one.left({ id: 'a1' })).toEqual({ kind: 'pass' })
  expect(await one.gate(close1, { place })).toEqual({ kind: 'pass' })
  const other = { ...close1, id: 'c2' }
  expect(await one.gate(other, { place })).toMatchObject({ kind: 'closed', need: 'spawn' })
})
