// The short form of `npm run soak`: the same loops, fewer rounds, a fixed seed.
import { expect, test } from 'vitest'
import { agents, planRound } from '../soak/agents.ts'
import { chance } from '../soak/chance.ts'
import { crash, plan } from '../soak/crash.ts'
import { flood } from '../soak/flood.ts'
import { keepers, planKeeperRound } from '../soak/keepers.ts'
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
    return Array.from({ length: 20 }, () => [plan(dice), planRound(dice), planKeeperRound(dice)])
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

test('15 rounds of kill -9 of the host under 5 working agents: nothing is denied, lost or done twice', async () => {
  const { killed, turns, calls } = await agents({ seed: 7, rounds: 15 })
  expect(killed).toBeGreaterThanOrEqual(15)
  expect([turns, calls]).toEqual([75, 300])
}, 600_000)

test(
  '4 rounds of kill -9 of a keeper: nothing is left, and the session goes on',
  () => keepers({ seed: 7, rounds: 4 }),
  300_000,
)

test.each([
  ['--deny', 27, 'was refused: "PreToolUse:'],
  ['--rewind', 9, 'was delivered and is lost'],
])(
  'a host that is careless (%s) is caught',
  async (flag, seed, words) => {
    const caught = await agents({ seed, rounds: 1, agents: 2, host: ['build/careless.js', flag] }).then(
      () => 'not caught',
      (error: Error) => error.message,
    )
    expect(caught).toContain(words)
  },
  300_000,
)

test('1,000 malformed requests, 20 at a time: the host lives and holds what it held', async () => {
  const { statuses } = await flood({ seed: 7, count: 1_000 })
  expect(Object.keys(statuses)).toEqual(
    expect.arrayContaining(['400', '401', '403', '404', '405', '413', '421', '431']),
  )
}, 300_000)

test.each([
  ['--open', 'file descriptors are open'],
  ['--hoard', 'MB are held'],
])(
  'a host that keeps what it should let go (%s) is caught',
  async (flag, words) => {
    const caught = await flood({ seed: 7, count: 600, host: ['build/careless.js', flag] }).then(
      () => 'not caught',
      (error: Error) => error.message,
    )
    expect(caught).toContain(words)
  },
  300_000,
)
