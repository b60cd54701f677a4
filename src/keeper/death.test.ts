// Nothing outlives its session: not after its end, and not after the death of its keeper.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { identified, mortal, open, shell, until } from '../../test/kit/keeper.ts'
import { alive, type Identity, startOf } from '../base/process/identity.ts'
import { findKeepers, readExit } from './find.ts'
import { members } from './members.ts'
import type { Keeper } from './reach.ts'

/** Ignores whatever can be ignored. */
const deaf = `trap '' HUP TERM INT`
/** Each writes its pid to the file named like it. */
const note = (name: string): string => `echo $$ > "$D/${name}.new"; mv "$D/${name}.new" "$D/${name}"`
const sleeper = (name: string): string =>
  `sh -c '${deaf.replaceAll("'", "'\\''")}; ${note(name)}; while :; do sleep 1; done'`

const pidIn = (root: string, name: string): Promise<Identity> =>
  until(() => {
    try {
      return identified(Number(readFileSync(join(root, name), 'utf8')))
    } catch {
      // Not written yet.
      return undefined
    }
  }, `${name} runs`).then((whom) => {
    mortal(whom)
    return whom
  })

/** A deaf child with a deaf child in its group, one in a session of its own, and one that has lost its parent too. */
const family = async (root: string, keeper: Keeper): Promise<Identity[]> => {
  const script = `
${deaf}
${sleeper('near')} &
setsid ${sleeper('far')} &
(setsid ${sleeper('lost')} &)
env -u AGENCY_KEEPER setsid ${sleeper('bare')} &
${note('self')}
while :; do sleep 1; done`
  await keeper.launch(shell(script, { D: root }))
  const found: Identity[] = []
  for (const name of ['self', 'near', 'far', 'lost', 'bare']) found.push(await pidIn(root, name))
  return found
}

const living = (whom: readonly Identity[]): number[] => whom.filter(alive).map(({ pid }) => pid)

test.each([{ columns: 80, rows: 24 }, null])(
  'the end leaves nothing, however deaf and far away (terminal %j)',
  async (terminal) => {
    const { root, keeper } = await open({ terminal })
    const all = await family(root, keeper)
    expect(living(all).length).toBe(5)
    const exit = await keeper.end(200)
    expect(exit).toMatchObject({ code: null, signal: 'SIGKILL', asked: true, forced: true, left: [] })
    expect(living(all)).toEqual([])
  },
)

test('a child that ends by itself leaves nothing either', async () => {
  const { root, keeper } = await open()
  const ended = new Promise((resolve) => keeper.onEnded(resolve))
  await keeper.launch(
    shell(`(setsid ${sleeper('lost')} &); until [ -e "$D/lost" ]; do sleep 0.05; done; exit 5`, { D: root }),
  )
  const lost = await pidIn(root, 'lost')
  expect(await ended).toMatchObject({ code: 5, asked: false, left: [] })
  expect(alive(lost)).toBe(false)
})

test('who heeds TERM in time is not forced; one that is stopped is woken for it', async () => {
  const { root, keeper } = await open()
  await keeper.launch(shell(`trap 'exit 9' TERM; ${note('self')}; while :; do sleep 0.1; done`, { D: root }))
  const self = await pidIn(root, 'self')
  process.kill(self.pid, 'SIGSTOP')
  expect(await keeper.end(60_000)).toMatchObject({
    code: 9,
    signal: null,
    asked: true,
    forced: false,
    left: [],
  })
})

test('a second end shortens the first', async () => {
  const { root, keeper } = await open()
  await keeper.launch(shell(`${deaf}; ${note('self')}; while :; do sleep 0.1; done`, { D: root }))
  await pidIn(root, 'self')
  const patient = keeper.end(600_000)
  expect(await keeper.end(0)).toMatchObject({ forced: true })
  expect(await patient).toMatchObject({ forced: true })
})

