// The state of a tree as one hash. Runs nothing of the tree: no hook, filter or monitor, and no git of a repository
// inside it. What git ignores is not part of it, nor is .git; all other files are, those of submodules too.
import { randomBytes } from 'node:crypto'
import { copyFile, realpath, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fail } from '../base/error/fail.ts'
import { readText } from '../base/file/read.ts'
import { writeAtomic } from '../base/file/write.ts'
import { oneLine } from '../base/text/rules.ts'
import { git, tellGit } from './git.ts'
import { record } from './indexing.ts'
import { type Ground, listing, names, type Tell } from './listing.ts'
import { command, isPartial } from './text/rules.ts'
import { type Kept, openVault, remember } from './vault.ts'

export { clearSnapshots, type Kept, lastSnapshot, removeSnapshots } from './vault.ts'

export type Snapped = Kept & { readonly tree: string }

const limits = {
  seconds: 120,
  /** Of files that are new or changed. */
  bytes: 2 * 1024 ** 3,
  tries: 3,
}
export type Limits = typeof limits

const telling =
  (vault: string, index: string, { tree }: Ground, left: () => number): Tell =>
  async (args, list = []) => {
    const whole = [`--git-dir=${vault}`, `--work-tree=${tree}`, ...args]
    const input = list.map((name) => `${name}\0`).join('')
    const told = await tellGit(whole, { env: { GIT_INDEX_FILE: index }, input, bytes: true, seconds: left() })
    // Git leaves out a name that it does not like, and ends as if nothing were missing.
    const [skipped] = /^Ignoring path .*$/m.exec(told.words) ?? []
    if (told.code !== 0 || isPartial(told.words) || skipped !== undefined)
      throw new Error(oneLine(skipped?.replace('Ignoring path', 'git does not take') ?? told.words, 300))
    return told.out
  }

/** Each works on an index of its own, which takes the place of the last one: nobody waits for a lock that is left. */
const attempt = async (vault: string, ground: Ground, left: () => number, most: number): Promise<string> => {
  const index = join(vault, `index.${randomBytes(6).toString('hex')}`)
  const tell = telling(vault, index, ground, left)
  try {
    await copyFile(join(vault, 'index'), index).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error
    })
    const before = await readText(join(vault, 'young'), { nofollow: true, limit: 64 * 1024 * 1024 })
    const known = 'text' in before ? (JSON.parse(before.text) as readonly string[]) : []
    const { id, young } = await record(ground, tell, { most, before: known })
    await rename(index, join(vault, 'index'))
    await writeAtomic(join(vault, 'young'), JSON.stringify(young))
    return id
  } finally {
    await rm(index, { force: true })
    await rm(`${index}.lock`, { force: true })
  }
}

/** The hash that verdicts bind to. */
export const snapshot = async (where: Snapped, wanted: Partial<Limits> = {}): Promise<string> => {
  const { seconds, bytes, tries } = { ...limits, ...wanted }
  const end = performance.now() + seconds * 1000
  const left = (): number => Math.max(0.001, (end - performance.now()) / 1000)
  const refuse = (why: string) =>
    fail('worktree_snapshot', {
      tree: where.tree,
      why,
      repair: command('git', '-C', where.tree, 'status', '--ignored'),
    })
  const tree = await realpath(where.tree).catch((error: NodeJS.ErrnoException) =>
    refuse(error.code === 'ENOENT' ? 'it is not there' : String(error.code)),
  )
  const vault = await openVault(where)
  const root = await realpath(where.root)
  for (let count = 1; ; count++) {
    try {
      const made = await attempt(vault, { root, tree }, left, bytes)
      await remember(vault, made)
      return made
    } catch (error) {
      // Somebody may be working there: what was listed is a moment later something else.
      if (count >= tries || left() < 0.01) return refuse((error as Error).message.replace(/\.$/, ''))
    }
  }
}

/** What git ignores there, directories as one: it is in no snapshot. Of their names at most so many. */
export const ignoredIn = async (where: Snapped, most = 200): Promise<readonly string[]> => {
  const vault = await openVault(where)
  const [root, tree] = await Promise.all([realpath(where.root), realpath(where.tree)])
  const listed = await git(
    [
      `--git-dir=${vault}`,
      `--work-tree=${tree}`,
      ...(await listing({ root, tree })),
      '--others',
      '--ignored',
      '--directory',
    ],
    { seconds: 60 },
  )
  const found = names(listed)
  const whole = new Set(found.filter((name) => name.endsWith('/')))
  const isInside = (name: string): boolean =>
    [...name.slice(0, -1).matchAll(/\//g)].some(({ index }) => whole.has(name.slice(0, index + 1)))
  return found.filter((name) => !isInside(name)).slice(0, most)
}
