// The short form of `npm run soak`: the same loops, fewer rounds, a fixed seed.
import { expect, test } from 'vitest'
import { chance } from '../soak/chance.ts'
import { crash, plan } from '../soak/crash.ts'
import { race } from '../soak/race.ts'

test('15 rounds of kill -9 under load: nothing acknowledged is lost, nothing is there twice', async () => {
  const { killed, acknowledged } = await crash({ seed: 7, rounds: 15 })
  expect(killed).toBe(15)
  expect(acknowledged).toBeGreaterThan(0)
}, 300_000)

test('20 first commands in a fresh root start one host', () => race(1), 300_000)

test('a seed plans the same faults every time', () => {
  const draw = (seed: number) => {
    const dice = chance(seed)
    return Array.from({ length: 20 }, () => plan(dice))
  }
  expect(draw(7)).toEqual(draw(7))
  expect(draw(7)).not.toEqual(draw(8))
})

test('a host that acknowledges what it does not keep is caught, the same way twice', async () => {
  const caught = () =>
    crash({ seed: 3, rounds: 3, host: ['build/loaded.js', '--lie'] }).then(
      () => 'not caught',
      (error: Error) => error.message,
    )
  const first = await caught()
  expect(first).toMatch(/^seed 3, round \d \(\w+\): acknowledged and lost: w0 \d+$/)
  expect(await caught()).toBe(first)
}, 300_000)
