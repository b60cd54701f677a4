// Which roots found by walking upwards may be used: a cloned repository must not supply hooks and roles.
import { appendFile, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { fail } from '../../base/error/fail.ts'
import { makeDirectory } from '../../base/file/directory.ts'
import { readText } from '../../base/file/read.ts'
import { look } from './look.ts'
import type { Where } from './schema.ts'
import { isTrusted, trustFile, trustLine } from './trust/rules.ts'

/** The list's text. What others could have written trusts nothing: fails closed. */
export const readTrust = async ({ env, home }: Where): Promise<string> => {
  const file = trustFile(env, home)
  const read = await readText(file)
  if ('trouble' in read)
    return read.trouble === 'missing' ? '' : fail('trust_unsafe', { file, why: read.says })
  if (read.uid !== process.getuid?.()) return fail('trust_unsafe', { file, why: 'belongs to another user' })
  if ((read.mode & 0o022) !== 0) return fail('trust_unsafe', { file, why: 'can be written by others' })
  return read.text
}

/** The list has one root in a line. */
export const refuseUntrustable = (path: string): void => {
  if (/[\r\n]/.test(path))
    fail('validation_error', { what: 'A root with a line break in its path cannot be trusted.' })
}

/** Appending one line keeps what another process adds at the same time. */
export const addTrust = async (path: string, where: Where): Promise<void> => {
  refuseUntrustable(path)
  const list = await readTrust(where)
  const known = { path, inode: (await stat(path)).ino }
  if (isTrusted(list, known)) return
  const file = trustFile(where.env, where.home)
  await makeDirectory(dirname(file), 0o700)
  const gap = list === '' || list.endsWith('\n') ? '' : '\n'
  await appendFile(file, `${gap}${trustLine(known)}`, { mode: 0o600 })
}

/** Trusts a root for good; answers its real path. */
export const trustRoot = async (directory: string, where: Where): Promise<string> => {
  const { path, state } = await look(directory, '')
  if (state !== 'marked' && state !== 'old')
    return fail('not_found', { what: `root at ${path}`, see: `Type \`agency init ${path}\` to make one.` })
  await addTrust(path, where)
  return path
}
