import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { reduceOf } from '../state/rules.ts'
import { openStore } from '../store/sqlite.ts'
import type { Store } from '../store/store.ts'
import { verify } from '../store/verify.ts'
import { openReviews } from './desk.ts'
import type { Review, Setting } from './schema.ts'
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

const secretIn = (words: string | undefined): string => /--secret (\w+)/.exec(words ?? '')?.[1] ?? ''

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
  const secret = secretIn(await one.spawned({ id: 'a1' }))
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

test('a verdict that names another session opens neither, and is told of the reviewer that erred', async () => {
  const { reviews } = await desk()
  const [one, other] = ['s1', 's2'].map((id) => reviews.of(id, setting({ reviewer: 'subagent' })))
  if (one === undefined || other === undefined) throw new Error('two sessions')
  for (const each of [one, other]) await each.prompted({ text: '#roz', person: true })
  const secret = secretIn(await one.spawned({ id: 'a1' }))
  const complete = { verdict: 'COMPLETE' as const, summary: 'ok' }
  const refused = { code: 'review_not_permitted' }
  await expect(other.decide(complete, { kind: 'subagent', secret })).rejects.toMatchObject(refused)
  const nobody = reviews.of('unknown', setting())
  await expect(nobody.decide(complete, { kind: 'subagent', secret })).rejects.toMatchObject(refused)
  await expect(nobody.decide(complete, { kind: 'person', name: 'ann' })).rejects.toMatchObject({
    code: 'review_not_pending',
  })
  expect(await reviews.find('unknown')).toBeUndefined()
  expect((await other.state())?.refused).toBe(1)
  expect((await reviews.trace('s2')).map(({ name }) => name)).toEqual(['PromptReceived', 'DecisionRefused'])
  for (let turn = 0; turn < 3; turn += 1) await one.left({ id: 'a1' })
  expect((await one.state())?.attempts[0]?.outcome).toBe('bad_session_id')
  expect((await other.state())?.state).toBe('pending')
})

test('a secret is nowhere in the store', async () => {
  const { store, reviews } = await desk()
  const one = reviews.of('s1', setting({ reviewer: 'subagent' }))
  await one.prompted({ text: '#roz', person: true })
  const secret = secretIn(await one.spawned({ id: 'a1' }))
  expect(secret).toMatch(/^[0-9a-f]{64}$/)
  const all = JSON.stringify([await store.list(), await store.events({ after: 0, limit: 1000 })])
  expect(all).toContain('"secret":"')
  expect(all).not.toContain(secret)
})

test('a reviewer that nobody waits for is given no secret', async () => {
  const { store, reviews } = await desk()
  const one = reviews.of('s1', setting({ reviewer: 'subagent' }))
  expect(await one.spawned({ id: 'a1' })).toBeUndefined()
  expect((await store.list()).seq).toBe(0)
  await one.prompted({ text: '#roz', person: true })
  // A forged event of a session that a process reviews.
  expect(await reviews.of('s1', setting({ reviewer: 'process' })).spawned({ id: 'a1' })).toBeUndefined()
  expect(await one.spawned({ id: 'a1' })).toBeDefined()
})

test('where reviews are off, and for calls without a gate, nothing is read or written', async () => {
  const broken = new Proxy({} as Store, {
    get: () => {
      throw new Error('the store was asked')
    },
  })
  const one = openReviews({ store: broken, now: () => 0 }).of('s1', async () =>
    settingOf(undefined, undefined),
  )
  await one.started('startup')
  await one.prompted({ text: '#roz', person: true })
  await one.completed({ id: 'c', tool: 'Bash', ok: true })
  expect(await one.gate(close1, { place })).toEqual({ kind: 'pass' })
  expect(await one.stop({ again: false, background: false })).toEqual({ kind: 'pass' })
  const gated = openReviews({ store: broken, now: () => 0 }).of('s1', setting({ gates: { tools: ['Edit'] } }))
  expect(await gated.gate(close1, { place })).toEqual({ kind: 'pass' })
})

test('a store that fails, and a setting that cannot be read, are an error and no answer', async () => {
  const { store, reviews } = await desk()
  const one = reviews.of('s1', setting({ mode: 'always', gates: { tools: ['Bash'] } }))
  await store.close()
  for (const asked of [
    () => one.gate(close1, { place }),
    () => one.stop({ again: false, background: false }),
    () => one.begin('process'),
    () => one.decide({ verdict: 'COMPLETE', summary: '' }, { kind: 'person', name: 'ann' }),
  ])
    await expect(asked()).rejects.toMatchObject({ code: 'store_closed' })
  const lost = reviews.of('s1', () => Promise.reject(new Error('config.yaml')))
  await expect(lost.gate(close1, { place })).rejects.toThrow('config.yaml')
  await expect(lost.stop({ again: false, background: false })).rejects.toThrow('config.yaml')
})

test('a trace is cut at its limit, and says how much of it is gone', async () => {
  const { store, reviews } = await desk()
  const one = reviews.of('s1', setting({ trace: { max_events: 20 } }))
  await one.started('startup')
  for (let count = 0; count < 30; count += 1) await one.completed({ id: `c${count}`, tool: 'Bash', ok: true })
  await one.prompted({ text: 'hello', person: true })
  const first = await reviews.trace('s1')
  // Of 32, 15 are kept, and one says so.
  expect(first).toHaveLength(16)
  expect(first.at(-1)).toMatchObject({ name: 'TraceCompacted', data: { removed: 17 } })
  for (let count = 0; count < 70; count += 1) await one.completed({ id: `d${count}`, tool: 'Bash', ok: true })
  const second = await reviews.trace('s1')
  expect(second.length).toBeLessThan(70)
  const told = second.find(({ name }) => name === 'TraceCompacted')
  expect(told?.data).toEqual({ removed: (await one.state())?.compacted })
  expect(await verify(store, reduceOf)).toEqual([])
})

