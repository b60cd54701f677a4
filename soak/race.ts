// Twenty first commands in a fresh root at the same moment: one host, and every command answered by it.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { layout } from '../src/config/layout/rules.ts'
import { reduceOf } from '../src/state/rules.ts'
import { openStore } from '../src/store/sqlite.ts'
import { agency, type Ground, takeGround } from './ground.ts'

const first = async (ground: Ground): Promise<string> => {
  const child = spawn(process.execPath, ['bin/agency', 'status', '--json'], {
    env: { ...ground.env, AGENCY_ROOT: ground.root },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece) => (said += piece))
  const [exit] = (await once(child, 'close')) as [number]
  if (exit !== 0) throw new Error(`a command exited ${exit}: ${said}`)
  return String((JSON.parse(said) as { pid: number }).pid)
}

const starts = async (root: string): Promise<number> => {
  const store = await openStore({ file: layout(root).store, reduce: reduceOf, now: () => new Date() })
  try {
    return (await store.events({ after: 0, limit: 1000 })).filter(({ type }) => type === 'host.started')
      .length
  } finally {
    await store.close()
  }
}

export const race = async (rounds: number, commands = 20): Promise<void> => {
  for (let round = 1; round <= rounds; round += 1) {
    const ground = takeGround()
    try {
      // `status` asks only: it is `up --detach` that starts a host, raced by all of them.
      const ups = Array.from({ length: commands }, () => {
        const child = spawn(process.execPath, ['bin/agency', 'up', '--detach', '--json'], {
          env: { ...ground.env, AGENCY_ROOT: ground.root },
          stdio: ['ignore', 'ignore', 'pipe'],
        })
        let said = ''
        child.stderr.on('data', (piece) => (said += piece))
        return once(child, 'close').then(([exit]) => (exit === 0 ? '' : `exit ${exit}: ${said}`))
      })
      const refused = (await Promise.all(ups)).filter(Boolean)
      if (refused.length > 0) throw new Error(`round ${round}: ${refused[0]}`)
      const pids = new Set(await Promise.all(Array.from({ length: 3 }, () => first(ground))))
      const started = await starts(ground.root)
      if (pids.size !== 1 || started !== 1)
        throw new Error(`round ${round}: ${pids.size} hosts answered, ${started} were started`)
    } finally {
      agency(ground, 'kill', '--all')
      ground.remove()
    }
  }
}
