// Looks at the files of a call before it is decided on: where a path leads, which program a name really is.
import { access, realpath } from 'node:fs/promises'
import { isAbsolute, join } from 'node:path'
import type { Call, Other, Place } from '../call/schema.ts'
import { lookAt } from '../look.ts'
import { resolvePath } from '../path/rules.ts'
import { readShell } from '../shell/rules.ts'
import { pathFields, shells } from '../tool/schema.ts'
import { aliases, type Looked, moves, programsOf, searches } from './rules.ts'

/** More than a line runs by hand. */
const mostPrograms = 50

const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  )

/** In the order of a shell: the first that is there; undefined = none. */
const found = async (candidates: readonly string[]): Promise<string | undefined> => {
  for (const candidate of candidates)
    if (await isThere(candidate)) return realpath(candidate).catch(() => undefined)
  return undefined
}

const ofShell = async (call: Call, { cwd, home }: Place, path: string): Promise<readonly Other[]> => {
  const { command } = call.input
  if (typeof command !== 'string') return []
  const reading = readShell(command)
  const directories = path.split(':').filter(isAbsolute)
  const [moved, searched] = [moves(reading), searches(command)]
  const look = async (name: string, paths: readonly string[]): Promise<Looked> => {
    const byPath = paths.slice(0, mostPrograms).map((each) => found([resolvePath(cwd, each, home)]))
    const byName = await found(directories.map((each) => join(each, name)))
    const all = [byName, ...(await Promise.all(byPath))]
    const lost = all.slice(1).includes(undefined) || (byName === undefined && paths.length === 0)
    const astray = (searched && paths.length === 0) || (moved && !paths.every(isAbsolute))
    return { files: all.filter((each) => each !== undefined), unsure: lost || astray }
  }
  const looked = new Map<string, Looked>()
  for (const [name, paths] of [...programsOf(reading, command)].slice(0, mostPrograms))
    looked.set(name, await look(name, paths))
  return aliases(call, reading, looked)
}

/** The same call by other names, besides its own. `path` = where programs are looked for. */
export const othersOf = async (call: Call, place: Place, path: string): Promise<readonly Other[]> => {
  if (shells.includes(call.tool)) return ofShell(call, place, path)
  const field = Object.hasOwn(pathFields, call.tool) ? pathFields[call.tool] : undefined
  const written = field === undefined ? undefined : call.input[field]
  if (field === undefined || typeof written !== 'string') return []
  const absolute = resolvePath(place.cwd, written, place.home)
  const real = (await lookAt([absolute]))[absolute]?.real
  return real === undefined || real === absolute ? [] : [{ ...call, input: { ...call.input, [field]: real } }]
}
