// Looks at files before a call is decided: whether they are there, and where they really lie.
import { readlink, realpath } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import type { Facts } from './decide/schema.ts'
import type { Near } from './near.ts'

type Fact = Facts[string]

const mostLinks = 40
/** More of them would hold up everybody for longer than a wait. */
const mostNear = 50

const isMissing = (error: unknown): boolean =>
  ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')

/** undefined = it cannot be known. */
const lookAtOne = async (path: string, links = 0): Promise<Fact | undefined> => {
  try {
    return { exists: true, real: await realpath(path) }
  } catch (error) {
    if (!isMissing(error)) return undefined
  }
  const above = path === '/' ? undefined : await lookAtOne(dirname(path), links)
  if (above === undefined) return undefined
  // A link to nothing: what is written to it is made where it leads.
  const link = await readlink(path).catch(() => undefined)
  if (link === undefined) return { exists: false, real: join(above.real, basename(path)) }
  return links >= mostLinks ? undefined : lookAtOne(resolve(above.real, link), links + 1)
}

/** Between this look and the call a file can come or go: what must hold even then is held by walls. */
export const lookAt = async (paths: readonly string[], near?: Near): Promise<Facts> => {
  const quick = paths.length > mostNear ? undefined : near
  const looked = await Promise.all(
    paths.map(async (path) => [path, quick?.(path) ?? (await lookAtOne(path))] as const),
  )
  return Object.fromEntries(looked.flatMap(([path, fact]) => (fact === undefined ? [] : [[path, fact]])))
}
