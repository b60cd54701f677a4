import { homedir } from 'node:os'
import { isAbsolute, resolve } from 'node:path'
import { fail } from '../../base/error/fail.ts'
import type { Where } from '../../config/root/schema.ts'
import type { Io } from '../io.ts'

/** The directory the command was typed in, for what cannot be done without it. */
export const standing = ({ cwd }: Io): string => cwd ?? fail('directory_gone', {})

/** A path as typed, whole. */
export const typedPath = (io: Io, path: string): string =>
  isAbsolute(path) ? resolve(path) : resolve(standing(io), path)

/** What a root is looked for with. Above a directory that is gone there is nothing but the top. */
export const where = (io: Io): Where => {
  const { env, cwd = '/' } = io
  const named = env.AGENCY_ROOT || env.H2_DIR
  if (named && !/^[~/]/.test(named)) standing(io)
  return { env, cwd, home: env.HOME || homedir() }
}
