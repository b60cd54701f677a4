// The host of a loop: started by the loop or by a command, stopped in its tracks, killed.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { alive, type Identity } from '../src/base/process/identity.ts'
import { readHostFile } from '../src/client/address.ts'
import { demand, settled } from './demand.ts'
import { asking, type Ground } from './ground.ts'

/** A program that runs a host for the root it is given, and says a line when its doors are open. */
export type HostProgram = readonly string[]

const spawned = ({ root, env }: Ground, [script = '', ...more]: HostProgram): ChildProcess =>
  spawn(process.execPath, [script, root, ...more], { env, stdio: ['ignore', 'pipe', 'inherit'] })

export const startHost = async (ground: Ground, program: HostProgram): Promise<void> => {
  const child = spawned(ground, program)
  const ended = once(child, 'exit').then(([code]) => `the host ended by itself with ${code} while it started`)
  const said = await Promise.race([once(child.stdout as NodeJS.ReadableStream, 'data'), ended])
  demand(typeof said !== 'string', String(said))
  child.stdout?.resume()
}

/** As a person does who types the next command. */
export const startByCommand = async (ground: Ground): Promise<void> => {
  const { exit, err } = await asking(ground, ['start'])
  demand(exit === 0, `no host starts: ${err.trim()}`)
}

/** Started and killed again before it has found everybody: `ms` is its life. */
export const startAndKill = async (ground: Ground, program: HostProgram, ms: number): Promise<void> => {
  const child = spawned(ground, program)
  const gone = once(child, 'exit')
  child.stdout?.resume()
  setTimeout(() => child.kill('SIGKILL'), ms)
  const [code, signal] = await gone
  demand(signal === 'SIGKILL', `the host ended by itself with ${code} while it started`)
}

export const hostOf = ({ root }: Ground): Identity => {
  const host = readHostFile(root)
  demand(host !== undefined, 'there is no host.json')
  return host
}

export const killHost = async (ground: Ground): Promise<void> => {
  const host = hostOf(ground)
  demand(alive(host), 'the host was gone before it was killed')
  process.kill(host.pid, 'SIGKILL')
  await settled(() => (alive(host) ? 'a killed host is still there' : undefined), 5)
}
