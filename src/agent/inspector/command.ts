// A second opinion by a program of the user's: it is given what the reviewer was given, and prints a verdict.
import { randomBytes } from 'node:crypto'
import { isOuter } from '../../session/plan/env/rules.ts'
import type { Environment } from '../../session/plan/schema.ts'
import { makePlace } from '../aside/place.ts'
import { runOnce } from '../aside/run.ts'
import { printedAnswer, type Read } from './answer/rules.ts'

export type Commanded = {
  readonly root: string
  readonly command: readonly string[]
  readonly env: Environment
  readonly text: string
  readonly deadline: number
  readonly signal: AbortSignal
}

/** In an empty directory: a program is never found by lying in the tree. */
export const askCommand = async ({
  root,
  command,
  env,
  text,
  deadline,
  signal,
}: Commanded): Promise<Read> => {
  const cookie = randomBytes(16).toString('hex')
  const place = await makePlace(root, cookie)
  try {
    const own = Object.fromEntries(Object.entries(env).filter(([name]) => !isOuter(name)))
    const launch = { argv: command, env: { ...own, TMPDIR: place.paths.tmp }, stdin: text }
    const ran = await runOnce({ launch, cwd: place.cwd, cookie, deadline, signal })
    if (ran.broken !== undefined) return { failed: `it ${ran.broken}` }
    const { code, signal: by, stderr } = ran.exit
    if (code !== 0)
      return { failed: `it ended with ${by ?? `exit code ${code}`} ${stderr}`.trim().slice(0, 200) }
    return printedAnswer(ran.text)
  } finally {
    // What stays is taken away by the next host.
    await place.remove().catch(() => {})
  }
}
