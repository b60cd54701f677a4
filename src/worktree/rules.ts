// From what was found to what is done: a new tree, the old one, or a refusal with the command that repairs it.
import { layout } from '../config/layout/rules.ts'
import type { Entry, Found, Plan, Refusal, Repository, Settings } from './schema.ts'
import { command, quoted } from './text/rules.ts'

export const defaultRef = 'main'

/** Where everything about the tree of an agent lies. Names never start with a dot, so nothing collides. */
export const placeOf = (worktrees: string, agent: string) => {
  const own = `${worktrees}/.agency`
  return {
    path: `${worktrees}/${agent}`,
    own,
    record: `${own}/${agent}.json`,
    lock: `${own}/${agent}.lock`,
    alive: `${own}/${agent}.alive`,
    removed: `${own}/${agent}.removed`,
    repositories: `${own}/repositories`,
  }
}
export type PlaceOf = ReturnType<typeof placeOf>

export const worktreesOf = (root: string): string => layout(root).worktrees

const inRepository = ({ common, top }: Repository, ...words: readonly string[]): string =>
  command('git', '-C', top ?? common, ...words)

export const aside = (path: string): string => command('mv', path, `${path}.old`)

/** With the branch that new trees start from unless told otherwise. */
const begin = (directory: string): string => command('git', 'init', '-b', defaultRef, directory)

/** The common directory that a worktree's own git directory lies in. */
export const commonOf = (gitdir: string): string => gitdir.replace(/\/worktrees\/[^/]+\/?$/, '')

export const branchOf = ({ head }: Pick<Entry, 'head'>): string | null =>
  head.startsWith('ref: refs/heads/') ? head.slice('ref: refs/heads/'.length) : null

const corrupt = (path: string, why: string, repair: string): Refusal => ({
  action: 'refuse',
  code: 'worktree_corrupt',
  facts: { path, why, repair },
})

export const occupied = (path: string, what: string): Refusal => ({
  action: 'refuse',
  code: 'worktree_occupied',
  facts: { path, what, repair: aside(path) },
})

const rewriteHead = (gitdir: string, branch: string): string =>
  `echo ${quoted(`ref: refs/heads/${branch}`)} > ${quoted(`${gitdir}/HEAD`)}`

/** A directory is there: it is the agent's own tree, whole, or it is refused. Only the repository's own entry
 * is believed; the `.git` file in the tree must agree with it. */
const planPresent = (found: Found & { repository: Repository }): Plan | undefined => {
  const { path, place, entry, repository, directory } = found
  if (place.kind === 'file') return occupied(path, 'a file')
  if (place.kind === 'link') return occupied(path, 'a symbolic link')
  if (place.kind !== 'directory') return undefined
  if (place.git === 'directory') return occupied(path, 'a repository of its own')
  const repair = entry ? inRepository(repository, 'worktree', 'repair') : aside(path)
  if (place.git !== 'file') {
    const why = place.git === 'none' ? 'it has no .git file' : 'its .git file names no git directory'
    return corrupt(path, why, repair)
  }
  if (entry === undefined) {
    const { elsewhere } = found
    if (elsewhere !== undefined) {
      const moved = inRepository(repository, 'worktree', 'repair', path)
      const why = `${place.gitdir} has it at ${elsewhere.tree}`
      return corrupt(path, why, elsewhere.there ? aside(path) : moved)
    }
    if (commonOf(place.gitdir) === repository.common)
      return corrupt(path, `${place.gitdir} is gone`, aside(path))
    const facts = { path, found: commonOf(place.gitdir), directory }
    const remove = command('agency', 'worktree', 'remove', found.agent)
    return { action: 'refuse', code: 'worktree_other', facts: { ...facts, repair: remove } }
  }
  if (entry.gitdir !== place.gitdir)
    return corrupt(path, `its .git file names ${place.gitdir}, not ${entry.gitdir}`, repair)
  if (!/^(ref: refs\/|[0-9a-f]{40,64}$)/.test(entry.head))
    return corrupt(path, `${entry.gitdir}/HEAD is damaged`, rewriteHead(entry.gitdir, found.agent))
  if (entry.busy) {
    const file = `${entry.gitdir}/index.lock`
    return {
      action: 'refuse',
      code: 'worktree_index_locked',
      facts: { path, file, repair: command('rm', file) },
    }
  }
  return { action: 'reuse', path, repository, entry }
}

