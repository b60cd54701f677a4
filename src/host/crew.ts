// The components of a root: found by their config files, started together, each failing alone.
import { readdirSync } from 'node:fs'
import { fail, failure } from '../base/error/fail.ts'
import type { Log } from '../base/log/open.ts'
import { name as nameSchema } from '../base/name/schema.ts'
import type { Layout } from '../config/layout/rules.ts'
import { isOver } from '../registry/rules.ts'
import type { Asked, Brought, Ending, Kind } from './component.ts'
import type { Listener } from './http/listen.ts'
import { type Member, type MemberOptions, memberOf } from './member.ts'

export type Crew = {
  members(): readonly Member[]
  find(id: string): Member | undefined
  /** One that was launched; it takes the place of an earlier one with its name. */
  add(member: Member): void
  remove(id: string): void
  /** Makes and starts one; where it runs already from the same file it is that. */
  bring(brought: Brought): Member
  start(): Promise<void>
  finish(members: readonly Member[], ending: Ending): Promise<void>
}

export type CrewOptions = Omit<MemberOptions, 'kind' | 'name' | 'listen'> & {
  readonly kinds: readonly Kind[]
  /** Only what is brought, not what is configured in the root. */
  readonly bare?: boolean | undefined
  readonly serve: (member: Member, port: number) => Promise<Listener>
}

const namesIn = (directory: string): readonly string[] => {
  try {
    return readdirSync(directory, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
      .map((entry) => entry.name)
      .sort()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

const usable = (kind: Kind, layout: Layout, log: Log): readonly string[] =>
  namesIn(layout[kind.place]).filter((name) => {
    const fine = nameSchema.safeParse(name).success
    // Without a name it has no address: it cannot even be shown as a component.
    if (!fine)
      log.error('a directory is passed over: its name cannot be the name of a component', {
        place: kind.place,
        name,
      })
    return fine
  })

export const crewOf = ({ kinds, serve, bare = false, ...options }: CrewOptions): Crew => {
  const { layout, hostLog } = options
  const taken = new Map<number, Member>()

  const listen = async (member: Member, port: number): Promise<Listener> => {
    const what = member.id
    // 0 = any free one, which nobody else has.
    const holder = port === 0 ? undefined : taken.get(port)
    if (holder && !isOver(holder.state())) fail('port_in_use', { port, what, holder: holder.id })
    taken.set(port, member)
    try {
      return await serve(member, port)
    } catch (error) {
      taken.delete(port)
      const { code } = error as NodeJS.ErrnoException
      if (code === 'EADDRINUSE') throw failure('port_in_use', { port, what, holder: 'another program' })
      if (code === 'EACCES') throw failure('port_refused', { port, what, reason: code })
      throw error
    }
  }

  const make = (kind: Kind, name: string, file?: string): Member =>
    memberOf({ ...options, kind, name, listen, ...(file !== undefined && { file }) })
  const found = bare
    ? []
    : kinds.flatMap((kind) => usable(kind, layout, hostLog).map((name) => make(kind, name)))
  const configured = new Map(found.map((member) => [member.id, member]))
  const launched = new Map<string, Member>()
  const members = (): readonly Member[] => [...configured.values(), ...launched.values()]
  const find = (id: string): Member | undefined => launched.get(id) ?? configured.get(id)
  return {
    members,
    find,
    add: (member) => {
      launched.set(member.id, member)
    },
    remove: (id) => {
      launched.delete(id)
    },
    bring: ({ type, name, file }) => {
      const kind = kinds.find((one) => one.type === type) ?? fail('not_available', { what: `A ${type}` })
      const id = `${kind.place}/${name}`
      const there = find(id)
      if (there !== undefined && !isOver(there.state()))
        return there.file === file ? there : fail('name_in_use', { name })
      const member = make(kind, name, file)
      launched.delete(id)
      configured.set(id, member)
      void member.start()
      return member
    },
    start: async () => {
      await Promise.all([...configured.values()].map((member) => member.start()))
    },
    finish: async (which, ending) => {
      await Promise.all(which.map((member) => member.finish(ending)))
    },
  }
}

/** Fails closed: who did not say how long running work may go on, or that it may not, has not thought of it. */
export const refuseIfBusy = (members: readonly Member[], asked: Asked): void => {
  if (asked.timeout_seconds !== undefined || asked.force) return
  for (const member of members) {
    const task = member.currentTask()
    if (task) fail('task_in_progress', { what: member.id, task_id: task.id })
  }
}