test('what is forgotten is gone with its trace, and only where it may be', async () => {
  const { store, reviews } = await desk()
  const one = reviews.of('s1', setting())
  await one.prompted({ text: '#roz', person: true })
  const settled = ({ state }: Review): boolean => state === 'idle' || state === 'approved'
  expect(await reviews.forget('s1', settled)).toBe(false)
  expect(await reviews.forget('s9', () => true)).toBe(false)
  await one.decide({ verdict: 'COMPLETE', summary: 'ok' }, { kind: 'person', name: 'ann' })
  expect(await reviews.forget('s1', settled)).toBe(true)
  expect(await reviews.find('s1')).toBeUndefined()
  expect(await reviews.trace('s1')).toEqual([])
  expect(await verify(store, reduceOf)).toEqual([])
})

test('whoever watches sees each change; the list has the last changed first', async () => {
  const { clock, reviews } = await desk()
  const seen: string[] = []
  const stop = reviews.watch(({ session, state }) => seen.push(`${session} ${state}`))
  await reviews.of('s1', setting()).prompted({ text: '#roz', person: true })
  clock.at += 1000
  await reviews.of('s2', setting()).prompted({ text: 'hello', person: true })
  await reviews.of('s2', setting()).prompted({ text: 'a notification', person: false })
  stop()
  clock.at += 1000
  await reviews.of('s1', setting()).begin('process')
  expect(seen).toEqual(['s1 pending', 's2 idle'])
  expect((await reviews.list()).map(({ session }) => session)).toEqual(['s1', 's2'])
})

test('a huge input is kept in part, known by all of it, and without what must not be kept', async () => {
  const clock = { at: 1_000_000 }
  const store = await openStore({ file: ':memory:', reduce: reduceOf, now: () => new Date(clock.at) })
  onTestFinished(() => store.close())
  const mask = async () => (text: string) => text.replaceAll('hunter2', '***')
  const reviews = openReviews({ store, now: () => clock.at, mask })
  const gates = { tools: ['Write'], approval_scope: 'tool' as const }
  const one = reviews.of('s1', setting({ gates }))
  const big = (end: string) => ({
    id: 'c1',
    tool: 'Write',
    input: { file_path: '/w/hunter2', content: `${'x'.repeat(1_000_000)}${end}` },
  })
  await one.gate(big('a'), { place })
  const { trigger } = (await one.state()) ?? {}
  expect(trigger?.input).toMatchObject({ cut: true, size: 1_000_040 })
  expect(JSON.stringify(trigger).length).toBeLessThan(11_000)
  await one.decide({ verdict: 'COMPLETE', summary: 'ok' }, { kind: 'person', name: 'ann' })
  expect(await one.gate(big('b'), { place })).toMatchObject({ kind: 'closed' })
  expect(await one.gate(big('a'), { place })).toEqual({ kind: 'pass' })
  const small = { id: 'c2', tool: 'Write', input: { file_path: '/w/hunter2', content: '' } }
  await one.gate(small, { place })
  expect((await one.state())?.trigger?.input.value).toEqual({ file_path: '/w/***', content: '' })
})

test('links and new names lead to the same gate', async () => {
  const base = await realpath(await mkdtemp(join(tmpdir(), 'agency-gate-')))
  onTestFinished(() => rm(base, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }))
  for (const directory of ['bin', 'path', 'src']) await mkdir(join(base, directory))
  await writeFile(join(base, 'bin/gh'), '', { mode: 0o755 })
  await symlink('bin/gh', join(base, 'x'))
  await symlink('../x', join(base, 'path/hub'))
  await symlink('src', join(base, 'other'))
  const { store } = await desk()
  const reviews = openReviews({ store, now: () => 0, path: `${base}/path:/usr/bin` })
  const one = reviews.of('s1', setting({ gates: { tools: ['Bash:gh issue close*', 'Edit(src/**)'] } }))
  const here = { cwd: base, tree: base, home: '/h' }
  const asked = async (tool: string, input: unknown) =>
    (await one.gate({ id: 'c', tool, input }, { place: here })).kind
  const runs = (command: string) => asked('Bash', { command })
  expect(await runs('./x issue close 1')).toBe('closed')
  expect(await runs(`true && ${base}/x issue close 1`)).toBe('closed')
  expect(await runs('hub issue close 1')).toBe('closed')
  expect(await runs('hub issue close $N')).toBe('closed')
  expect(await runs('ln -s bin/gh y; ./y issue close 1')).toBe('closed')
  expect(await runs('cp bin/gh /tmp/y && /tmp/y issue close 1')).toBe('closed')
  // More than anybody writes is more than can be known.
  expect(await runs(`echo ${'x'.repeat(300_000)}`)).toBe('closed')
  expect(await runs(`echo ${'a/'.repeat(100_000)}; ./'x' issue close 1`)).toBe('closed')
  expect(await runs('./x issue list')).toBe('pass')
  expect(await runs('ls issue close')).toBe('pass')
  expect(await asked('Write', { file_path: 'other/new.ts' })).toBe('closed')
  expect(await asked('Write', { file_path: 'docs/new.md' })).toBe('pass')
})
