// The secret of a root: whoever has it may do everything over TCP.
import { randomBytes } from 'node:crypto'
import { fail } from '../base/error/fail.ts'
import { readText } from '../base/file/read.ts'
import { writeNew } from '../base/file/write.ts'
import { layout } from './layout/rules.ts'

const shape = /^[A-Za-z0-9_-]{32,128}$/

/**
 * A token that others could read or set is reported, never quietly repaired: narrowing its mode now would not
 * unread it.
 */
export const readToken = async (root: string): Promise<string> => {
  const file = layout(root).token
  const read = await readText(file, { limit: 4096, nofollow: true })
  if ('trouble' in read)
    return fail(read.trouble === 'missing' ? 'token_missing' : 'token_unsafe', { file, why: read.says })
  if (read.uid !== process.getuid?.()) return fail('token_unsafe', { file, why: 'belongs to another user' })
  if ((read.mode & 0o077) !== 0)
    return fail('token_unsafe', { file, why: 'can be read or written by others' })
  const token = read.text.trim()
  return shape.test(token) ? token : fail('token_unsafe', { file, why: 'does not hold a token' })
}

/** The token, made if there is none. Of many at once one makes it, and all get the same. */
export const ensureToken = async (root: string): Promise<string> => {
  await writeNew(layout(root).token, `${randomBytes(32).toString('hex')}\n`)
  return readToken(root)
}
