// Signals: what the program leaves behind, on stdout and among the processes.
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { hookCommand, recorded } from '../twin/command.ts'
import type { Rig } from '../twin/rig.ts'
import { bash, turn } from '../twin/say.ts'
import { hooked } from '../twin/settings.ts'
import { twin } from '../twin/twin.ts'
import { until } from '../twin/until.ts'

const alive = (pid: number) => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** A run that is in the middle of a Bash call, and the process id of that call's shell. */
const midway = async (rig: Rig) => {
  const settings = hooked({ SessionEnd: await hookCommand(rig, 'end', 'exit 0') })
  const running = await rig.start('go', ['--allowedTools=Bash'], { settings })
  const file = join(rig.work, 'pid')
  await until(
    'the call to begin',
    () => existsSync(file) && readFile(file, 'utf8').then((text) => text.includes('\n')),
  )
  const pid = Number(await readFile(file, 'utf8'))
  onTestFinished(() => {
    if (alive(pid)) process.kill(pid, 'SIGKILL')
  })
  return { running, pid }
}
const sleeper = turn('go', [bash('echo $$ > pid; sleep 120')])

for (const [signal, code] of [
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const) {
  twin(`${signal}: exit ${code}, nothing on stdout, SessionEnd runs, the call is ended`, async (make) => {
    const rig = await make([sleeper])
    const { running, pid } = await midway(rig)
    process.kill(running.pid, signal)
    const ended = await running.ended
    expect([ended.code, ended.stdout]).toEqual([code, ''])
    expect((await recorded(rig, 'end')).map((body) => body.reason)).toEqual(['other'])
    await until('the call to end', () => !alive(pid))
  })
}

twin('SIGINT: exit 0 all the same; a result, when there is one, is an error', async (make) => {
  const rig = await make([sleeper])
  const { running, pid } = await midway(rig)
  process.kill(running.pid, 'SIGINT')
  const { code, result } = await running.ended
  expect(code).toBe(0)
  expect([undefined, 'error_during_execution']).toContain(result?.subtype)
  expect(result?.is_error ?? true).toBe(true)
  await until('the call to end', () => !alive(pid))
})

twin('SIGKILL leaves the call running: whoever kills must look for what is left', async (make) => {
  const rig = await make([sleeper])
  const { running, pid } = await midway(rig)
  process.kill(running.pid, 'SIGKILL')
  await until('the program to be gone', () => !alive(running.pid) || running.child.signalCode)
  expect(alive(pid)).toBe(true)
})

twin('a grandchild with a session of its own outlives the run', async (make) => {
  const rig = await make([
    turn('go', [
      bash(
        'setsid sh -c "echo \\$\\$ > free; exec sleep 120" > /dev/null 2>&1 < /dev/null & until [ -s free ]; do sleep 0.05; done',
      ),
    ]),
  ])
  const { code } = await rig.print('go', ['--allowedTools=Bash'])
  const pid = Number(await readFile(join(rig.work, 'free'), 'utf8'))
  onTestFinished(() => {
    if (alive(pid)) process.kill(pid, 'SIGKILL')
  })
  expect([code, alive(pid)]).toEqual([0, true])
})
