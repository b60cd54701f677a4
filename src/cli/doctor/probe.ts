// Asks the machine. A probe never fails the examination: what cannot be found out is a finding.
import { execFile } from 'node:child_process'
import { access, constants } from 'node:fs/promises'
import { delimiter, isAbsolute, join } from 'node:path'
import type { Program } from './schema.ts'

type Env = Readonly<Record<string, string | undefined>>
type Answer = { readonly ok: boolean; readonly text: string }

const ask = (file: string, args: readonly string[], env: Env): Promise<Answer> =>
  new Promise((resolve) => {
    const child = execFile(
      file,
      args,
      { env: env as NodeJS.ProcessEnv, timeout: 10_000, killSignal: 'SIGKILL', maxBuffer: 64 * 1024 },
      (error, stdout, stderr) =>
        resolve({ ok: error === null, text: (stdout || stderr || error?.message || '').trim() }),
    )
    child.stdin?.end()
  })

const executable = async (path: string): Promise<boolean> =>
  access(path, constants.X_OK).then(
    () => true,
    () => false,
  )

/** Where a shell would find it. */
export const which = async (name: string, env: Env): Promise<string | undefined> => {
  if (name.includes('/')) return (await executable(name)) ? name : undefined
  for (const folder of (env.PATH ?? '').split(delimiter).filter(isAbsolute)) {
    const path = join(folder, name)
    if (await executable(path)) return path
  }
  return undefined
}

export const program = async (name: string, env: Env): Promise<Program> => {
  const path = await which(name, env)
  if (path === undefined) return undefined
  const { ok, text } = await ask(path, ['--version'], env)
  const [first = ''] = text.split('\n')
  return { path, version: ok ? first.slice(0, 80) : `does not answer --version: ${first.slice(0, 80)}` }
}
