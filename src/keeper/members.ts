// The processes of a session: those of its process group, those that carry its cookie in their environment
// wherever they have gone (setsid, double fork), and all that descend from them. What clears its environment
// *and* leaves group and parent is seen only by a pid namespace: that is what the sandbox is for.
import { execFileSync } from 'node:child_process'
import { closeSync, openSync, readdirSync, readSync } from 'node:fs'
import { alive, type Identity, identify } from '../base/process/identity.ts'
import { oneLine } from '../base/text/rules.ts'
import type { Survivor } from './schema.ts'

export const cookieName = 'AGENCY_KEEPER'

type Row = {
  readonly pid: number
  readonly parent: number
  readonly group: number
  readonly session: number
  readonly marked: boolean
}

const room = Buffer.allocUnsafe(16 * 1024)

/** Asked of every process whenever a child ends: what Node reads files with asks their size first, which these lack. */
const readAll = (path: string): string => {
  const handle = openSync(path, 'r')
  try {
    for (let text = ''; ; ) {
      const length = readSync(handle, room)
      if (length === 0) return text
      text += room.toString('latin1', 0, length)
    }
  } finally {
    closeSync(handle)
  }
}

/** '' if it ended meanwhile, or belongs to somebody else. */
const read = (path: string): string => {
  try {
    return readAll(path)
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (['ENOENT', 'ESRCH', 'EACCES', 'EPERM'].includes(code)) return ''
    throw error
  }
}

/** Of the kernel itself; there are often more of them than of all others. */
const kernels = 0x200000

const fromProc = (cookie: string): readonly Row[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const stat = read(`/proc/${name}/stat`)
      const [state, parent, group, session, , , flags] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      if (stat === '' || state === 'Z' || state === 'X' || (Number(flags) & kernels) !== 0) return []
      const marked = read(`/proc/${name}/environ`).includes(cookie)
      return [
        { pid: Number(name), parent: Number(parent), group: Number(group), session: Number(session), marked },
      ]
    })

const fromPs = (cookie: string): readonly Row[] =>
  execFileSync('ps', ['-axEww', '-o', 'pid=,ppid=,pgid=,stat=,command='], {
    encoding: 'latin1',
    maxBuffer: 256 * 1024 * 1024,
  })
    .split('\n')
    .flatMap((line) => {
      const [, pid, parent, group, state, command] =
        /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line) ?? []
      if (pid === undefined || state?.startsWith('Z')) return []
      const row = { pid: Number(pid), parent: Number(parent), group: Number(group), session: 0 }
      return [{ ...row, marked: command?.includes(cookie) ?? false }]
    })

const rows = (cookie: string): readonly Row[] =>
  process.platform === 'linux' ? fromProc(cookie) : fromPs(cookie)

export type Belonging = {
  readonly cookie: string
  /** The child's pid, while it cannot be anybody else's. */
  readonly group?: number
  /** Found before; they count as long as they live, and so does what they start. */
  readonly known?: readonly Identity[]
  /** Never members, though they may look so. */
  readonly except: readonly number[]
}

export const members = ({ cookie, group, known = [], except }: Belonging): readonly Identity[] => {
  const all = rows(`${cookieName}=${cookie}`).filter(({ pid }) => !except.includes(pid))
  const found = new Set(known.filter(alive).map(({ pid }) => pid))
  for (const row of all) {
    if (row.marked || (group !== undefined && (row.group === group || row.session === group)))
      found.add(row.pid)
  }
  // A child may be listed before its parent: until nothing is added.
  for (let before = -1; before < found.size; ) {
    before = found.size
    for (const row of all) if (found.has(row.parent)) found.add(row.pid)
  }
  return [...found].flatMap((pid) => identify(pid) ?? [])
}

const commandOf = (pid: number): string => {
  const line = process.platform === 'linux' ? read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ') : ''
  return oneLine(line.trim(), 200)
}

export const named = (whom: Identity): Survivor => ({ ...whom, command: commandOf(whom.pid) })
