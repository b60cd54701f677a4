// Which Claude Code a caller means, and what it can do.
import { execFile } from 'node:child_process'
import { access, constants } from 'node:fs/promises'
import { delimiter, isAbsolute, join } from 'node:path'
import { fail } from '../../base/error/fail.ts'
import { oneLine } from '../../base/text/rules.ts'
import type { Driver } from '../driver.ts'
import { claude } from './driver.ts'

type Environment = Readonly<Record<string, string>>

const patience = 30_000

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

const printed = (program: string, env: Environment): Promise<string> =>
  new Promise((resolve, reject) => {
    const options = {
      env: { ...env },
      timeout: patience,
      killSignal: 'SIGKILL',
      maxBuffer: 64 * 1024,
    } as const
    const child = execFile(program, ['--version'], options, (error, stdout, stderr) => {
      if (error === null) return resolve(stdout)
      const why = oneLine(stderr || error.message, 200)
      reject(Object.assign(error, { why: `\`${program} --version\` failed: ${why}` }))
    })
    child.stdin?.end()
  })

export const findClaude = async (env: Environment): Promise<{ program: string; driver: Driver }> => {
  const program = await locate(env)
  const text = await printed(program, env).catch((error: { why: string }) =>
    fail('claude_missing', { why: error.why, cause: error }),
  )
  return { program, driver: claude(text) }
}
