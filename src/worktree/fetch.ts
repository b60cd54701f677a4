// Takes what an agent committed in its clone into the user's repository. The clone is never asked: a repository of
// our own stands before its objects, so that nothing an agent configured is read, and git checks every object.
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { name } from '../base/name/schema.ts'
import { git, tellGit } from './git.ts'
import { type Heads, readHeads } from './heads.ts'
import { withRepository } from './hold.ts'
import { commitOf } from './look.ts'
import { readRecord } from './record.ts'
import { checkedOut } from './repository.ts'
import { placeOf, worktreesOf } from './rules.ts'
import type { WorktreeRecord } from './schema.ts'
import { command } from './text/rules.ts'

const fetchSeconds = 600

export type Fetched = {
  /** The agent's branch in the user's repository, and where it stands now; absent = it has none. */
  readonly branch?: { readonly name: string; readonly commit: string }
  /** What a person should know. */
  readonly notes: readonly string[]
}

/** Under this name everything is kept, whatever becomes of the branch. */
export const keptRef = (agent: string, branch: string): string => `refs/agency/${agent}/${branch}`

const detachedName = 'detached'

/** A repository with these branches and the objects of the clone, for one fetch. */
const withFront = async <T>(
  { path }: WorktreeRecord,
  { branches, detached }: Heads,
  format: string,
  work: (front: string) => Promise<T>,
): Promise<T> => {
  const front = await mkdtemp(join(tmpdir(), 'agency-fetch-'))
  try {
    await git(['init', '--quiet', '--bare', '--template=', `--object-format=${format}`, front])
    await mkdir(join(front, 'objects/info'), { recursive: true })
    await writeFile(join(front, 'objects/info/alternates'), `${join(path, '.git/objects')}\n`)
    const all = new Map([...branches, ...(detached === undefined ? [] : [[detachedName, detached] as const])])
    const lines = [...all].map(([ref, commit]) => `${commit} refs/heads/${ref}\n`).sort()
    await writeFile(join(front, 'packed-refs'), lines.join(''))
    return await work(front)
  } finally {
    await rm(front, { recursive: true, force: true, maxRetries: 3 })
  }
}

/** The branch follows only where nobody else has moved it or stands on it. */
const follow = async (
  common: string,
  branch: string,
  { last, next }: { readonly last: string | undefined; readonly next: string },
): Promise<Fetched> => {
  const now = await commitOf(common, `refs/heads/${branch}`)
  const done: Fetched = { branch: { name: branch, commit: next }, notes: [] }
  if (now === next) return done
  const stay = (why: string): Fetched => ({
    ...(now === undefined ? {} : { branch: { name: branch, commit: now } }),
    notes: [`The branch "${branch}" ${why}: what the agent did is at ${next.slice(0, 12)}.`],
  })
  const at = await checkedOut(common, branch)
  if (now !== undefined && at !== undefined) return stay(`is checked out in ${at} and was not moved`)
  const forward = ['merge-base', '--is-ancestor', now ?? next, next]
  const ahead =
    now === undefined || now === last || (await tellGit([`--git-dir=${common}`, ...forward])).code === 0
  if (!ahead) return stay('has other commits and was not moved')
  const old = now ?? '0'.repeat(next.length)
  await git([`--git-dir=${common}`, 'update-ref', `refs/heads/${branch}`, next, old])
  return done
}

export const fetchRecord = async (worktrees: string, record: WorktreeRecord): Promise<Fetched> => {
  const { agent, repository: common, path } = record
  const heads = await readHeads(join(path, '.git'))
  if (heads.branches.size === 0 && heads.detached === undefined) return { notes: [] }
  const format = (await git([`--git-dir=${common}`, 'rev-parse', '--show-object-format'])).trim()
  return withRepository(placeOf(worktrees, agent), common, async () => {
    const branch = record.branch ?? undefined
    const last = branch === undefined ? undefined : await commitOf(common, keptRef(agent, branch))
    await withFront(record, heads, format, (front) =>
      git(
        [
          ...['-c', 'transfer.fsckObjects=true', '-c', 'protocol.file.allow=always', `--git-dir=${common}`],
          ...['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', '--no-recurse-submodules', front],
          `+refs/heads/*:${keptRef(agent, '*')}`,
        ],
        {
          seconds: fetchSeconds,
          env: { GIT_ALLOW_PROTOCOL: 'file' },
          like: command('git', '-C', path, 'fsck'),
        },
      ),
    )
    const next = branch === undefined ? undefined : heads.branches.get(branch)
    return branch === undefined || next === undefined ? { notes: [] } : follow(common, branch, { last, next })
  })
}

/** Undefined = the agent has no clone. */
export const fetchWork = async (root: string, asked: string): Promise<Fetched | undefined> => {
  const agent = name.parse(asked)
  const worktrees = await realpath(worktreesOf(root)).catch(() => undefined)
  const record = worktrees === undefined ? undefined : await readRecord(worktrees, agent)
  if (worktrees === undefined || record?.clone !== true || record.state !== 'made') return undefined
  return fetchRecord(worktrees, record)
}
