// What a fork takes from its parent, which may be at work meanwhile: nothing of it is touched.
import { constants } from 'node:fs'
import { open, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { fail } from '../base/error/fail.ts'
import { forkTranscript } from '../driver/claude/fork/rules.ts'
import { fetchRecord } from '../worktree/fetch.ts'
import { readHeads } from '../worktree/heads.ts'
import { inspect } from '../worktree/inspect.ts'
import { commitOf } from '../worktree/look.ts'
import { readRecord } from '../worktree/record.ts'
import { entryAt } from '../worktree/repository.ts'
import { worktreesOf } from '../worktree/rules.ts'
import type { WorktreeRecord } from '../worktree/schema.ts'

/** A conversation of this size has many years of pictures in it. */
const longest = 256 * 1024 * 1024

/** undefined = there is none. Never waits for a pipe, never reads a device. */
const readBytes = async (path: string): Promise<Buffer | 'large' | undefined> => {
  const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch(() => undefined)
  if (handle === undefined) return undefined
  try {
    const facts = await handle.stat()
    if (!facts.isFile()) return undefined
    return facts.size > longest ? 'large' : await handle.readFile()
  } finally {
    await handle.close()
  }
}

/** What the parent has said until now, as the beginning of the conversation `to`. */
export const readHistory = async (
  agent: string,
  { transcript, from, to }: { readonly transcript: string; readonly from: string; readonly to: string },
): Promise<string> => {
  const refuse = (why: string): never => fail('session_unknown', { agent, what: 'fork', why })
  const bytes = await readBytes(transcript)
  if (bytes === 'large') return refuse(`what it said is larger than ${longest / 1024 / 1024} MB`)
  return (
    forkTranscript(bytes?.toString('utf8') ?? '', { from, to }) ??
    refuse('nothing was said in it yet, so there is nothing to begin with')
  )
}

export type Tree = { readonly commit: string | undefined; readonly changes: number }

const seconds = 20

/** What it committed must be in the repository that the fork's own tree is made from. */
const readClone = async (worktrees: string, record: WorktreeRecord): Promise<Tree> => {
  await fetchRecord(worktrees, record)
  const { status } = await inspect(record, seconds)
  return { commit: (await readHeads(join(record.path, '.git'))).commit, changes: status.changes }
}

/** Where the worktree of an agent stands; undefined = it has none. */
export const readTree = async (root: string, agent: string): Promise<Tree | undefined> => {
  const worktrees = await realpath(worktreesOf(root)).catch(() => undefined)
  const record = worktrees === undefined ? undefined : await readRecord(worktrees, agent)
  if (worktrees === undefined || record === undefined) return undefined
  if (record.clone) return readClone(worktrees, record)
  const entry = await entryAt(record.repository, record.path)
  if (entry === undefined) return undefined
  const { status } = await inspect(record, seconds)
  return { commit: await commitOf(entry.gitdir, 'HEAD', seconds), changes: status.changes }
}
