// A command hook: a shell in a group of its own, the input on stdin, the answer on stdout or by exit code.
import { spawn } from 'node:child_process'
import { killGroup, track } from '../tool/group.ts'
import type { Raw } from './rules.ts'

const limit = 1024 * 1024

export type CommandCall = {
  command: string
  input: string
  cwd: string
  env: NodeJS.ProcessEnv
  timeoutMs: number
  signal: AbortSignal
}

export const callCommand = ({ command, input, cwd, env, timeoutMs, signal }: CommandCall): Promise<Raw> =>
  new Promise((resolve) => {
    const child = spawn('/bin/sh', ['-c', command], { cwd, env, detached: true, stdio: 'pipe' })
    const forget = track(child.pid)
    let stdout = ''
    let stderr = ''
    let ended = false
    const end = (raw: Raw): void => {
      if (ended) return
      ended = true
      forget()
      clearTimeout(timer)
      signal.removeEventListener('abort', abort)
      resolve(raw)
    }
    const fail = (why: string): void => {
      killGroup(child.pid)
      end({ kind: 'failed', why })
    }
    const abort = (): void => fail('cancelled')
    // Larger delays than a timer can hold would fire at once.
    const timer = setTimeout(() => fail('timed out'), Math.min(timeoutMs, 2 ** 31 - 1))
    signal.addEventListener('abort', abort)
    child.stdout.setEncoding('utf8').on('data', (piece: string) => {
      if (stdout.length < limit) stdout += piece
    })
    child.stderr.setEncoding('utf8').on('data', (piece: string) => {
      if (stderr.length < limit) stderr += piece
    })
    // A hook may end without reading its input.
    child.stdin.on('error', () => undefined)
    child.on('error', (error) => end({ kind: 'failed', why: error.message }))
    child.on('close', (code) =>
      end(code === null ? { kind: 'failed', why: 'killed' } : { kind: 'exit', code, stdout, stderr }),
    )
    child.stdin.end(input)
  })
