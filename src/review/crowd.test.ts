// Many hooks at once on one session: no count is lost, and no event.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { tool } from '../../test/kit/tool.ts'
import { reduceOf } from '../state/rules.ts'
import { openStore } from '../store/sqlite.ts'
import type { Store } from '../store/store.ts'
import { verify } from '../store/verify.ts'
import { openReviews } from './desk.ts'
import { settingOf } from './setting/rules.ts'

const crowd = 50

const opened = async (): Promise<{ file: string; store: Store }> => {
  const directory = mkdtempSync(join(tmpdir(), 'agency-review-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }))
  const file = join(directory, 'review.db')
  const store = await openStore({ file, reduce: reduceOf, now: () => new Date(), patience: 110_000 })
  onTestFinished(() => store.close())
  return { file, store }
}

const setting = async () =>
  settingOf(
    {
      reviewer: 'subagent',
      gates: { tools: ['Bash:gh*'] },
      circuit_breaker: { max_blocks: 1000 },
      trace: { max_events: 100_000 },
    },
    undefined,
  )

const names = (store: Store, session: string) =>
  openReviews({ store, now: Date.now })
    .trace(session)
    .then((events) => events.map(({ name }) => name))

const told = ['SessionStart', 'PromptReceived']

test(`${crowd} hooks of one process`, async () => {
  const { store } = await opened()
  const one = openReviews({ store, now: Date.now }).of('s1', setting)
  await one.started('startup')
  await one.prompted({ text: '#roz go', person: true })
  const stops = await Promise.all(
    Array.from({ length: crowd }, () => one.stop({ again: false, background: false })),
  )
  expect(stops.every(({ kind }) => kind === 'block')).toBe(true)
  expect((await one.state())?.blocks).toBe(crowd)
  expect(await names(store, 's1')).toEqual([...told, ...stops.map(() => 'StopHookCalled')])
  expect(await verify(store, reduceOf)).toEqual([])
})

test(`one secret, ${crowd} at once: it counts once`, async () => {
  const { store } = await opened()
  const one = openReviews({ store, now: Date.now }).of('s1', setting)
  await one.prompted({ text: '#roz go', person: true })
  const secret = /--secret (\w+)/.exec((await one.spawned({ id: 'a' })) ?? '')?.[1] ?? ''
  const said = { verdict: 'COMPLETE' as const, summary: 'ok' }
  const tries = await Promise.allSettled(
    Array.from({ length: crowd }, () => one.decide(said, { kind: 'subagent', secret })),
  )
  expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  expect(await one.state()).toMatchObject({ state: 'approved', refused: crowd - 1 })
  expect((await one.state())?.decisions).toHaveLength(1)
})

test(`an approval for one call, ${crowd} at once: one passes`, async () => {
  const { store } = await opened()
  const gates = { tools: ['Bash:gh*'], approval_scope: 'tool' as const }
  const one = openReviews({ store, now: Date.now }).of('s1', async () => settingOf({ gates }, undefined))
  const call = { tool: 'Bash', input: { command: 'gh issue close 1' } }
  const place = { cwd: '/', tree: '/', home: '/' }
  await one.gate({ ...call, id: 'c0' }, { place })
  const { id: attempt } = await one.begin('process')
  await one.decide({ verdict: 'COMPLETE', summary: 'ok' }, { kind: 'process', attempt })
  const answers = await Promise.all(
    Array.from({ length: crowd }, (_, at) => one.gate({ ...call, id: `c${at}` }, { place })),
  )
  expect(answers.filter(({ kind }) => kind === 'pass')).toHaveLength(1)
})

test(`${crowd} processes on one file`, async () => {
  const { file, store } = await opened()
  const one = openReviews({ store, now: Date.now }).of('s1', setting)
  await one.started('startup')
  await one.prompted({ text: '#roz go', person: true })
  const ask = async (who: string): Promise<unknown> => {
    const child = spawn(process.execPath, [tool('reviewing'), file, 's1', who], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    let out = ''
    child.stdout.on('data', (data) => {
      out += data
    })
    const [exit] = await once(child, 'close')
    expect(exit).toBe(0)
    return JSON.parse(out)
  }
  const answers = await Promise.all(Array.from({ length: crowd }, (_, at) => ask(`w${at}`)))
  expect(answers).toEqual(answers.map(() => ['block', 'closed']))
  expect((await one.state())?.blocks).toBe(crowd)
  const found = await names(store, 's1')
  const count = (name: string): number => found.filter((each) => each === name).length
  expect({
    stops: count('StopHookCalled'),
    gates: count('GateBlocked'),
    tools: count('ToolCompleted'),
  }).toEqual({
    stops: crowd,
    gates: crowd,
    tools: crowd,
  })
  expect(await verify(store, reduceOf)).toEqual([])
}, 180_000)