test.each([{ columns: 80, rows: 24 }, null])(
  'kill -9 of the keeper takes the deaf child and its kin along (terminal %j)',
  async (terminal) => {
    const { root, keeper } = await open({ terminal })
    const all = (await family(root, keeper)).slice(0, 4)
    process.kill(keeper.found.pid, 'SIGKILL')
    await until(() => living(all).length === 0, 'all are gone')
    expect(await findKeepers(root)).toEqual([])
    // No end was seen, so none is told.
    expect(await readExit(keeper.found.directory)).toBe(undefined)
  },
)

test('kill -9 of the keeper at any moment of a launch leaves nothing', async () => {
  for (let round = 0; round < 10; round += 1) {
    const { root, keeper } = await open()
    const launching = keeper
      .launch(shell(`${deaf}; ${note('self')}; while :; do sleep 1; done`, { D: root }))
      .catch(() => {})
    for (let turns = 0; turns < round * 3; turns += 1) await new Promise((resolve) => setImmediate(resolve))
    process.kill(keeper.found.pid, 'SIGKILL')
    await launching
    await until(
      () => members({ cookie: keeper.found.cookie, except: [] }).length === 0,
      'nothing carries its cookie',
    )
  }
})

test('a guard that is killed is replaced', async () => {
  const { root, keeper } = await open()
  await keeper.launch(shell(`${deaf}; ${note('self')}; while :; do sleep 1; done`, { D: root }))
  const self = await pidIn(root, 'self')
  const children = () =>
    readFileSync(`/proc/${keeper.found.pid}/task/${keeper.found.pid}/children`, 'utf8')
      .trim()
      .split(' ')
      .map(Number)
  const guard = children().find((pid) => pid !== self.pid) ?? 0
  const identity = { pid: guard, started: startOf(guard) ?? '' }
  process.kill(guard, 'SIGKILL')
  await until(() => !alive(identity), 'the guard is gone')
  const log = join(keeper.found.directory, 'keeper.log')
  await until(() => readFileSync(log, 'utf8').includes('is replaced'), 'another one stands there')
  process.kill(keeper.found.pid, 'SIGKILL')
  await until(() => !alive(self), 'the child is gone')
})

test('TERM ends the session and then the keeper; its exit is recorded', async () => {
  const { root, keeper } = await open()
  await keeper.launch(shell(`trap 'exit 6' TERM; ${note('self')}; while :; do sleep 0.1; done`, { D: root }))
  const self = await pidIn(root, 'self')
  process.kill(keeper.found.pid, 'SIGHUP')
  process.kill(keeper.found.pid, 'SIGINT')
  expect((await keeper.status()).state).toBe('running')
  process.kill(keeper.found.pid, 'SIGTERM')
  await until(() => !alive(keeper.found), 'the keeper goes')
  expect(alive(self)).toBe(false)
  expect(await readExit(keeper.found.directory)).toMatchObject({ code: 6, asked: true, left: [] })
})

test('an end in the middle of a launch ends what was launched; a second TERM does not wait', async () => {
  const { root, keeper } = await open()
  const launching = keeper.launch(shell(`${deaf}; ${note('self')}; while :; do sleep 1; done`, { D: root }))
  expect(await keeper.end(0)).toMatchObject({ asked: true, left: [] })
  const { pid, started } = await launching
  expect(alive({ pid, started })).toBe(false)
  await keeper.launch(shell(`${deaf}; ${note('other')}; while :; do sleep 1; done`, { D: root }))
  const other = await pidIn(root, 'other')
  process.kill(keeper.found.pid, 'SIGTERM')
  await until(async () => (await keeper.status()).state === 'running', 'it still waits')
  process.kill(keeper.found.pid, 'SIGTERM')
  await until(() => !alive(keeper.found), 'the keeper goes')
  expect(alive(other)).toBe(false)
  expect(await readExit(keeper.found.directory)).toMatchObject({ asked: true, forced: true, left: [] })
})

test('a new keeper may follow a killed one in the same directory', async () => {
  const { root, keeper } = await open()
  process.kill(keeper.found.pid, 'SIGKILL')
  await until(() => !alive(keeper.found), 'the first is gone')
  const next = await open({}, root)
  expect(next.keeper.found.pid).not.toBe(keeper.found.pid)
  expect(await findKeepers(root)).toEqual([next.keeper.found])
})
