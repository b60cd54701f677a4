// Which Claude Code a caller means, and what it can do.
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { access, constants } from 'node:fs/promises'
import { delimiter, isAbsolute, join } from 'node:path'
import type { Readable } from 'node:stream'
import { fail } from '../../base/error/fail.ts'
import { oneLine } from '../../base/text/rules.ts'
import type { Driver } from '../driver.ts'
import { claude } from './driver.ts'

type Environment = Readonly<Record<string, string>>

const longestAnswer = 64 * 1024

const endGroup = ({ pid, stdout, stderr }: ChildProcessByStdio<null, Readable, Readable>): void => {
  // Whoever holds them open must not hold us up.
  stdout.destroy()
  stderr.destroy()
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // It ended in this moment.
  }
}

const runs = (path: string): Promise<boolean> =>
  access(path, constants.X_OK).then(
    () => true,
    () => false,
  )

/** CLAUDE_BIN, else `claude` on the caller's PATH. */
const locate = async ({ CLAUDE_BIN: named, PATH = '' }: Environment): Promise<string> => {
  if (named) {
    if (!isAbsolute(named)) fail('claude_missing', { why: `CLAUDE_BIN (${named}) is no absolute path` })
    return (await runs(named))
      ? named
      : fail('claude_missing', { why: `CLAUDE_BIN (${named}) cannot be run` })
  }
  for (const folder of PATH.split(delimiter).filter(isAbsolute)) {
    const path = join(folder, 'claude')
    if (await runs(path)) return path
  }
  return fail('claude_missing', { why: 'there is no `claude` on your PATH' })
}

/** A group of its own: what hangs may be a child of a script that stands for the CLI. */
const printed = (program: string, env: Environment, patienceMs: number): Promise<string> =>
  new Promise((resolve, reject) => {
    const child = spawn(program, ['--version'], {
      env: { ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    })
    const refuse = (why: string): void => reject({ why: `\`${program} --version\` ${why}` })
    let [out, err] = ['', '']
    const late = setTimeout(() => {
      refuse(`did not answer in ${patienceMs / 1000} s`)
      endGroup(child)
    }, patienceMs)
    child.stdout.on('data', (piece) => {
      out = `${out}${piece}`.slice(0, longestAnswer)
    })
    child.stderr.on('data', (piece) => {
      err = `${err}${piece}`.slice(0, longestAnswer)
    })
    child.once('error', (error) => refuse(`failed: ${oneLine(error.message, 200)}`))
    child.once('close', (code, signal) => {
      clearTimeout(late)
      if (code === 0) resolve(out)
      else refuse(`failed: ${oneLine(err || `it ended with ${code ?? signal}`, 200)}`)
    })
  })

export const findClaude = async (
  env: Environment,
  patienceMs = 30_000,
): Promise<{ program: string; driver: Driver }> => {
  const program = await locate(env)
  const text = await printed(program, env, patienceMs).catch((cause: { why: string }) =>
    fail('claude_missing', { why: cause.why, cause }),
  )
  return { program, driver: claude(text) }
}
