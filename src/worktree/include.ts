// Copies the ignored files that `.worktreeinclude` names (`.env` and the like) into a new tree.
import { constants, type Stats } from 'node:fs'
import { copyFile, lstat, mkdir, mkdtemp, readlink, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { AgencyError } from '../base/error/fail.ts'
import { readText } from '../base/file/read.ts'
import type { Repository } from './schema.ts'
import { type Tell, withSkeleton } from './skeleton.ts'
import { isBelow } from './text/rules.ts'

export const includeFile = '.worktreeinclude'
export const includeLimits = { files: 10_000, bytes: 512 * 1024 * 1024 }

const there = (path: string): Promise<Stats | undefined> => lstat(path).catch(() => undefined)

/** Untracked, named by the patterns, and ignored: what is not ignored belongs into a commit. */
const choose = async (tell: Tell, patterns: string): Promise<string[]> => {
  const own = await mkdtemp(join(tmpdir(), 'agency-include-'))
  try {
    const file = join(own, 'patterns')
    await writeFile(file, patterns)
    const named = await tell(['ls-files', '-z', '--others', '--ignored', `--exclude-from=${file}`])
    // Its exit code is 1 where none is ignored.
    const ignored = await tell(['check-ignore', '-z', '--stdin'], { input: named, fine: [0, 1] })
    return ignored.split('\0').filter((path) => path !== '' && !path.endsWith('/'))
  } finally {
    await rm(own, { recursive: true, force: true })
  }
}

/** The commit may have a link where the source has a directory: nothing is written through one. */
const prepare = async (tree: string, path: string): Promise<boolean> => {
  const folder = join(tree, dirname(path))
  for (let at = folder; at !== tree; at = dirname(at)) {
    const found = await there(at)
    if (found !== undefined && !found.isDirectory()) return false
  }
  await mkdir(folder, { recursive: true })
  const real = await realpath(folder)
  return real === tree || isBelow(tree, real)
}

const copyLink = async (top: string, path: string, to: string): Promise<string | undefined> => {
  const target = await readlink(join(top, path))
  const inside = !isAbsolute(target) && isBelow(top, resolve(top, dirname(path), target))
  if (!inside) return 'it is a link that leads out of the repository'
  await symlink(target, to)
  return undefined
}

/** Why it was not copied. What the tree has already is not replaced. */
const copy = async (top: string, tree: string, path: string, found: Stats): Promise<string | undefined> => {
  const to = join(tree, path)
  if (!found.isFile() && !found.isSymbolicLink()) return 'it is no regular file'
  if (!(await prepare(tree, path))) return 'its directory is something else in the worktree'
  if (await there(to)) return undefined
  if (found.isSymbolicLink()) return copyLink(top, path, to)
  await copyFile(join(top, path), to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE)
  return undefined
}

const copyAll = async (top: string, tree: string, paths: readonly string[]): Promise<string[]> => {
  const skipped: string[] = []
  let bytes = 0
  for (const [at, path] of paths.entries()) {
    const found = await there(join(top, path))
    if (found === undefined) continue
    const over = at >= includeLimits.files || bytes + found.size > includeLimits.bytes
    const why = over
      ? `more than ${includeLimits.files} files or ${includeLimits.bytes / 1024 / 1024} MB`
      : await copy(top, tree, path, found).catch(
          (error: NodeJS.ErrnoException) => error.code ?? error.message,
        )
    if (why !== undefined) skipped.push(`${path} (${why})`)
    else bytes += found.size
  }
  return skipped
}

const report = (skipped: readonly string[]): readonly string[] => {
  const more = skipped.length > 5 ? ` and ${skipped.length - 5} more` : ''
  return skipped.length === 0
    ? []
    : [`Not copied by ${includeFile}: ${skipped.slice(0, 5).join(', ')}${more}.`]
}

/** What was not copied, in words; nothing to copy is nothing to say. */
export const includeFiles = async (
  { common, gitdir, top }: Repository,
  tree: string,
): Promise<readonly string[]> => {
  if (top === undefined) return []
  const patterns = await readText(join(top, includeFile), { nofollow: true })
  if ('trouble' in patterns)
    return patterns.trouble === 'missing' ? [] : [`${join(top, includeFile)} ${patterns.says}.`]
  const bones = { common, tree: top, index: join(gitdir, 'index'), head: undefined }
  try {
    const paths = await withSkeleton(bones, (tell) => choose(tell, patterns.text))
    return report(await copyAll(top, tree, paths))
  } catch (error) {
    // The tree is whole without them: fails open, and says so.
    if (error instanceof AgencyError) return [`Nothing was copied by ${includeFile}: ${error.message}`]
    throw error
  }
}
