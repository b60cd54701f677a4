// Who a process is. A pid alone is no identity: it is reused, so it always travels with its start time.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

export type Identity = { readonly pid: number; readonly started: string }

const read = (path: string): string | undefined => {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    // ESRCH: the process ended between open and read.
    if (code === 'ENOENT' || code === 'ESRCH') return undefined
    throw error
  }
}

// The start time counts from boot, so the boot is part of it: after a reboot the same number may return.
const boot = (): string => (read('/proc/sys/kernel/random/boot_id') ?? '').slice(0, 8)

const fromProc = (pid: number): string | undefined => {
  const stat = read(`/proc/${pid}/stat`)
  if (stat === undefined) return undefined
  // The name may hold spaces and brackets: fields are counted after its last bracket.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  // A zombie has ended; it only waits to be reaped.
  return fields[0] === 'Z' || fields[0] === 'X' ? undefined : `${fields[19]}@${boot()}`
}

const fromPs = (pid: number): string | undefined => {
  try {
    const options = { encoding: 'utf8', env: { ...process.env, LC_ALL: 'C', TZ: 'UTC' } } as const
    const [state = '', ...start] = execFileSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], options)
      .trim()
      .split(/\s+/)
    return state === '' || state.startsWith('Z') ? undefined : start.join(' ')
  } catch {
    // `ps` exits 1 when there is no such process.
    return undefined
  }
}

/** When the process started, in words of the system; undefined if there is none. */
export const startOf = (pid: number): string | undefined =>
  process.platform === 'linux' ? fromProc(pid) : fromPs(pid)

export const identify = (pid: number): Identity | undefined => {
  const started = startOf(pid)
  return started === undefined ? undefined : { pid, started }
}

export const alive = ({ pid, started }: Identity): boolean => startOf(pid) === started
