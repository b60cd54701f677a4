// A unix socket's path has at most some 100 bytes (104 on macOS, 108 on Linux). A longer one goes through a short
// link to its directory: the socket itself lies where it should, and both sides compute the same link.
import { createHash, randomBytes } from 'node:crypto'
import { lstat, mkdir, readlink, rename, rm, stat, symlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { fail } from '../base/error/fail.ts'
import { realPath } from './root/look.ts'

export const longest = 100

export type Socket = {
  readonly path: string
  /** For the end of a server: removes a link that leads nowhere any more. A living one is left to others. */
  readonly release: () => Promise<void>
}

/** Not $TMPDIR or $XDG_RUNTIME_DIR: a client without them must come to the same place. */
const shortBase = (): string => `/tmp/agency-${process.getuid?.() ?? 0}`

/** In /tmp anybody may have been first with this name. */
const ownDirectory = async (directory: string): Promise<void> => {
  await mkdir(directory, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  const facts = await lstat(directory)
  const unsafe = (why: string): never => fail('socket_unsafe', { directory, why })
  if (!facts.isDirectory()) unsafe('is not a directory')
  if (facts.uid !== process.getuid?.()) unsafe('belongs to another user')
  if ((facts.mode & 0o077) !== 0) unsafe('is open to others')
}

const targetOf = (link: string): Promise<string | undefined> => readlink(link).catch(() => undefined)

/** Renamed into place, so that nobody ever sees it missing. */
const pointTo = async (link: string, target: string): Promise<void> => {
  if ((await targetOf(link)) === target) return
  const beside = `${link}.${randomBytes(4).toString('hex')}`
  await symlink(target, beside)
  await rename(beside, link)
}

export const socketPath = async (file: string, base = shortBase()): Promise<Socket> => {
  if (Buffer.byteLength(file) <= longest) return { path: file, release: async () => {} }
  const directory = await realPath(dirname(file))
  const link = join(base, createHash('sha256').update(directory).digest('hex').slice(0, 16))
  const path = join(link, basename(file))
  if (Buffer.byteLength(path) > longest)
    return fail('socket_unsafe', { directory: base, why: `cannot shorten ${basename(file)}` })
  await ownDirectory(base)
  await pointTo(link, directory)
  const release = async (): Promise<void> => {
    const gone = await stat(link).then(
      () => false,
      () => true,
    )
    if (gone && (await targetOf(link)) === directory) await rm(link, { force: true })
  }
  return { path, release }
}
