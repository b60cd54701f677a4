import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { identified, mortal, orderIn, place, program, shell, until, whole } from '../../test/kit/keeper.ts'
import { alive, type Identity } from '../base/process/identity.ts'
import { findKeeper } from './find.ts'
import type { Keeper } from './reach.ts'
import { sparesOf } from './spare.ts'
import { spareKeeper } from './start.ts'

test('of several at once each gets a keeper of its own', async () => {
  const root = place()
  const spares = sparesOf(program)
  onTestFinished(() => spares.close())
  const names = ['a', 'b', 'c']
  const keepers = await Promise.all(
    names.map((agent) =>
      spares.open(orderIn(root, { agent, directory: join(root, 'sessions', agent), terminal: null })),
    ),
  )
  for (const keeper of keepers) mortal(keeper.found)
  expect(new Set(keepers.map(({ found }) => found.pid)).size).toBe(3)
  expect(keepers.map(({ found }) => found.agent)).toEqual(names)
  for (const keeper of keepers) expect((await keeper.launch(shell('exit 0'))).launch).toBe(1)
})

const opened = () => {
  const root = place()
  const spares = sparesOf(program)
  onTestFinished(() => spares.close())
  const open = async (agent: string): Promise<Keeper> => {
    const order = orderIn(root, { agent, directory: join(root, 'sessions', agent), terminal: null })
    const keeper = await spares.open(order)
    mortal(keeper.found)
    return keeper
  }
  const directory = (agent: string): string => join(root, 'sessions', agent)
  return { spares, open, directory }
}

/** What it printed, after it has ended. */
const printed = async (keeper: Keeper, words: string): Promise<string> => {
  await keeper.launch(shell(words))
  const view = await keeper.attach({ stream: 'stdout', from: 0 })
  const text = (await whole(view)).toString()
  expect(await view.over).toMatchObject({ kind: 'ended', exit: { code: 0, left: [] } })
  return text
}

test('one that is taken back keeps the next session, and knows nothing of the one before', async () => {
  const { spares, open, directory } = opened()
  const first = await open('a')
  expect(await printed(first, 'echo one')).toBe('one\n')
  const late = await first.status()
  expect(await spares.reuse(first)).toBe(true)
  expect(await findKeeper(directory('a'))).toBe(undefined)
  await expect(first.status()).rejects.toMatchObject({ code: 'keeper_gone' })
  const second = await open('b')
  expect(second.found.pid).toBe(first.found.pid)
  expect(second.found.cookie).not.toBe(first.found.cookie)
  expect(await second.status()).toMatchObject({ launches: 0, exit: null, card: { agent: 'b' } })
  expect(late.launches).toBe(1)
  for (const word of ['two', 'three']) expect(await printed(second, `echo ${word}`)).toContain(`${word}\n`)
})

test('who releases it otherwise sees it go, and the next session has another', async () => {
  const { spares, open } = opened()
  const first = await open('a')
  await printed(first, 'true')
  await first.release()
  await expect.poll(() => alive(first.found), { timeout: 20_000 }).toBe(false)
  const second = await open('b')
  expect(second.found.pid).not.toBe(first.found.pid)
  spares.close()
  // Whoever lent it goes; its session does not.
  expect(await printed(second, 'echo on')).toBe('on\n')
  expect(await spares.reuse(second)).toBe(false)
  await second.release()
  await expect.poll(() => alive(second.found), { timeout: 20_000 }).toBe(false)
})

test('one that was killed while it waited is replaced', async () => {
  const { spares, open } = opened()
  const first = await open('a')
  await printed(first, 'true')
  expect(await spares.reuse(first)).toBe(true)
  process.kill(first.found.pid, 'SIGKILL')
  await expect.poll(() => alive(first.found), { timeout: 20_000 }).toBe(false)
  expect(await printed(await open('b'), 'echo b')).toBe('b\n')
})

/** The guard that it has before it is told what to keep. */
const guardOf = (keeper: number): Promise<Identity> =>
  until(() => {
    const rows = execFileSync('ps', ['-axo', 'pid=,ppid=,stat='], { encoding: 'utf8' }).split('\n')
    const row = rows.map((one) => one.trim().split(/\s+/)).find(([, parent]) => Number(parent) === keeper)
    return row && identified(Number(row[0]))
  }, 'its guard stands')

test.each(['killed', 'not needed'])('of one that waits nothing stays: %s', async (how) => {
  const spare = await spareKeeper(program)
  const itself = identified(spare.pid) as Identity
  mortal(itself)
  const guard = await guardOf(spare.pid)
  mortal(guard)
  if (how === 'killed') process.kill(spare.pid, 'SIGKILL')
  spare.close()
  await until(() => !alive(itself) && !alive(guard), 'both are gone')
})

/** Where they can be seen. */
const openFiles = (pid: number): number =>
  existsSync(`/proc/${pid}/fd`) ? readdirSync(`/proc/${pid}/fd`).length : 0

test('after a hundred sessions its process goes, with whatever it has gathered', async () => {
  const { spares, open } = opened()
  const taken: boolean[] = []
  const pids = new Set<number>()
  const files: number[] = []
  for (let session = 1; session <= 100; session += 1) {
    const keeper = await open(`a${session}`)
    pids.add(keeper.found.pid)
    taken.push(await spares.reuse(keeper))
    if (session < 100) files.push(openFiles(keeper.found.pid))
    if (session === 100) await keeper.release()
  }
  expect([pids.size, taken.lastIndexOf(true), taken.indexOf(false)]).toEqual([1, 98, 99])
  // What was made for a launch that never came is given back each time.
  expect((files.at(-1) ?? 0) - (files[0] ?? 0)).toBeLessThan(20)
})
