// The listeners of the host, and which table answers which path.
import { timingSafeEqual } from 'node:crypto'
import type { Log } from '../base/log/open.ts'
import type { Crew } from './crew.ts'
import { answering, answeringPlain } from './http/exchange.ts'
import type { App } from './http/find.ts'
import {
  limits as defaultLimits,
  type Limits,
  type Listener,
  listenPort,
  listenSocket,
} from './http/listen.ts'
import type { Table } from './http/router.ts'
import type { Member } from './member.ts'

export type DoorOptions = { readonly token: string; readonly log: Log; readonly limits?: Limits | undefined }

/** Compared in constant time. Its length is no secret: every token has the same. */
const matcher = (token: string): App['isToken'] => {
  const ours = Buffer.from(token)
  return (text) => {
    const theirs = Buffer.from(text)
    return theirs.length === ours.length && timingSafeEqual(theirs, ours)
  }
}

export type Doors = {
  socket(path: string, locate: App['locate']): Promise<Listener>
  port(port: number, locate: App['locate']): Promise<Listener>
  /** A component's own port: its table at `/`. */
  member(member: Member, port: number): Promise<Listener>
}

export const doorsOf = ({ token, log, limits = defaultLimits }: DoorOptions): Doors => {
  const app = { log, isToken: matcher(token) }
  const port: Doors['port'] = async (wanted, locate) => {
    // Which port it is may be known only once it listens; nobody can ask before.
    let listener: ReturnType<typeof answering> = () => {}
    const door = await listenPort(wanted, {
      log,
      limits,
      listener: (request, response) => listener(request, response),
    })
    listener = answering({ ...app, locate, door: { kind: 'port', port: door.port } })
    return door
  }
  return {
    port,
    socket: (path, locate) => {
      const whole: App = { ...app, locate, door: { kind: 'socket' } }
      return listenSocket(path, { log, limits, listener: answering(whole), plain: answeringPlain(whole) })
    },
    member: (member, wanted) => port(wanted, (rest) => ({ table: member.table(), rest })),
  }
}

/** `/agents/<name>/…` and `/directors/<name>/…` belong to that component, everything else to the host. Before all
 * components are known the path of an unknown one is the host's, which says that it is starting. */
export const locator =
  (table: Table, crew: () => Crew | undefined): App['locate'] =>
  (segments) => {
    const [place, name] = segments
    const isMembers = segments.length > 2 && (place === 'agents' || place === 'directors')
    if (!isMembers) return { table, rest: segments }
    const member = crew()?.find(`${place}/${name}`)
    if (member) return { table: member.table(), rest: segments.slice(2) }
    // Of an agent that does not run the host knows at least its role.
    const rests = place === 'agents' && segments.length === 3 && segments[2] === 'role'
    return table.whole() && !rests ? undefined : { table, rest: segments }
  }
