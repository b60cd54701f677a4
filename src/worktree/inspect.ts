// What a tree holds that would be lost with it. Reads only, and runs nothing of the tree.
import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import { AgencyError, fail } from '../base/error/fail.ts'
import { git } from './git.ts'
import { readHeads } from './heads.ts'
import { commitOf } from './look.ts'
import { refusalOf } from './refuse.ts'
import { checkedOut, entryAt, readPlace } from './repository.ts'
import { aside, branchOf, planWorktree } from './rules.ts'
import type { Entry, WorktreeRecord, WorktreeStatus } from './schema.ts'
import { withSkeleton } from './skeleton.ts'
import { command, hiddenIn } from './text/rules.ts'

export type Inspection = {
  readonly status: WorktreeStatus
  /** Why `git worktree lock` keeps it. */
  readonly locked: string | undefined
  /** Where the branch stands that goes with the tree; null = none goes. */
  readonly tip: string | null
  /** Where what it holds could be pushed to; asked only where that matters. */
  readonly remote?: string | undefined
}
/** How much time is left, in seconds. */
export type Left = () => number

const shown = 5
const operations = [
  'MERGE_HEAD',
  'CHERRY_PICK_HEAD',
  'REVERT_HEAD',
  'rebase-merge',
  'rebase-apply',
  'BISECT_LOG',
]

const there = async (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  )

const present = async (paths: readonly string[]): Promise<string[]> => {
  const found = await Promise.all(paths.map(there))
  return paths.filter((_, at) => found[at])
}

/** Changed, staged, untracked, hidden from `git status`, or in the middle of a merge and the like. */
const uncommitted = async (record: WorktreeRecord, entry: Entry, head: string | undefined, left: Left) => {
  const { repository: common, path: tree } = record
  return withSkeleton({ common, tree, index: join(entry.gitdir, 'index'), head }, async (tell) => {
    // Into a submodule git would go with that one's configuration.
    const status = ['status', '--porcelain', '-z', '--no-renames', '--untracked-files=normal']
    const changed = await tell([...status, '--ignore-submodules=all'], { seconds: left() })
    const { flagged, submodules } = hiddenIn(await tell(['ls-files', '-v', '-s', '-z'], { seconds: left() }))
    const kept = await present(flagged.map((path) => join(tree, path)))
    const modules = join(entry.gitdir, 'modules')
    const nested = await present([...submodules.map((path) => join(tree, path, '.git')), modules])
    const unfinished = await present(operations.map((name) => join(entry.gitdir, name)))
    return {
      nested,
      files: [
        ...changed.split('\0').flatMap((line) => (line === '' ? [] : [line.slice(3)])),
        ...kept.map((path) => `${path.slice(tree.length + 1)} (hidden from git status)`),
        ...unfinished.map((path) => `an unfinished ${path.slice(entry.gitdir.length + 1)}`),
      ],
    }
  })
}

/** Commits of the tree that would be reachable from nothing once it and its branch are gone. */
const countUnpushed = async (common: string, tips: readonly string[], branch: string | null, left: Left) => {
  if (tips.length === 0) return 0
  // Without `refs/heads/`: with it the pattern matches nothing after `--branches`, and all would seem safe.
  const mine = branch === null ? [] : [`--exclude=${branch}`]
  const others = ['--not', ...mine, '--branches', '--remotes', '--tags']
  const count = await git([`--git-dir=${common}`, 'rev-list', '--count', ...tips, ...others], {
    seconds: left(),
  })
  return Number(count.trim())
}

const remoteOf = async (common: string, left: Left): Promise<string | undefined> => {
  const names = (await git([`--git-dir=${common}`, 'remote'], { seconds: left() })).trim().split('\n')
  return names.includes('origin') ? 'origin' : names[0] || undefined
}

/** Of a clone, which has its own objects: what the user's repository does not have yet. */
const countUnfetched = async (record: WorktreeRecord, entry: Entry, left: Left): Promise<number> => {
  const { branches, detached } = await readHeads(entry.gitdir)
  const tips = [...branches.values(), ...(detached === undefined ? [] : [detached])]
  if (tips.length === 0) return 0
  const format = '--format=%(objectname)'
  const theirs = await git([`--git-dir=${record.repository}`, 'for-each-ref', format], { seconds: left() })
  const bones = { common: entry.gitdir, tree: record.path, index: join(entry.gitdir, 'index'), head: tips[0] }
  return withSkeleton(bones, async (tell) => {
    const known = theirs.split('\n').flatMap((commit) => (commit === '' ? [] : [`^${commit}`]))
    const input = [...tips, ...known].map((line) => `${line}\n`).join('')
    return Number((await tell(['rev-list', '--count', '--stdin'], { input, seconds: left() })).trim())
  })
}

