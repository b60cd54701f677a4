// The Bash tool. A command has a group, a time and a size; only what leaves its group outlives it.
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { closeSync, fstatSync, mkdirSync, openSync, readSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { killGroup, track } from './group.ts'

export type Ran = { code: number | null; output: string; why?: 'timeout' | 'aborted' | 'flood' }

const shown = 30_000
const flood = 64 * 1024 * 1024
const scratch = (env: NodeJS.ProcessEnv): string => {
  const directory = env.CLAUDE_CODE_TMPDIR ?? join('/tmp', `claude-${process.getuid?.() ?? 0}`)
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  return join(directory, `bash-${randomUUID()}`)
}

const read = (fd: number): string => {
  const size = fstatSync(fd).size
  const buffer = Buffer.alloc(Math.min(size, shown))
  readSync(fd, buffer, 0, buffer.length, 0)
  const text = buffer.toString('utf8')
  return size > shown ? `${text}\n\n... [${size - shown} bytes truncated] ...` : text.replace(/\n$/, '')
}

const secret = /KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL/i

export const shellEnv = (env: NodeJS.ProcessEnv, session: string): NodeJS.ProcessEnv => {
  const kept = Object.entries(env).filter(
    ([name]) => env.CLAUDE_CODE_SUBPROCESS_ENV_SCRUB !== '1' || !secret.test(name),
  )
  return {
    ...Object.fromEntries(kept),
    CLAUDECODE: '1',
    AI_AGENT: 'claude-code_scripted_agent',
    CLAUDE_CODE_SESSION_ID: session,
    GIT_EDITOR: 'true',
  }
}

/** Output goes to a file, not to a pipe: a grandchild that keeps it open holds nothing up. */
export const runBash = (
  command: string,
  place: { cwd: string; env: NodeJS.ProcessEnv; timeoutMs: number; signal: AbortSignal },
): Promise<Ran> =>
  new Promise((resolve) => {
    const file = scratch(place.env)
    const fd = openSync(file, 'a+', 0o600)
    unlinkSync(file)
    let why: Ran['why']
    let ended = false
    const child = spawn('bash', ['-c', command], {
      cwd: place.cwd,
      env: place.env,
      detached: true,
      stdio: ['ignore', fd, fd],
    })
    const forget = track(child.pid)
    const stop = (reason: Ran['why']): void => {
      why = reason
      killGroup(child.pid)
    }
    const abort = (): void => stop('aborted')
    const timer = setTimeout(() => stop('timeout'), place.timeoutMs)
    const gauge = setInterval(() => fstatSync(fd).size > flood && stop('flood'), 100)
    place.signal.addEventListener('abort', abort)
    if (place.signal.aborted) abort()
    const end = (code: number | null, output: string): void => {
      if (ended) return
      ended = true
      clearTimeout(timer)
      clearInterval(gauge)
      place.signal.removeEventListener('abort', abort)
      forget()
      closeSync(fd)
      resolve({ code, output, ...(why ? { why } : {}) })
    }
    child.on('error', (error) => end(127, error.message))
    child.on('exit', (code) => end(code, ended ? '' : read(fd)))
  })
