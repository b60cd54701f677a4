// A session once more: gone on with as itself, or as the beginning of another agent's.
import { randomUUID } from 'node:crypto'
import { fail } from '../base/error/fail.ts'
import type { Start } from '../driver/schema.ts'
import { loadRole } from '../role/load.ts'
import { forkWarnings } from '../session/fork/rules.ts'
import { readHistory, readTree } from '../session/fork.ts'
import { sessionNames } from '../session/gc/look.ts'
import { type Last, lastSession } from '../session/last.ts'
import type { Again as Relaunch } from '../session/launch.ts'
import { forkName } from '../session/plan/name/rules.ts'
import type { SessionFile } from '../session/plan/schema.ts'
import type { Ask, Caller } from '../session/prepare.ts'
import type { AgentEntry } from './api.ts'
import { sizeOf } from './enter.ts'

/** From where, and with which environment, somebody asks. */
export type Calling = { readonly cwd: string; readonly env: Readonly<Record<string, string>> }
export type Resumed = Calling & { readonly name: string }
export type Forked = Calling & { readonly agent: string; readonly name?: string | undefined }

export type Launched = { readonly agent: AgentEntry; readonly warnings: string[] }

export type Beginning = Omit<Ask, 'root' | 'taken' | 'scripted' | 'at'> & {
  /** A name that was reserved for it. */
  readonly mine?: string | undefined
  readonly history?: string | undefined
  /** An agent that was not there before, whoever had its name. */
  readonly fresh?: boolean | undefined
  /** In the keeper it has. */
  readonly again?: Relaunch | undefined
}

export type AgainOptions = {
  readonly root: string
  readonly taken: () => readonly string[]
  readonly reserved: Set<string>
  readonly callerOf: (calling: Calling) => Caller
  readonly begin: (beginning: Beginning) => Promise<Launched>
}

export type Again = {
  resume(wanted: Resumed): Promise<Launched>
  fork(wanted: Forked): Promise<Launched>
}

/** What was never said cannot be resumed, and the id is still free; what was said and is gone is no new beginning. */
export const startOf = async ({ file, transcript, spoke }: Omit<Last, 'directory'>): Promise<Start> => {
  const { agent, session_id: id } = file
  if ((await sizeOf(transcript)) > 0) return { kind: 'resume', id }
  if (spoke) fail('session_unknown', { agent, what: 'resume', why: `what it said is gone (${transcript})` })
  return { kind: 'new', id }
}

export const againOf = ({ root, taken, reserved, callerOf, begin }: AgainOptions): Again => {
  const refuseTaken = (name: string): void => {
    if (taken().includes(name)) fail('name_in_use', { name })
  }

  /** As it was launched then, with its role as it is now. */
  const likeBefore = async (file: SessionFile, wanted: Calling) => {
    const { role, pod, overrides: given, arguments: extra, worktree, cwd, switched } = file
    const overrides = Object.entries(given).map(([key, value]) => `${key}=${value}`)
    const loaded = await loadRole(root, role, { pod: pod !== undefined, overrides })
    const caller = { ...callerOf(wanted), cwd: worktree ?? cwd }
    return { caller, pod, switched, what: { role: loaded, extra } }
  }

  const resume: Again['resume'] = async ({ name, ...wanted }) => {
    refuseTaken(name)
    const last = await lastSession(root, name, 'resume')
    const { forked_from: session } = last.file
    const begun = await likeBefore(last.file, wanted)
    const start = await startOf(last)
    return begin({ ...begun, start, name, fork: session === undefined ? undefined : { session } })
  }

  const fork: Again['fork'] = async ({ agent, name: given, ...wanted }) => {
    if (given !== undefined) refuseTaken(given)
    const { file, transcript } = await lastSession(root, agent, 'fork')
    const begun = await likeBefore(file, wanted)
    const [from, id] = [file.session_id, randomUUID()]
    const history = await readHistory(agent, { transcript, from, to: id })
    const { enabled, branch_from } = begun.what.role.role.worktree
    const tree = enabled ? await readTree(root, agent) : undefined
    const before = await sessionNames(root)
    // No pause from here on until the name is reserved.
    const name = given ?? forkName(agent, [...taken(), ...before])
    refuseTaken(name)
    reserved.add(name)
    try {
      const start = { kind: 'resume' as const, id }
      const origin = { session: from, commit: tree?.commit }
      const up = await begin({ ...begun, start, name, mine: name, fork: origin, history, fresh: true })
      const parting = { parent: agent, before: file.cwd, now: up.agent.cwd, tree }
      const told = forkWarnings({ ...parting, otherwise: enabled ? branch_from : undefined })
      return { ...up, warnings: [...up.warnings, ...told] }
    } finally {
      reserved.delete(name)
    }
  }

  return { resume, fork }
}
