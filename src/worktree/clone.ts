// Gives an agent within walls a repository of its own at the place of its worktree. A linked one would let it write
// every branch of the user's, or not work at all. Made by hand over the other's objects, as `git clone --shared`
// would: no transport runs, and no configuration of either side is obeyed.
import { mkdir, realpath, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fail } from '../base/error/fail.ts'
import { name } from '../base/name/schema.ts'
import { checkOut, type New } from './add.ts'
import type { Made, Wanted } from './create.ts'
import { git } from './git.ts'
import { withAgent } from './hold.ts'
import { includeFiles } from './include.ts'
import { lookAround } from './look.ts'
import { dropRecord, writeRecord } from './record.ts'
import { settle } from './recover.ts'
import { refusalOf } from './refuse.ts'
import { occupied, type PlaceOf, placeOf, planWorktree, worktreesOf } from './rules.ts'
import type { Found, Repository, WorktreeRecord } from './schema.ts'
import { command, harmless } from './text/rules.ts'

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  )

/** How files are read, and who commits: nothing that git would run. */
const configure = async (common: string, gitdir: string): Promise<void> => {
  const listed = await git(['config', '--file', join(common, 'config'), '--no-includes', '--list', '-z'])
  await writeFile(join(gitdir, 'config'), harmless(listed))
  for (const item of listed.split('\0')) {
    const [key = '', value] = item.split('\n', 2)
    if (value !== undefined && (key === 'user.name' || key === 'user.email'))
      await git(['config', '--file', join(gitdir, 'config'), key, value])
  }
}

/** What the user has as branches are those of "origin" here. */
const copyRefs = async (common: string, gitdir: string, own: readonly string[]): Promise<void> => {
  const format = '--format=%(objectname) %(refname)'
  const listed = await git([`--git-dir=${common}`, 'for-each-ref', format, 'refs/heads', 'refs/tags'])
  const lines = listed.split('\n').flatMap((line) => {
    const [commit = '', ref = ''] = line.split(' ')
    const there = ref.replace(/^refs\/heads\//, 'refs/remotes/origin/')
    return ref === '' ? [] : [`create ${there} ${commit}`]
  })
  const input = [...lines, ...own].map((line) => `${line}\n`).join('')
  await git([`--git-dir=${gitdir}`, 'update-ref', '--stdin'], { input })
}

const fill = async (place: PlaceOf, record: WorktreeRecord, plan: New, alive: number) => {
  const { path, commit, repository } = plan
  const { common } = repository
  const gitdir = join(path, '.git')
  const format = (await git([`--git-dir=${common}`, 'rev-parse', '--show-object-format'])).trim()
  await git(['init', '--quiet', '--template=', `--object-format=${format}`, path])
  await configure(common, gitdir)
  await writeFile(join(gitdir, 'objects/info/alternates'), `${await realpath(join(common, 'objects'))}\n`)
  const branch = plan.action === 'branch' ? plan.branch : undefined
  await copyRefs(common, gitdir, branch === undefined ? [] : [`create refs/heads/${branch} ${commit}`])
  await writeFile(join(gitdir, 'HEAD'), branch === undefined ? `${commit}\n` : `ref: refs/heads/${branch}\n`)
  // Where the mounts of walls are put: see what is frozen in a clone.
  for (const folder of ['hooks', 'info', 'modules']) await mkdir(join(gitdir, folder), { recursive: true })
  const notes = await checkOut({ place, record, plan, alive }, gitdir)
  return [...notes, ...(await includeFiles(repository, path))]
}

const makeNew = async (worktrees: string, agent: string, plan: New, alive: number): Promise<Made> => {
  const { path, commit, repository } = plan
  const branch = plan.action === 'branch' ? plan.branch : null
  const base = { agent, path, repository: repository.common, branch, commit, clone: true } as const
  const making = { ...base, state: 'making' } as const
  await writeRecord(worktrees, making)
  try {
    const notes = await fill(placeOf(worktrees, agent), making, plan, alive)
    await writeRecord(worktrees, { ...base, state: 'made' })
    return { path, repository: repository.common, branch, reused: false, notes }
  } catch (error) {
    // If that fails too, the first failure is the one to tell; the record stays, and the next run takes it back.
    await settle(worktrees, agent).catch(() => undefined)
    throw error
  }
}

const reuse = async (record: WorktreeRecord, found: Found, repository: Repository): Promise<Made> => {
  const { path, agent, branch } = record
  if (record.repository !== repository.common) {
    const facts = { path, found: record.repository, directory: found.directory }
    fail('worktree_other', { ...facts, repair: command('agency', 'worktree', 'remove', agent) })
  }
  const file = join(path, '.git/index.lock')
  if (await isThere(file)) fail('worktree_index_locked', { path, file, repair: command('rm', file) })
  return { path, repository: repository.common, branch, reused: true, notes: [] }
}

export const createClone = async ({ root, agent: asked, directory, settings }: Wanted): Promise<Made> => {
  const agent = name.parse(asked)
  await mkdir(worktreesOf(root), { recursive: true })
  const worktrees = await realpath(worktreesOf(root))
  const place = placeOf(worktrees, agent)
  return withAgent(place, agent, async (alive) => {
    const record = await settle(worktrees, agent)
    const found = await lookAround({ agent, path: place.path, directory, settings })
    const { repository, place: there } = found
    const own = there.kind === 'directory' && there.git === 'directory'
    if (record?.clone && own && repository !== undefined) return reuse(record, found, repository)
    const plan = planWorktree(found, settings)
    if (plan.action === 'refuse') throw refusalOf(plan)
    if (plan.action === 'reuse')
      throw refusalOf(
        occupied(place.path, 'a worktree that shares its repository, which no sandbox can hold'),
      )
    // Somebody removed it by hand.
    if (record !== undefined) await dropRecord(worktrees, agent)
    return makeNew(worktrees, agent, plan, alive)
  })
}
