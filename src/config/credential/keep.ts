// Credentials of a root: 0600 files in a 0700 directory. Values leave here only to whoever must use them.
import { chmod, mkdir } from 'node:fs/promises'
import { fail } from '../../base/error/fail.ts'
import { readText } from '../../base/file/read.ts'
import { writeAtomic } from '../../base/file/write.ts'
import { layout } from '../layout/rules.ts'
import { badValue } from './rules.ts'
import { type CredentialName, credentialName, credentialNames } from './schema.ts'

export const credentialNamed = (name: string): CredentialName => {
  const parsed = credentialName.safeParse(name)
  return parsed.success
    ? parsed.data
    : fail('credential_unknown', { name, names: credentialNames.join(', ') })
}

export const setCredential = async (root: string, name: CredentialName, value: string): Promise<void> => {
  const trimmed = value.trim()
  const why = badValue(trimmed)
  if (why !== undefined) fail('credential_bad', { name, why })
  const { credentials, credential } = layout(root)
  await mkdir(credentials, { recursive: true, mode: 0o700 })
  await chmod(credentials, 0o700)
  await writeAtomic(credential(name), `${trimmed}\n`)
}

export type Held =
  | { readonly value: string }
  | { readonly state: 'missing' | 'unsafe' | 'bad'; readonly says: string }

/** The credential as it is kept, or what is wrong with how it is kept. */
export const heldCredential = async (root: string, name: CredentialName): Promise<Held> => {
  const read = await readText(layout(root).credential(name), { limit: 8192, nofollow: true })
  if ('trouble' in read) return { state: read.trouble === 'missing' ? 'missing' : 'bad', says: read.says }
  if (read.uid !== process.getuid?.()) return { state: 'unsafe', says: 'belongs to another user' }
  if ((read.mode & 0o077) !== 0) return { state: 'unsafe', says: 'can be read or written by others' }
  const value = read.text.trim()
  const why = badValue(value)
  return why === undefined ? { value } : { state: 'bad', says: why }
}

/** The value; undefined where none is stored. What others could read or set is not used: fails closed. */
export const readCredential = async (root: string, name: CredentialName): Promise<string | undefined> => {
  const held = await heldCredential(root, name)
  if ('value' in held) return held.value
  if (held.state === 'missing') return undefined
  return fail('credential_unsafe', { file: layout(root).credential(name), name, why: held.says })
}
