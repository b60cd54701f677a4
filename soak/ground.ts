// A root of its own for a loop, and the commands of agency in it.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

export type Ground = { readonly root: string; readonly env: NodeJS.ProcessEnv; remove(): void }

export type Said = { readonly exit: number | null; readonly out: string; readonly err: string }

export const agency = ({ env, root }: Ground, ...words: string[]): Said => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['bin/agency', ...words], {
    env: { ...env, AGENCY_ROOT: root },
    encoding: 'utf8',
  })
  return { exit: status, out: stdout, err: stderr }
}

/** The same without holding up whoever asks: the loop listens to the host meanwhile. */
export const asking = async (
  { env, root }: Ground,
  words: readonly string[],
  more: { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv } = {},
): Promise<Said> => {
  const child = spawn(process.execPath, [resolve('bin/agency'), ...words], {
    cwd: more.cwd,
    env: { ...env, AGENCY_ROOT: root, ...more.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let [out, err] = ['', '']
  child.stdout.on('data', (piece) => (out += piece))
  child.stderr.on('data', (piece) => (err += piece))
  const [exit] = (await once(child, 'close')) as [number | null]
  return { exit, out, err }
}

export const takeGround = (agents: readonly string[] = []): Ground => {
  const folder = mkdtempSync(join(tmpdir(), 'agency-soak-'))
  const ground: Ground = {
    root: join(folder, 'root'),
    env: { PATH: process.env.PATH, HOME: join(folder, 'home') },
    remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }),
  }
  mkdirSync(join(folder, 'home'))
  const { exit, err } = agency(ground, 'init')
  if (exit !== 0) throw new Error(`init failed: ${err}`)
  for (const name of agents) {
    mkdirSync(join(ground.root, 'agents', name), { recursive: true })
    writeFileSync(join(ground.root, 'agents', name, 'config.yaml'), `name: ${name}\n`)
  }
  return ground
}
