// What we remember of the tree of an agent, in a file beside the trees.
import { readdir, rm } from 'node:fs/promises'
import { readText } from '../base/file/read.ts'
import { writeAtomic } from '../base/file/write.ts'
import { namePattern } from '../base/name/schema.ts'
import { placeOf } from './rules.ts'
import { record, type WorktreeRecord } from './schema.ts'

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    // Not ours, or damaged: the schema refuses it in a moment.
    return undefined
  }
}

/** A record that cannot be understood is none: nothing is then undone or removed on its word. */
export const readRecord = async (worktrees: string, agent: string): Promise<WorktreeRecord | undefined> => {
  const place = placeOf(worktrees, agent)
  const read = await readText(place.record, { nofollow: true })
  const { data } = record.safeParse('text' in read ? parsed(read.text) : undefined)
  return data?.agent === agent && data.path === place.path ? data : undefined
}

export const writeRecord = (worktrees: string, value: WorktreeRecord): Promise<void> =>
  writeAtomic(placeOf(worktrees, value.agent).record, `${JSON.stringify(value)}\n`)

export const dropRecord = (worktrees: string, agent: string): Promise<void> =>
  rm(placeOf(worktrees, agent).record, { force: true })

const names = async (directory: string): Promise<string[]> => readdir(directory).catch(() => [])

/** Every agent that has a tree, or had one when the record was last written. */
export const agentsIn = async (worktrees: string): Promise<string[]> => {
  const { own } = placeOf(worktrees, '-')
  const recorded = (await names(own)).flatMap((file) => (file.endsWith('.json') ? [file.slice(0, -5)] : []))
  const all = new Set([...(await names(worktrees)), ...recorded].filter((name) => namePattern.test(name)))
  return [...all].sort()
}
