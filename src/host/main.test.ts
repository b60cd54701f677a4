import { EventEmitter } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Kind } from './component.ts'
import { type Host, startHost } from './host.ts'
import { plainAgent } from './kinds.ts'
import { type RunOptions, runHost } from './main.ts'
import { aborted } from './within.ts'

/** One agent, which ends when told by `finish`. */
const setUp = (finish: (hurry: AbortSignal) => Promise<void>, options: Partial<RunOptions> = {}) => {
  const root = mkdtempSync(join(tmpdir(), 'agency-main-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }))
  mkdirSync(join(root, 'agents/a'), { recursive: true })
  writeFileSync(join(root, 'agents/a/config.yaml'), '{}')
  const agent = plainAgent as Kind
  const kind: Kind = {
    ...agent,
    make: (context) => ({ ...agent.make(context), finish: ({ hurry }) => finish(hurry) }),
  }
  const signals = new EventEmitter()
  let host: Host | undefined
  const code = runHost(root, {
    signals,
    kinds: [kind],
    ready: (started) => {
      host = started
    },
    ...options,
  })
  onTestFinished(async () => {
    signals.emit('SIGTERM', 'SIGTERM')
    signals.emit('SIGTERM', 'SIGTERM')
    // How it ended is for the test; here it only must be over.
    await code.catch(() => {})
  })
  const state = () => host?.status().state
  return { root, signals, code, state, idle: () => expect.poll(state, { timeout: 20_000 }).toBe('idle') }
}
const never = () => new Promise<void>(() => {})
test('the first signal drains, the second cuts short', async () => {
  const { signals, code, state, idle } = setUp(aborted)
  await idle()
  signals.emit('SIGTERM', 'SIGTERM')
  expect(state()).toBe('draining')
  signals.emit('SIGINT', 'SIGINT')
  expect(await code).toBe(0)
  expect(signals.eventNames()).toEqual([])
})

test('the third waits for nothing', async () => {
  const { signals, code, idle } = setUp(never)
  await idle()
  for (const name of ['SIGTERM', 'SIGTERM', 'SIGTERM']) signals.emit(name, name)
  expect(await code).toBe(1)
})

test('a mistake that nobody caught is logged and ends the host', async () => {
  const { root, signals, code, idle } = setUp(async () => {})
  await idle()
  signals.emit('uncaughtException', new Error('inner words'))
  expect(await code).toBe(1)
  expect(readFileSync(join(root, 'agency.log'), 'utf8')).toContain('inner words')
})

test('a signal during the start is not lost', async () => {
  const { signals, code } = setUp(async () => {})
  signals.emit('SIGTERM', 'SIGTERM')
  expect(await code).toBe(0)
})

test('who yields ends silently where another host runs; who does not is told', async () => {
  const { root, idle } = setUp(async () => {})
  await idle()
  expect(await runHost(root, { signals: new EventEmitter(), yielding: true })).toBe(0)
  await expect(runHost(root, { signals: new EventEmitter() })).rejects.toMatchObject({ code: 'host_running' })
})

test('a root taken away ends the host with the reason', async () => {
  const { root, code, idle } = setUp(async () => {}, { lookout: 20 })
  await idle()
  const ended = expect(code).rejects.toMatchObject({ code: 'root_gone' })
  renameSync(root, `${root}-moved`)
  onTestFinished(() =>
    rmSync(`${root}-moved`, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }),
  )
  await ended
  // Nothing stands where it was: a new root can be made there.
  mkdirSync(root)
  const next = await startHost({ root })
  await next.finish({ reason: 'test', leave: true })
})
