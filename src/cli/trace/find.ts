// What a root has running, from its own records. A record is believed only with the start time of its process.
import { execFile } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { alive, type Identity, identify } from '../../base/process/identity.ts'
import { readHostFile } from '../../client/address.ts'
import { layout } from '../../config/layout/rules.ts'
import { findKeepers } from '../../keeper/find.ts'
import { members } from '../../keeper/members.ts'
import { descendants } from './rules.ts'

export type Running = Identity & { readonly what: string }

/** Who the record of the host names, alive or not. */
export const recordedHost = (root: string): Identity | undefined => {
  const file = readHostFile(root)
  return file && { pid: file.pid, started: file.started }
}

/** Who the live host is; undefined if the record names nobody alive. */
export const liveHost = (root: string): Identity | undefined => {
  const host = recordedHost(root)
  return host !== undefined && alive(host) ? host : undefined
}

const processes = (): Promise<string> =>
  new Promise((resolve, reject) => {
    execFile('ps', ['-A', '-o', 'pid=,ppid='], { maxBuffer: 16 * 1024 * 1024 }, (error, stdout) =>
      error === null ? resolve(stdout) : reject(error),
    )
  })

/** The keepers, and everything that their sessions have started wherever it has gone. */
const kept = async (root: string): Promise<Running[]> =>
  (await findKeepers(root)).flatMap(({ agent, pid, started, cookie }) => [
    { what: `keeper of ${agent}`, pid, started },
    ...members({ cookie, except: [pid] }).map((whom) => ({ what: `process of ${agent}`, ...whom })),
  ])

/** The host and everything it started that is still below it, and what its keepers hold. */
export const running = async (root: string): Promise<Running[]> => {
  const sessions = await kept(root)
  const host = liveHost(root)
  if (host === undefined) return sessions
  const known = new Set(sessions.map(({ pid }) => pid))
  // A guard is below its keeper and ends with it; told to end alone, it would only be replaced.
  const below = descendants(await processes(), [host.pid])
    .filter((pid) => !known.has(pid))
    .flatMap((pid) => identify(pid) ?? [])
  return [
    { what: 'host', ...host },
    ...sessions,
    ...below.map((whom) => ({ what: 'process of the host', ...whom })),
  ]
}

const answers = (path: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(path)
    const end = (live: boolean) => (): void => {
      socket.destroy()
      resolve(live)
    }
    socket.setTimeout(2000, end(true))
    socket.on('connect', end(true)).on('error', end(false))
  })

/** The sockets of the root, and whether anybody listens. */
export const sockets = async (root: string): Promise<{ path: string; live: boolean }[]> => {
  const folder = layout(root).sockets
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  const paths = entries.filter((entry) => entry.isSocket()).map(({ name }) => join(folder, name))
  return Promise.all(paths.map(async (path) => ({ path, live: await answers(path) })))
}