/** A clone as if it were registered: all that its own files say is where it stands. */
const cloneEntry = async ({ path }: WorktreeRecord): Promise<Entry> => {
  const gitdir = join(path, '.git')
  const { current, commit } = await readHeads(gitdir)
  if (commit === undefined)
    return fail('worktree_corrupt', { path, why: `${gitdir}/HEAD is damaged`, repair: aside(path) })
  const head = current === undefined ? commit : `ref: refs/heads/${current}`
  return { gitdir, tree: path, head, locked: undefined, indexed: true, busy: false }
}

const examineClone = async (record: WorktreeRecord, left: Left): Promise<Inspection> => {
  const { agent, path, repository } = record
  const entry = await cloneEntry(record)
  const { commit } = await readHeads(entry.gitdir)
  const { files } = await uncommitted({ ...record, repository: entry.gitdir }, entry, commit, left)
  const unpushed = await countUnfetched(record, entry, left)
  const state = files.length > 0 ? 'dirty' : unpushed > 0 ? 'unpushed' : 'clean'
  return {
    status: {
      agent,
      path,
      repository,
      branch: branchOf(entry),
      state,
      dirty: files.slice(0, shown),
      changes: files.length,
      unpushed,
    },
    locked: undefined,
    // The branch in the user's repository is what the agent's work was for: it stays.
    tip: null,
  }
}

const examine = async (record: WorktreeRecord, entry: Entry, left: Left): Promise<Inspection> => {
  const { agent, path, repository } = record
  const head = await commitOf(entry.gitdir, 'HEAD', left())
  // A branch that somebody else has checked out stays, and with it what it holds.
  const mine =
    record.branch !== null && (await checkedOut(repository, record.branch, path)) === undefined
      ? record.branch
      : null
  const tip = mine === null ? undefined : await commitOf(repository, `refs/heads/${mine}`, left())
  const { files, nested } = await uncommitted(record, entry, head, left)
  const tips = [head, tip].filter((commit) => commit !== undefined)
  const unpushed = await countUnpushed(repository, tips, mine, left)
  const state =
    nested.length > 0 ? 'broken' : files.length > 0 ? 'dirty' : unpushed > 0 ? 'unpushed' : 'clean'
  const submodule = {
    why: `${nested[0]} is a repository inside it, which is not looked into; push what it holds`,
    repair: `${command('git', '-C', path, 'submodule', 'deinit', '--all')} && ${command('rm', '-rf', join(entry.gitdir, 'modules'))}`,
  }
  return {
    status: {
      agent,
      path,
      repository,
      branch: branchOf(entry),
      state,
      dirty: files.slice(0, shown),
      changes: files.length,
      unpushed,
      ...(state === 'broken' ? submodule : {}),
    },
    locked: entry.locked,
    tip: tip ?? null,
    remote: state === 'unpushed' ? await remoteOf(repository, left) : undefined,
  }
}

export const broken = (
  agent: string,
  path: string,
  repository: string | null,
  why: string,
  repair: string,
): Inspection => ({
  status: {
    agent,
    path,
    repository,
    branch: null,
    state: 'broken',
    dirty: [],
    changes: 0,
    unpushed: 0,
    why,
    repair,
  },
  locked: undefined,
  tip: null,
})

const repairIn = ({ details }: AgencyError, path: string): string =>
  typeof details.repair === 'string' ? details.repair : command('git', '-C', path, 'status')

/** A tree that cannot be read is `broken`, never an exception: others are still looked at. */
export const inspect = async (record: WorktreeRecord, seconds: number): Promise<Inspection> => {
  const { agent, path, repository: common } = record
  const end = performance.now() + seconds * 1000
  const left: Left = () => Math.max(0.001, (end - performance.now()) / 1000)
  if (!(await there(common)))
    return broken(agent, path, common, `its repository ${common} is gone`, aside(path))
  try {
    const place = await readPlace(path)
    if (record.clone && place.kind === 'directory' && place.git === 'directory')
      return await examineClone(record, left)
    const plan = planWorktree(
      {
        agent,
        path,
        directory: common,
        ground: 'directory',
        repository: { common, gitdir: common, top: undefined },
        words: '',
        // A tree that was made and is empty now is a broken one.
        place: place.kind === 'empty' ? { kind: 'directory', git: 'none' } : place,
        entry: await entryAt(common, path),
        elsewhere: undefined,
        born: true,
        commit: undefined,
        meant: undefined,
        taken: undefined,
      },
      {},
    )
    if (plan.action === 'refuse') throw refusalOf(plan)
    if (plan.action !== 'reuse') throw new TypeError(`a tree that was made is never made: ${plan.action}`)
    return await examine(record, plan.entry, left)
  } catch (error) {
    if (error instanceof AgencyError)
      return broken(agent, path, common, error.message.replace(/\.$/, ''), repairIn(error, path))
    const { code } = error as NodeJS.ErrnoException
    if (code === undefined) throw error
    return broken(agent, path, common, `it cannot be read (${code})`, command('ls', '-la', path))
  }
}
