// Runs a program with the n-th system call on the store's files failing, or killing it.
import { execFile } from 'node:child_process'
import { access } from 'node:fs/promises'
import { join } from 'node:path'

const strace = '/usr/bin/strace'
const beside = ['', '-wal', '-shm', '-journal']

export type Run = {
  readonly exit: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

const execute = (command: string, args: readonly string[]): Promise<Run> =>
  new Promise((resolve) => {
    const child = execFile(command, args, { timeout: 60_000, killSignal: 'SIGKILL' }, (_, stdout, stderr) => {
      resolve({ exit: child.exitCode, signal: child.signalCode, stdout, stderr })
    })
  })

/** These tests prove nothing without it, so its absence is a failure. */
export const needStrace = (): Promise<void> =>
  access(strace).catch(() => {
    throw new Error(`${strace} is missing: install strace to run the tests of faults`)
  })

/** `inject` as strace spells it; the trace goes to `trace` beside the store. */
export const traced = (
  directory: string,
  inject: string | undefined,
  program: readonly string[],
): Promise<Run> => {
  const store = join(directory, 'agency.db')
  return execute(strace, [
    ...['-f', '-qq', '-o', join(directory, 'trace')],
    ...['-e', 'trace=pwrite64,fsync,fdatasync,ftruncate,unlink,openat'],
    ...beside.flatMap((suffix) => ['-P', `${store}${suffix}`]),
    ...(inject ? ['-e', `inject=${inject}`] : []),
    ...[process.execPath, ...program],
  ])
}

export const plain = (program: readonly string[]): Promise<Run> => execute(process.execPath, program)

export const inNamespace = (script: string): Promise<Run> => execute('unshare', ['-m', 'sh', '-c', script])
