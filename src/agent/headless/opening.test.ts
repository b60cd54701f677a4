import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { mortal, place, program, shell } from '../../../test/kit/keeper.ts'
import { alive } from '../../base/process/identity.ts'
import { claude } from '../../driver/claude/driver.ts'
import { findKeeper } from '../../keeper/find.ts'
import { sparesOf } from '../../keeper/spare.ts'
import { openKeeper } from './opening.ts'

const around = () => {
  const root = place()
  const spares = sparesOf(program)
  onTestFinished(() => spares.close())
  const directory = join(root, 'sessions', 'a', 'task-1.1')
  const driver = claude('2.1.325 (Claude Code)')
  const host = join(root, 'host.sock')
  const open = async () => {
    const opening = await openKeeper({
      holdSeconds: 60,
      agent: 'a',
      session: 's',
      directory,
      driver,
      spares,
      host,
    })
    const { keeper } = await opening.keeper
    mortal(keeper.found)
    return { ...opening, keeper }
  }
  return { directory, open }
}

test('what waits there for a launch that never came is ended first', async () => {
  const { directory, open } = around()
  const first = await open()
  const second = await open()
  expect(alive(first.keeper.found)).toBe(false)
  expect((await findKeeper(directory))?.pid).toBe(second.keeper.found.pid)
  expect((await second.keeper.launch(shell('exit 0'))).launch).toBe(1)
})

test('undone, also twice and with a child: nothing of it runs or lies there', async () => {
  const { directory, open } = around()
  const { keeper, undo } = await open()
  const { pid, started } = await keeper.launch(shell('sleep 300'))
  expect(readdirSync(directory)).toContain('keeper.json')
  await Promise.all([undo(), undo()])
  await undo()
  expect([alive({ pid, started }), alive(keeper.found), existsSync(directory)]).toEqual([false, false, false])
})

test('of a keeper that was killed: whatever it had launched is gone before it is said so', async () => {
  const { open } = around()
  const { keeper, undo } = await open()
  const { pid, started } = await keeper.launch(shell('trap "" TERM HUP; while :; do :; done'))
  process.kill(keeper.found.pid, 'SIGKILL')
  await undo()
  expect(alive({ pid, started })).toBe(false)
})
