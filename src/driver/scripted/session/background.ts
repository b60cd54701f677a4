// A Bash call with run_in_background.
import { randomBytes } from 'node:crypto'
import type { Json } from '../hook/rules.ts'
import { runBash, shellEnv } from '../tool/bash.ts'
import type { Outcome } from '../tool/place.ts'
import type { Context } from './context.ts'

const longest = 2 ** 31 - 1

/** A command that the turn does not wait for. It ends with the session, and nothing else ends it. */
export const runBehind = ({ cwd, env, session, tasks }: Context, input: Json): Outcome => {
  const id = `b${randomBytes(4).toString('hex')}`
  const command = String(input.command)
  const description = String(input.description ?? command)
  const place = { cwd, env: shellEnv(env, session), timeoutMs: longest, signal: new AbortController().signal }
  tasks.start(
    { id, type: 'shell', description, command },
    runBash(command, place).then(({ output }) => output),
  )
  return {
    ok: true,
    content: `Command running in background with ID: ${id}.`,
    response: { stdout: '', stderr: '', interrupted: false, isImage: false, backgroundTaskId: id },
  }
}
