import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { claude } from '../driver/claude/driver.ts'
import type { Answer } from '../driver/schema.ts'
import type { Fact } from '../journal/schema.ts'
import type { Signal } from '../session/schema.ts'
import { reduceOf } from '../state/rules.ts'
import { openStore } from '../store/sqlite.ts'
import type { Store } from '../store/store.ts'
import { type Told, toldIn } from './asked.ts'
import { type HookOptions, hooksOf } from './hooks.ts'
import { latch } from './latch.ts'

const journal = async (): Promise<Store> => {
  const folder = mkdtempSync(join(tmpdir(), 'agency-hooks-'))
  const store = await openStore({ file: join(folder, 'db'), reduce: reduceOf, now: () => new Date(0) })
  onTestFinished(async () => {
    await store.close()
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  })
  return store
}

/** What a host answers the hooks of a session with, and what of it is still being written. */
const hosted = (store: Store, told?: Told, more: Partial<HookOptions> = {}) => {
  const writing: Promise<unknown>[] = []
  const append = (facts: readonly Fact[]): Promise<unknown> => store.append(facts)
  const record = (...facts: readonly Fact[]): void => void writing.push(append(facts))
  const quiet = { tell: () => {}, heard: () => {}, refused: () => {}, written: async () => true }
  const hooks = hooksOf({
    driver: claude('2.1.325'),
    tree: '/t',
    subject: 's',
    told,
    append,
    record,
    ...quiet,
    ...more,
  })
  return { ...hooks, written: () => Promise.all(writing) }
}

const hook = (event: 'PreToolUse' | 'PostToolUse', call: string) => ({
  session_id: 's',
  transcript_path: '/s.jsonl',
  cwd: '/t',
  hook_event_name: event,
  tool_name: 'Bash',
  tool_input: { command: 'ls' },
  tool_use_id: call,
  ...(event === 'PostToolUse' && { tool_response: {} }),
})

const kept = async (store: Store): Promise<readonly string[]> =>
  (await store.events({ after: 0, limit: 10_000 })).map(({ type, data }) => `${type} ${data.call}`).sort()

const calls = Array.from({ length: 100 }, (_, at) => `c${at}`)
const once = calls.flatMap((call) => [`session.called ${call}`, `session.returned ${call}`]).sort()

test('a hook that is asked several times at once is in the journal once', async () => {
  const store = await journal()
  const { answer, written } = hosted(store)
  for (const event of ['PreToolUse', 'PostToolUse'] as const)
    await Promise.all(
      calls.flatMap((call) => [1, 2, 3].map(() => answer(`${event} ${call}`, hook(event, call)))),
    )
  await written()
  expect(await kept(store)).toEqual(once)
})

test('a hook that the host before wrote down and never answered is not written down again', async () => {
  const store = await journal()
  const first = hosted(store)
  const half = calls.slice(0, 50)
  for (const call of half) await first.answer(`a ${call}`, hook('PreToolUse', call))
  for (const call of half.slice(0, 25)) await first.answer(`b ${call}`, hook('PostToolUse', call))
  await first.written()
  const next = hosted(store, await toldIn(store, 's'))
  await Promise.all(calls.map((call) => next.answer(`a ${call}`, hook('PreToolUse', call))))
  await Promise.all(calls.map((call) => next.answer(`b ${call}`, hook('PostToolUse', call))))
  await next.written()
  expect(await kept(store)).toEqual(once)
})

test('a call that could not be written down is not answered, and is written down when it is asked again', async () => {
  const store = await journal()
  let full = true
  const append: HookOptions['append'] = async (facts) => {
    if (full) throw new Error('the disk is full')
    return store.append(facts)
  }
  const { answer } = hosted(store, undefined, { append })
  await expect(answer('a', hook('PreToolUse', 'c'))).rejects.toThrow('the disk is full')
  expect(await kept(store)).toEqual([])
  full = false
  await answer('a', hook('PreToolUse', 'c'))
  expect(await kept(store)).toEqual(['session.called c'])
})

