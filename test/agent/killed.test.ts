// The host is killed at moments that a loop of chance meets seldom.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { findKeeper } from '../../src/keeper/find.ts'
import { patience, type Stage, stage } from './kit.ts'

const talk = { scripts: [{ replies: [{ text: 'Heard.', times: 0 }] }] }

/** Stops the host after the child was launched; whether the child's first hook was still to be heard. */
const cutLaunch = async (at: Stage, name: string): Promise<boolean> => {
  const running = at.run(name)
  const directory = at.directory(name)
  await expect.poll(() => findKeeper(directory), { ...patience, interval: 5 }).toBeDefined()
  const keeper = await at.keeper(name)
  await expect.poll(async () => (await keeper.status()).launches, { ...patience, interval: 5 }).toBe(1)
  process.kill(at.host().pid, 'SIGSTOP')
  const late = performance.now() + 10_000
  while ((await keeper.status()).hooksWaiting === 0 && performance.now() < late) await wait(20)
  const { hooksWaiting } = await keeper.status()
  await at.killHost()
  await running
  return hooksWaiting > 0
}

test('a host that dies between a launch and its first hook leaves an agent that comes up, and no secret', async () => {
  const at = await stage(talk)
  await at.agency(['start'])
  // On a busy machine the child may be faster than the signal: then with another one.
  let name = ''
  for (let n = 1, cut = false; !cut && n < 20; n += 1) {
    name = `a${n}`
    cut = await cutLaunch(at, name)
    if (!cut) await at.agency(['start'])
  }
  const settings = join(at.directory(name), 'settings.json')
  expect(existsSync(settings)).toBe(true)
  await at.agency(['start'])
  await at.until(name, { state: 'idle' })
  await expect.poll(() => existsSync(settings), patience).toBe(false)
  await at.say(name, 'hello')
  await at.until(name, { state: 'idle', turns: 1 })
})
