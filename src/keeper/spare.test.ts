import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { mortal, orderIn, place, program, shell } from '../../test/kit/keeper.ts'
import { sparesOf } from './spare.ts'

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
