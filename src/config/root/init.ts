// Makes a root. The marker comes last: whatever cuts this short leaves no root, and `init` again completes it.
import { chmod, mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import { AgencyError, fail } from '../../base/error/fail.ts'
import { makeDirectory } from '../../base/file/directory.ts'
import { readText } from '../../base/file/read.ts'
import { writeAtomic, writeNew } from '../../base/file/write.ts'
import { version } from '../../base/version.ts'
import { layout } from '../layout/rules.ts'
import { config } from '../schema.ts'
import { ensureToken } from '../token.ts'
import { here } from './here.ts'
import { look, markerOf, unfinished } from './look.ts'
import type { Place, Where } from './schema.ts'
import { addTrust, refuseUntrustable } from './trust.ts'

const defaultConfig = `# yaml-language-server: $schema=./schemas/config.json
# Settings of this root. What is not set here has its default; \`agency validate\` checks the file.

# Where journal and state live.
store: sqlite

host:
  # Loopback TCP port of the API; 0 = any free one.
  port: 0
  # debug, info, warn or error
  log_level: info
`

/** Editors read these beside the files they describe, without a network; draft 7 is what they all know. */
export const writeSchemas = async (
  directory: string,
  schemas: Readonly<Record<string, z.ZodType>>,
): Promise<void> => {
  const { schemas: folder } = layout(directory)
  await mkdir(folder, { recursive: true })
  for (const [name, schema] of Object.entries(schemas)) {
    const json = z.toJSONSchema(schema, { target: 'draft-7', io: 'input', unrepresentable: 'any' })
    await writeAtomic(join(folder, `${name}.json`), `${JSON.stringify(json, null, 2)}\n`, 0o644)
  }
}

/** Every directory and file that a root has beside its marker. Files that are there stay as they are. */
export const completeRoot = async (directory: string): Promise<void> => {
  const at = layout(directory)
  const shared = [at.roles, at.podRoles, at.podTemplates, at.agents, at.directors, at.projects, at.worktrees]
  const own = [at.sessions, at.work, at.sockets, at.credentials, at.view, at.claudeConfig, at.history]
  for (const each of shared) await mkdir(each, { recursive: true, mode: 0o755 })
  for (const each of own) {
    await mkdir(each, { recursive: true, mode: 0o700 })
    // Those of an h2 root were made open to all.
    await chmod(each, 0o700)
  }
  await ensureToken(directory)
  await writeSchemas(directory, { config })
  await writeNew(at.config, defaultConfig, 0o644)
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOSPC: 'no space is left on the disk',
  EDQUOT: 'your quota of disk space is used up',
  ENOTDIR: 'a part of its path is a file',
  ENAMETOOLONG: 'its path is too long',
  ENOENT: 'nothing can be made there',
}

const why = (error: unknown): string => {
  const { code = String(error) } = error as NodeJS.ErrnoException
  return reasons[code] === undefined ? code : `${reasons[code]} (${code})`
}

const build = async (directory: string, where: Where): Promise<void> => {
  refuseUntrustable(directory)
  await makeDirectory(directory, 0o700)
  // Even an empty directory that was made for it: secrets, transcripts and the store will lie in it.
  await chmod(directory, 0o700)
  await writeFile(join(directory, unfinished), 'agency init is at work here\n')
  await completeRoot(directory)
  await addTrust(directory, where)
  await markRoot(directory)
  await rm(join(directory, unfinished), { force: true })
}

const unwritable =
  (directory: string) =>
  (error: unknown): never => {
    if (error instanceof AgencyError) throw error
    return fail('root_unwritable', { directory, why: why(error), cause: error })
  }

/** Each step may have been done before, or be done by another command at the same moment. */
export const makeRoot = (directory: string, where: Where): Promise<void> =>
  build(directory, where).catch(unwritable(directory))

const refuse = async ({ path, state, mine }: Place): Promise<void> => {
  if (state === 'marked' || state === 'old')
    fail('root_exists', { directory: path, version: await versionOf(path) })
  if (state === 'file') fail('root_not_directory', { directory: path, via: 'to be made a root' })
  if (state === 'foreign') fail('root_foreign', { directory: path, via: 'to be made a root' })
  if (!mine) fail('root_of_another', { directory: path })
}

/** The version that made the root; h2 roots from before there were markers have none. */
export const versionOf = async (directory: string): Promise<string> => {
  const marker = await markerOf(directory)
  const read = marker === undefined ? undefined : await readText(marker, { limit: 1024 })
  return read === undefined || 'trouble' in read ? 'unknown' : (read.text.split('\n')[0]?.trim() ?? 'unknown')
}

export const markRoot = async (directory: string): Promise<void> => {
  await writeNew(layout(directory).marker, `v${version}\n`, 0o644)
}

/** Makes `directory` a root that is trusted; answers its real path. Refuses what is one or has other files. */
export const initRoot = async (directory: string, where: Where = here()): Promise<string> => {
  const place = await look(directory, '').catch(unwritable(directory))
  await refuse(place)
  await makeRoot(place.path, where)
  return place.path
}
