// What changed from one snapshot to another, as the vault has it: nothing of the tree itself is read.
import { fail } from '../base/error/fail.ts'
import { clip } from '../base/text/rules.ts'
import { entriesIn, pair, sizesIn } from './change/rules.ts'
import type { Changed } from './change/schema.ts'
import { git, tellGit } from './git.ts'
import { command } from './text/rules.ts'
import { type Kept, vaultOf } from './vault.ts'

/** Git knows it without having it. */
const emptyTree = '4b825dc642cb6eb9a060e54bf8d69288fbee4904'

const isTree = async (vault: string, tree: string): Promise<boolean> => {
  if (tree === emptyTree) return true
  if (!/^[0-9a-f]{40}$/.test(tree)) return false
  const { code, out } = await tellGit([`--git-dir=${vault}`, 'cat-file', '-t', tree])
  return code === 0 && out.trim() === 'tree'
}

/** All of it is new where `from` is not known, or not any more. */
export const readChanges = async (
  kept: Kept,
  from: string | undefined,
  to: string,
  seconds = 120,
): Promise<readonly Changed[]> => {
  const vault = vaultOf(kept)
  if (!(await isTree(vault, to)))
    return fail('worktree_snapshot', {
      tree: vault,
      why: `the snapshot ${clip(to, 40)} is gone`,
      repair: command('git', `--git-dir=${vault}`, 'fsck'),
    })
  const since = from !== undefined && (await isTree(vault, from)) ? from : emptyTree
  const tell = (args: readonly string[], input = ''): Promise<string> =>
    git([`--git-dir=${vault}`, ...args], { seconds, input })
  // Only what was moved unchanged is told as moved: of all else the reviewer sees every line.
  const two = ['diff-tree', '-r', '-M100%', '--full-index', since, to]
  const entries = entriesIn(await tell([...two, '--raw', '-z']))
  const blobs = entries.map(({ blob }) => `${blob}\n`).join('')
  const sizes = sizesIn(await tell(['cat-file', '--batch-check=%(objectname) %(objectsize)'], blobs))
  const bare = (): readonly Changed[] =>
    entries.map(({ blob, ...entry }) => ({ ...entry, bytes: sizes.get(blob) ?? 0 }))
  // Megabytes in one file are nothing to be read as a diff.
  const small = ['-c', 'core.bigFileThreshold=1m']
  const shown = [
    '--patch',
    '--no-color',
    '--no-ext-diff',
    '--no-textconv',
    '--src-prefix=a/',
    '--dst-prefix=b/',
  ]
  const { code, out } = await tellGit([...small, `--git-dir=${vault}`, ...two, ...shown], { seconds })
  // More than git may say in all: then it is told by names alone.
  return (code === 0 ? pair(entries, out, sizes) : undefined) ?? bare()
}

/** As one text of at most so many characters. */
export const changesIn = async (
  kept: Kept,
  from: string | undefined,
  to: string,
  most = 200_000,
): Promise<string> => {
  const changes = await readChanges(kept, from, to)
  const text = changes.map(
    ({ diff, how, path, bytes }) => diff ?? `${how}: ${path} (${bytes} bytes, not shown)\n`,
  )
  return clip(text.join(''), most)
}

/** The names of all files in it, at most so many. */
export const filesIn = async (kept: Kept, tree: string, most = 5_000): Promise<readonly string[]> => {
  const listed = await git([`--git-dir=${vaultOf(kept)}`, 'ls-tree', '-r', '-z', '--name-only', tree])
  return listed
    .split('\0')
    .filter((name) => name !== '')
    .slice(0, most)
}
