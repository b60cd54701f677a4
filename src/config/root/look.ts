// What a directory is, seen without touching it.
import type { Dirent, Stats } from 'node:fs'
import { lstat, readdir, realpath, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Place, State } from './schema.ts'
import { isTrusted } from './trust/rules.ts'

export const markers = ['.agency-dir.txt', '.h2-dir.txt'] as const
/** There while `init` is at work; left behind by one that was cut short. */
export const unfinished = '.agency-init'
const oldDirectories = ['roles', 'sessions', 'sockets']

const absent = (error: unknown): undefined => {
  if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined
  throw error
}

/** Links resolved as far as the path exists. */
export const realPath = async (path: string): Promise<string> => {
  const whole = resolve(path)
  const real = await realpath(whole).catch(absent)
  if (real !== undefined || whole === '/') return real ?? whole
  return join(await realPath(resolve(whole, '..')), whole.slice(whole.lastIndexOf('/') + 1))
}

/** A marker is a regular file: a link could point to any file that happens to exist. */
export const markerOf = async (directory: string): Promise<string | undefined> => {
  for (const marker of markers) {
    const file = join(directory, marker)
    const facts = await lstat(file).catch(absent)
    if (facts?.isFile()) return file
  }
  return undefined
}

const stateOf = async (directory: string, facts: Stats | undefined): Promise<State> => {
  if (facts === undefined) return 'missing'
  if (!facts.isDirectory()) return 'file'
  if ((await markerOf(directory)) !== undefined) return 'marked'
  const entries: Dirent[] = await readdir(directory, { withFileTypes: true })
  if (entries.length === 0) return 'empty'
  if (entries.some((entry) => entry.name === unfinished && entry.isFile())) return 'partial'
  const directories = new Set(entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name))
  return oldDirectories.every((name) => directories.has(name)) ? 'old' : 'foreign'
}

/** `list` is the text of the trust list. */
export const look = async (path: string, list: string): Promise<Place> => {
  const real = await realPath(path)
  const facts = await stat(real).catch(absent)
  return {
    path: real,
    state: await stateOf(real, facts),
    mine: facts === undefined || facts.uid === process.getuid?.(),
    // A sticky directory like /tmp still lets anyone add files to it.
    open: facts !== undefined && (facts.mode & 0o002) !== 0,
    trusted: facts !== undefined && isTrusted(list, { path: real, inode: facts.ino }),
  }
}
