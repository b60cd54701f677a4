// A git directory of our own for each session, which keeps what its tree looked like. It shares no object with the
// tree's repository: whoever works there could put another content under a hash, and the reviewer would be shown that.
import { createHash, randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { lstat, mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readText } from '../base/file/read.ts'
import { writeAtomic } from '../base/file/write.ts'
import { layout } from '../config/layout/rules.ts'

export type Kept = { readonly root: string; readonly session: string }

/** An id of a session is text of others. */
const nameOf = (session: string): string =>
  /^\w[\w.-]{0,127}$/.test(session) ? session : createHash('sha256').update(session).digest('hex')

export const vaultOf = ({ root, session }: Kept): string => join(layout(root).snapshots, nameOf(session))

// What the system or git would read differently from what it is: a line end, a letter, a mode.
const config = `[core]
	repositoryformatversion = 0
	bare = false
	fileMode = true
	symlinks = true
	ignoreCase = false
	precomposeUnicode = false
	protectHFS = false
	protectNTFS = false
	autocrlf = false
	trustctime = true
	checkStat = default
	excludesFile = /dev/null
	compression = 1
	bigFileThreshold = 16m
	logAllRefUpdates = false
	fsync = none
[index]
	version = 2
`

/**
 * These beat every .gitattributes of the tree, which could keep text out of sight: `ident` cuts out what stands between
 * two marks, `-diff` shows nothing, `text` and encodings show something else.
 */
const attributes = '* -text -ident !eol !filter !working-tree-encoding !diff !merge !whitespace\n'

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  )

/** Appears whole or not at all. */
export const openVault = async (kept: Kept): Promise<string> => {
  const vault = vaultOf(kept)
  if (await isThere(join(vault, 'HEAD'))) return vault
  const beside = `${vault}.${randomBytes(6).toString('hex')}`
  await mkdir(layout(kept.root).snapshots, { recursive: true, mode: 0o700 })
  await mkdir(beside, { mode: 0o700 })
  for (const name of ['objects', 'refs', 'info']) await mkdir(join(beside, name))
  await writeFile(join(beside, 'config'), config)
  await writeFile(join(beside, 'info/attributes'), attributes)
  await writeFile(join(beside, 'HEAD'), 'ref: refs/heads/none\n')
  try {
    await rename(beside, vault)
  } catch (error) {
    await rm(beside, { recursive: true, force: true })
    // Another one was faster.
    if (!(await isThere(join(vault, 'HEAD')))) throw error
  }
  return vault
}

/** With the session. */
export const removeSnapshots = async (kept: Kept): Promise<void> => {
  const vault = vaultOf(kept)
  if (existsSync(vault)) await rm(vault, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
}

/** Of sessions that nobody looks at any more, and what a killed host has half made. */
export const clearSnapshots = async (root: string, before: number): Promise<void> => {
  const place = layout(root).snapshots
  for (const name of existsSync(place) ? await readdir(place) : []) {
    const path = join(place, name)
    // The index is written with each snapshot, and a directory with each file in it.
    const { mtimeMs } = await lstat(path)
    if (mtimeMs < before) await rm(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
  }
}

const line = async (file: string): Promise<string | undefined> => {
  const read = await readText(file, { nofollow: true })
  return 'text' in read ? read.text.trim() : undefined
}

/** The first snapshot is what all later work is measured by. */
export const remember = async (vault: string, tree: string): Promise<void> => {
  const known = await line(join(vault, 'first'))
  await writeAtomic(join(vault, known === undefined ? 'first' : 'last'), `${tree}\n`)
}

/** What was looked at last; undefined = nothing was. */
export const lastSnapshot = async (kept: Kept): Promise<string | undefined> => {
  const vault = vaultOf(kept)
  return (await line(join(vault, 'last'))) ?? line(join(vault, 'first'))
}

/** undefined = there is none from before the work: the only one is of now. */
export const firstSnapshot = async (kept: Kept): Promise<string | undefined> => {
  const vault = vaultOf(kept)
  return (await line(join(vault, 'last'))) === undefined ? undefined : line(join(vault, 'first'))
}
