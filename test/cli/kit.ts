// bin/agency as a process, in a world of its own.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { onTestFinished } from 'vitest'
import { end } from '../../src/base/process/end.ts'

export const program = resolve('bin/agency')

export type Said = { code: number | null; signal: NodeJS.Signals | null; out: string; err: string }

export type World = {
  folder: string
  home: string
  root: string
  cwd: string
  env: NodeJS.ProcessEnv
  start: (args: readonly string[], more?: More) => ChildProcess
  agency: (args: readonly string[], more?: More) => Promise<Said>
  /** Every path below the folder: to see that nothing was created. */
  tree: () => string[]
  json: (args: readonly string[], more?: More) => Promise<Record<string, unknown>>
}
export type More = { env?: NodeJS.ProcessEnv; cwd?: string; stdin?: string; as?: string }

export const collect = async (child: ChildProcess): Promise<Said> => {
  let [out, err] = ['', '']
  child.stdout?.on('data', (chunk) => (out += chunk))
  child.stderr?.on('data', (chunk) => (err += chunk))
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null]
  return { code, signal, out, err }
}

/** Whoever runs for this root is ended, even when the test failed. */
const endHost = async (root: string): Promise<void> => {
  const file = join(root, 'host.json')
  if (!existsSync(file)) return
  const { pid, started } = JSON.parse(readFileSync(file, 'utf8'))
  await end({ pid, started }, { grace: 10_000 })
}

export const world = (): World => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'agency-cli-')))
  const [home, root, cwd] = [join(folder, 'home'), join(folder, 'root'), join(folder, 'cwd')]
  mkdirSync(home)
  mkdirSync(cwd)
  // Whatever is installed on this machine, no test starts it.
  const CLAUDE_BIN = join(folder, 'no-claude')
  const env: NodeJS.ProcessEnv = { PATH: process.env.PATH, HOME: home, AGENCY_ROOT: root, CLAUDE_BIN }
  const children: ChildProcess[] = []
  onTestFinished(async () => {
    for (const child of children) child.kill('SIGKILL')
    await endHost(root)
    await endHost(join(home, '.agency'))
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  })
  const start: World['start'] = (args, more = {}) => {
    const child = spawn(more.as ?? program, args, {
      cwd: more.cwd ?? cwd,
      env: { ...env, ...more.env },
      stdio: 'pipe',
    })
    children.push(child)
    child.stdin?.end(more.stdin)
    return child
  }
  const agency: World['agency'] = (args, more) => collect(start(args, more))
  return {
    folder,
    home,
    root,
    cwd,
    env,
    start,
    agency,
    tree: () => readdirSync(folder, { recursive: true }).map(String).sort(),
    json: async (args, more) => JSON.parse((await agency([...args, '--json'], more)).out),
  }
}