const planGround = ({ directory, ground, repository, words }: Found): Refusal | undefined => {
  if (ground !== 'directory') {
    const what = ground === 'absent' ? 'does not exist' : 'is not a directory'
    const repair = ground === 'absent' ? begin(directory) : aside(directory)
    return { action: 'refuse', code: 'worktree_directory_missing', facts: { directory, what, repair } }
  }
  if (repository === undefined) {
    const facts = { directory, words, repair: begin(directory) }
    return { action: 'refuse', code: 'worktree_not_repository', facts }
  }
  return undefined
}

const refuseTaken = (found: Found & { repository: Repository }, branch: string, at?: string): Refusal => {
  const { agent, path, repository } = found
  const other = `\`--name ${agent.slice(0, 61)}-2\``
  const goOn = inRepository(repository, 'worktree', 'add', path, branch)
  const drop = inRepository(repository, 'branch', '-d', branch)
  const free =
    at === undefined || at === repository.top ? undefined : command('git', '-C', at, 'switch', '--detach')
  const repair =
    branch !== agent || (at !== undefined && free === undefined)
      ? `Choose another name for the agent: add ${other}.`
      : free === undefined
        ? `To go on with that branch type \`${goOn}\` and try again; if it is no longer needed, \`${drop}\`; or choose another name for the agent: add ${other}.`
        : `Choose another name for the agent: add ${other}; or free the branch, \`${free}\`, and try again.`
  const where = at === undefined ? '' : ` and is checked out in ${at}`
  return { action: 'refuse', code: 'worktree_branch_exists', facts: { agent, branch, where, repair } }
}

const planMissing = (found: Found & { repository: Repository; entry: Entry }): Refusal => {
  const { path, directory, repository, entry } = found
  const unlock =
    entry.locked === undefined ? '' : `${inRepository(repository, 'worktree', 'unlock', path)} && `
  const branch = branchOf(entry)
  const from = branch === null ? ['--detach', path, entry.head] : [path, branch]
  return {
    action: 'refuse',
    code: 'worktree_missing',
    facts: {
      path,
      directory,
      repair: `${unlock}${inRepository(repository, 'worktree', 'add', '-f', ...from)}`,
      forget: `${unlock}${inRepository(repository, 'worktree', 'prune')}`,
    },
  }
}

const planNew = (found: Found & { repository: Repository }, settings: Settings): Plan => {
  const { agent, path, directory, commit, born, taken, meant, repository } = found
  if (commit === undefined) {
    if (!born) {
      const repair = inRepository(repository, 'commit', '--allow-empty', '-m', 'Begin')
      return { action: 'refuse', code: 'worktree_no_commit', facts: { directory, repair } }
    }
    const facts = {
      ref: settings.branch_from ?? defaultRef,
      directory,
      meant: meant === undefined ? '' : `, perhaps by \`--override worktree.branch_from=${meant}\``,
      repair: inRepository(repository, 'branch', '--all'),
    }
    return { action: 'refuse', code: 'worktree_ref_missing', facts }
  }
  if (settings.use_detached_head === true) return { action: 'detach', path, repository, commit }
  if (taken !== undefined) return refuseTaken(found, taken.branch, taken.at)
  return { action: 'branch', path, repository, branch: agent, commit }
}

export const planWorktree = (found: Found, settings: Settings): Plan => {
  const refused = planGround(found)
  if (refused !== undefined) return refused
  const { repository, entry } = found
  if (repository === undefined) throw new TypeError('a ground that was not refused has a repository')
  const present = planPresent({ ...found, repository })
  if (present !== undefined) return present
  return entry === undefined
    ? planNew({ ...found, repository }, settings)
    : planMissing({ ...found, repository, entry })
}
