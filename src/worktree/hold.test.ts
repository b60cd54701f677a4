import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { program, temporary, write } from '../../test/kit/repository.ts'
import { withAgent, withRepository } from './hold.ts'
import { placeOf } from './rules.ts'

test('one at a time on a tree and on a repository, others wait', async () => {
  const at = temporary()
  const place = placeOf(at, 'a')
  let inside = 0
  const alone = async (): Promise<number> => {
    inside++
    await new Promise((done) => setImmediate(done))
    return inside--
  }
  const most = await Promise.all([...Array.from({ length: 8 }, () => withAgent(place, 'a', alone))])
  expect(Math.max(...most)).toBe(1)
  const same = await Promise.all(Array.from({ length: 8 }, () => withRepository(place, '/r/.git', alone)))
  expect(Math.max(...same)).toBe(1)
})

test('different trees and repositories do not wait for each other', async () => {
  const at = temporary()
  const inner = withAgent(placeOf(at, 'a'), 'a', () =>
    withAgent(placeOf(at, 'b'), 'b', () =>
      withRepository(placeOf(at, 'a'), '/r', () =>
        withRepository(placeOf(at, 'b'), '/s', async () => 'done'),
      ),
    ),
  )
  expect(await inner).toBe('done')
})

test('what fails inside frees it', async () => {
  const place = placeOf(temporary(), 'a')
  const failing = withAgent(place, 'a', async () => {
    throw new Error('inside')
  })
  await expect(failing).rejects.toThrow('inside')
  expect(await withAgent(place, 'a', async () => 'next')).toBe('next')
})

test('when the holder is killed, the next waits for the programs that it left', async () => {
  const at = temporary()
  // The holder starts a program that outlives it, as git would, and says its pid.
  const file = await program(
    at,
    'holder',
    `import { spawn } from 'node:child_process'
     import { withAgent } from 'SRC/worktree/hold.ts'
     import { placeOf } from 'SRC/worktree/rules.ts'
     await withAgent(placeOf(process.argv[2], 'a'), 'a', async (alive) => {
       const wait = 'while [ ! -e "$0" ]; do sleep 0.05; done; echo x > "$0.done"'
       spawn('sh', ['-c', wait, process.argv[3]], { stdio: ['ignore', 'ignore', 'ignore', alive], detached: true })
       process.stdout.write('held')
       await new Promise((done) => setTimeout(done, 600_000))
     })`,
  )
  const go = join(at, 'go')
  const holder: ChildProcess = spawn(process.execPath, [file, at, go], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  // Whatever happens, the program that is left sees its sign and ends.
  onTestFinished(() => {
    holder.kill('SIGKILL')
    write(go, '')
  })
  if (holder.stdout) await once(holder.stdout, 'data')
  const gone = once(holder, 'exit')
  holder.kill('SIGKILL')
  await gone
  let entered = false
  const next = withAgent(placeOf(at, 'a'), 'a', async () => {
    entered = true
    return existsSync(`${go}.done`)
  })
  // Long enough to have entered a lock that is free.
  for (let turn = 0; turn < 20; turn++) await withAgent(placeOf(at, 'b'), 'b', async () => undefined)
  expect(entered).toBe(false)
  write(go, '')
  expect(await next).toBe(true)
})
