// What our walls cost over bubblewrap itself: the mounts, the shell inside, and everything that prepares them.
import { spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { findBuilder } from '../src/sandbox/find.ts'
import { wrapLaunch } from '../src/sandbox/wrap.ts'
import { interleaved, median, type Row } from './frame.ts'

const promised = 10

const timed = (argv: readonly string[], env: Readonly<Record<string, string>>) => (): number => {
  const [program = '', ...args] = argv
  const from = performance.now()
  const { status, stderr } = spawnSync(program, args, { cwd: '/', env: { ...env }, encoding: 'utf8' })
  if (status !== 0) throw new Error(`the walls fell: ${stderr}`)
  return performance.now() - from
}

/** None where there is nothing to make walls with. */
export const wallRows = async (rounds: number, scratch: string): Promise<Row[]> => {
  const builder = await findBuilder()
  if (!('path' in builder)) return []
  const at = (path: string): string => join(scratch, 'walls', path)
  const [root, home, tree, session] = [at('root'), at('home'), at('home/tree'), at('root/sessions/a')]
  for (const each of [home, tree, `${session}/.claude`, `${session}/tmp`])
    mkdirSync(each, { recursive: true })
  const env = { PATH: '/usr/bin:/bin', HOME: home }
  const bare = [builder.path, '--unshare-all', '--die-with-parent', '--ro-bind', '/', '/']
  const wanted = {
    agent: 'a',
    settings: { network: 'full' as const },
    root,
    home,
    tree: { path: tree, access: 'write' as const, kind: 'theirs' as const },
    session,
    writable: [`${session}/.claude`, `${session}/tmp`],
    readable: [],
    launch: { argv: ['/bin/true'], env },
    terminal: false,
    port: 40_000,
    programs: { node: process.execPath, forward: resolve('dist/forward.cjs'), more: [] },
  }
  const wrapped = await wrapLaunch(wanted)
  const times = await interleaved(rounds, {
    ours: timed(wrapped.argv, wrapped.env),
    bare: timed([...bare, '--proc', '/proc', '--dev', '/dev', '--', '/bin/true'], env),
    prepared: async () => {
      const from = performance.now()
      await wrapLaunch(wanted)
      return performance.now() - from
    },
  })
  await wrapped.undo()
  const over = median(times.ours) - median(times.bare)
  const bound = { floor: promised, floorName: 'the promise', unit: 'ms', limit: 1 }
  return [
    { name: 'walls over bare bubblewrap', value: Math.max(0, over), ...bound },
    {
      name: 'walls prepared',
      value: median(times.prepared),
      floor: median(times.bare),
      floorName: 'bare bubblewrap',
      unit: 'ms',
    },
  ]
}
