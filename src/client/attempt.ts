// Starts a host of its own accord: detached from this process, its words kept for the case that it fails.
import { spawn } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, readSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { oneLine } from '../base/text/rules.ts'

export type Program = readonly [program: string, ...args: string[]]

export type Attempt = {
  readonly at: number
  /** Why it failed; undefined while it runs, and when it yielded to another host. */
  failed(): string | undefined
  over(): boolean
  /** Ends it unless it is `pid`, the host that answers. */
  endUnless(pid: number | undefined): void
}

/** Its output goes to a file that has no name any more: nothing to clean up, and no pipe that breaks. */
const output = (): { handle: number; read: () => string } => {
  const directory = mkdtempSync(join(tmpdir(), 'agency-output-'))
  const handle = openSync(join(directory, 'output'), 'w+', 0o600)
  rmSync(directory, { recursive: true })
  const read = (): string => {
    const buffer = Buffer.alloc(8_192)
    return buffer.toString('utf8', 0, readSync(handle, buffer, 0, buffer.length, 0)).trim()
  }
  return { handle, read }
}

/**
 * Without what belongs to an agent: a host that an agent's command starts is not part of that agent, and would be
 * swept away with it. NODE_EXTRA_CA_CERTS slows the start of Node, and a host needs none.
 */
const inherited = (env: NodeJS.ProcessEnv, without: readonly string[]): NodeJS.ProcessEnv =>
  Object.fromEntries(
    Object.entries(env).filter(
      ([name]) =>
        name !== 'NODE_EXTRA_CA_CERTS' &&
        !without.includes(name) &&
        !/^(AGENCY|H2)_(KEEPER|ACTOR|ROLE|POD|SESSION_DIR)$/.test(name),
    ),
  )

export const attempt = (root: string, [program, ...args]: Program, without: readonly string[]): Attempt => {
  const { handle, read } = output()
  const child = spawn(program, args, {
    cwd: root,
    env: { ...inherited(process.env, without), AGENCY_ROOT: root },
    detached: true,
    stdio: ['ignore', handle, handle],
  })
  let failed: string | undefined
  let over = false
  child.once('error', (error) => {
    failed = error.message
    over = true
  })
  child.once('exit', (code, signal) => {
    if (code !== 0) failed = oneLine(read(), 2_000) || `it ended with ${signal ?? `exit code ${code}`}`
    over = true
    closeSync(handle)
  })
  child.unref()
  return {
    at: performance.now(),
    failed: () => failed,
    over: () => over,
    endUnless: (pid) => void (over || child.pid === pid || child.kill('SIGTERM')),
  }
}
