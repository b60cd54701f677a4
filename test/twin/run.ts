// One process of a program in print mode: a group of its own, output kept whole, ended by its own id.
import { type ChildProcess, spawn } from 'node:child_process'
import { deadline } from './until.ts'

export type Result = {
  type: string
  subtype: string
  is_error: boolean
  result?: string
  session_id: string
  num_turns: number
  total_cost_usd: number
  terminal_reason?: string
  api_error_status?: number | null
  errors?: string[]
  permission_denials: { tool_name: string; tool_use_id: string; tool_input: object }[]
  usage: { input_tokens: number; output_tokens: number }
  [key: string]: unknown
}
export type Line = { type: string; subtype?: string; [key: string]: unknown }
export type Ended = {
  code: number | null
  signal: NodeJS.Signals | null
  stdout: string
  stderr: string
  /** Of `--output-format json` or the last one of `stream-json`. */
  result: Result | undefined
  lines: Line[]
}
export type Running = {
  pid: number
  child: ChildProcess
  stdout: () => string
  stderr: () => string
  lines: () => Line[]
  ended: Promise<Ended>
  kill: (signal?: NodeJS.Signals) => void
}

const parse = (line: string): Line[] => {
  try {
    const value = JSON.parse(line) as unknown
    return value && typeof value === 'object' ? [value as Line] : []
  } catch {
    // Text that is not JSON is still in `stdout`; a case that wants lines finds none.
    return []
  }
}

/** A group that is gone already is what we wanted. */
export const killGroup = (pid: number, signal: NodeJS.Signals = 'SIGKILL') => {
  try {
    process.kill(-pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

export type How = {
  cwd: string
  env: Record<string, string>
  /** On stdin, which then ends; null leaves it open. */
  input?: string | null
}

export const run = (file: string, args: string[], how: How): Running => {
  const child = spawn(file, args, { cwd: how.cwd, env: how.env, detached: true, stdio: 'pipe' })
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  // A program that ends without reading its prompt closes the pipe: the exit code tells that better.
  child.stdin.on('error', () => undefined)
  if (how.input !== null) child.stdin.end(how.input ?? '')
  const lines = () => stdout.split('\n').flatMap(parse)
  const ended = new Promise<Ended>((done, failed) => {
    const late = setTimeout(() => {
      killGroup(child.pid ?? 0)
      failed(new Error(`still running after ${deadline} ms\n${stdout.slice(-2000)}\n${stderr.slice(-2000)}`))
    }, deadline)
    child.on('error', (error) => {
      clearTimeout(late)
      failed(error)
    })
    child.on('close', (code, signal) => {
      clearTimeout(late)
      const result = lines().findLast((line) => line.type === 'result') as Result | undefined
      done({ code, signal, stdout, stderr, result, lines: lines() })
    })
  })
  // A case that never waits for the end must not fail by the end of a process it was done with.
  ended.catch(() => undefined)
  return {
    pid: child.pid ?? 0,
    child,
    stdout: () => stdout,
    stderr: () => stderr,
    lines,
    ended,
    kill: (signal = 'SIGKILL') => killGroup(child.pid ?? 0, signal),
  }
}