const said = (event: string, more: object) => ({
  session_id: 's',
  transcript_path: '/s.jsonl',
  cwd: '/t',
  hook_event_name: event,
  ...more,
})

test.each([
  ['SessionStart', { source: 'startup' }, ['heard']],
  ['UserPromptSubmit', { prompt: 'x', prompt_id: 'p' }, ['heard']],
  ['Stop', { stop_hook_active: false, last_assistant_message: '', prompt_id: 'p' }, ['heard']],
  ['Notification', { notification_type: 'idle_prompt', message: '' }, ['heard', 'answered']],
])(
  '%s: a host that dies before it is on the disk has not answered, and is told again',
  async (event, more, before) => {
    const disk = latch()
    const order: string[] = []
    const { answer } = hosted(await journal(), undefined, {
      tell: () => void order.push('heard'),
      written: () => disk.promise,
    })
    const answered = answer('1', said(event, more)).then(() => void order.push('answered'))
    for (let turns = 3; turns > 0; turns -= 1) await new Promise((resolve) => setImmediate(resolve))
    expect(order).toEqual(before)
    disk.resolve()
    await answered
    expect(order).toEqual(['heard', 'answered'])
  },
)

const stop = { ...hook('PreToolUse', 'x'), hook_event_name: 'Stop', stop_hook_active: false }
const told = (signals: readonly Signal[]) =>
  signals.map((signal) =>
    signal.from === 'hook'
      ? `hook${signal.held ? ' held' : ''}`
      : signal.from === 'answer' && `refused ${signal.refused}`,
  )
const review = (answer: Answer, holds: boolean): HookOptions['review'] => ({
  called: async () => answer,
  heard: async () => ({ kind: 'none' }),
  ended: async (_, held) => {
    if (holds) held()
    return answer
  },
})

test.each<[string, Answer, boolean, readonly string[], unknown]>([
  ['is let through', { kind: 'none' }, false, ['hook'], undefined],
  ['is held and let through', { kind: 'none' }, true, ['hook held', 'refused false'], undefined],
  [
    'is refused at once',
    { kind: 'deny', reason: 'no' },
    false,
    ['refused true'],
    { decision: 'block', reason: 'no' },
  ],
  [
    'is held and refused',
    { kind: 'deny', reason: 'no' },
    true,
    ['hook held', 'refused true'],
    { decision: 'block', reason: 'no' },
  ],
])('the end of a turn that %s is told as what it is', async (_, answer, holds, signals, body) => {
  const store = await journal()
  const heard: Signal[] = []
  const tell = (signal: Signal): void => void heard.push(signal)
  const hooks = hosted(store, undefined, { tell, review: review(answer, holds) })
  expect(await hooks.answer('h', stop)).toEqual(body)
  expect(told(heard)).toEqual(signals)
})

test.each<[string, Answer, Answer, unknown]>([
  ['a closed gate beats a call that may run', { kind: 'none' }, { kind: 'deny', reason: 'gate' }, 'gate'],
  [
    'and one that a person would be asked about',
    { kind: 'ask', reason: 'x' },
    { kind: 'deny', reason: 'gate' },
    'gate',
  ],
  [
    'what the role refuses is not reviewed',
    { kind: 'deny', reason: 'role' },
    { kind: 'deny', reason: 'gate' },
    'role',
  ],
  ['an open gate says nothing', { kind: 'ask', reason: 'x' }, { kind: 'none' }, 'x'],
])('%s', async (_, judged, gated, reason) => {
  const hooks = hosted(await journal(), undefined, {
    judge: async () => judged,
    review: review(gated, false),
  })
  expect(await hooks.answer('h', hook('PreToolUse', 'c'))).toMatchObject({
    hookSpecificOutput: { permissionDecisionReason: reason },
  })
})

test('a gate that cannot be asked is not answered: the keeper refuses', async () => {
  const broken = { ...review({ kind: 'none' }, false), called: () => Promise.reject(new Error('full')) }
  const hooks = hosted(await journal(), undefined, { review: broken as HookOptions['review'] })
  await expect(hooks.answer('h', hook('PreToolUse', 'c'))).rejects.toThrow('full')
})
