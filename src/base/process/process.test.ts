import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, onTestFinished, test } from 'vitest'
import { end } from './end.ts'
import { alive, identify } from './identity.ts'

const run = async (program: string): Promise<{ child: ChildProcess; pid: number }> => {
  const child = spawn(process.execPath, ['-e', `${program};process.stdout.write('up')`], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(child.stdout, 'data')
  return { child, pid: child.pid ?? 0 }
}

const stay = 'setInterval(()=>{},1000)'
const known = (pid: number) => identify(pid) ?? expect.fail('no such process')

test('a process is the same only with the same start time', async () => {
  const { pid } = await run(stay)
  const whom = known(pid)
  expect(alive(whom)).toBe(true)
  expect(identify(pid)).toEqual(whom)
  expect(alive({ pid, started: 'another time' })).toBe(false)
})

test('a process that obeys TERM is ended, one that does not is killed', async () => {
  const [obedient, stubborn] = [await run(stay), await run(`process.on('SIGTERM',()=>{});${stay}`)]
  expect(await end(known(obedient.pid), { grace: 20_000 })).toBe('ended')
  expect(await end(known(stubborn.pid), { grace: 100 })).toBe('killed')
})

test('a stranger with the pid is not touched', async () => {
  const { child, pid } = await run(stay)
  expect(await end({ pid, started: 'another time' }, { grace: 0 })).toBe('absent')
  expect([child.exitCode, child.signalCode, alive(known(pid))]).toEqual([null, null, true])
})

test('who has ended is absent, also before it is reaped', async () => {
  const { child, pid } = await run(stay)
  const whom = known(pid)
  // The shell's child ends while the shell, stopped from reaping by exec, is still its parent.
  const shell = spawn('sh', ['-c', 'sleep 0 & echo $!; exec sleep 60'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  onTestFinished(() => void shell.kill('SIGKILL'))
  const [zombie] = (await once(shell.stdout, 'data')) as [Buffer]
  await expect.poll(() => identify(Number(String(zombie))), { timeout: 20_000 }).toBeUndefined()
  child.kill('SIGKILL')
  await once(child, 'exit')
  expect(await end(whom, { grace: 0 })).toBe('absent')
})
