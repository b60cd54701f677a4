// Looks at the files of a call before a gate is asked: where a path leads, which program a name really is.
import { access, realpath } from 'node:fs/promises'
import { isAbsolute, join, resolve } from 'node:path'
import type { Call, Place } from '../../permission/call/schema.ts'
import { lookAt } from '../../permission/look.ts'
import { resolvePath } from '../../permission/path/rules.ts'
import { readShell } from '../../permission/shell/rules.ts'
import { pathFields, shells } from '../../permission/tool/schema.ts'
import { aliases, programsOf } from './alias/rules.ts'

/** More than a line runs by hand. */
const mostPrograms = 50

const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  )

/** As a shell finds it; undefined = it is not there, and nothing can be said of it. */
const found = async (program: string, cwd: string, path: string): Promise<string | undefined> => {
  const candidates = program.includes('/')
    ? [resolve(cwd, program)]
    : path.split(':').flatMap((directory) => (isAbsolute(directory) ? join(directory, program) : []))
  for (const candidate of candidates)
    if (await isThere(candidate)) return realpath(candidate).catch(() => undefined)
  return undefined
}

const ofShell = async (call: Call, cwd: string, path: string): Promise<readonly Call[]> => {
  const { command } = call.input
  if (typeof command !== 'string') return []
  const reading = readShell(command)
  const real = new Map<string, string>()
  for (const program of programsOf(reading).slice(0, mostPrograms)) {
    const place = await found(program, cwd, path)
    if (place !== undefined) real.set(program, place)
  }
  return aliases(call, reading, real)
}

/** The same call by other names, besides its own. `path` = where programs are looked for. */
export const othersOf = async (call: Call, place: Place, path: string): Promise<readonly Call[]> => {
  if (shells.includes(call.tool)) return ofShell(call, place.cwd, path)
  const field = Object.hasOwn(pathFields, call.tool) ? pathFields[call.tool] : undefined
  const written = field === undefined ? undefined : call.input[field]
  if (field === undefined || typeof written !== 'string') return []
  const absolute = resolvePath(place.cwd, written, place.home)
  const real = (await lookAt([absolute]))[absolute]?.real
  return real === undefined || real === absolute ? [] : [{ ...call, input: { ...call.input, [field]: real } }]
}
