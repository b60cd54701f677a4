// Makes the programs of a launch visible inside where the system's directories do not show them.
import { constants } from 'node:fs'
import { access, realpath } from 'node:fs/promises'
import { delimiter, isAbsolute, join } from 'node:path'
import { isWithin } from '../base/path/rules.ts'
import type { Mount, System } from './schema.ts'

const isThere = (path: string): Promise<boolean> =>
  access(path, constants.R_OK).then(
    () => true,
    () => false,
  )

/** As a shell would; relative entries of PATH never count, since a tree may lie there. */
const locate = async (program: string, path = ''): Promise<string | undefined> => {
  const places = program.includes('/')
    ? [program]
    : path.split(delimiter).map((place) => join(place, program))
  for (const place of places) if (isAbsolute(place) && (await isThere(place))) return place
  return undefined
}

/** A program of npm needs the rest of its package. */
const packageOf = (real: string): string =>
  /^.*\/node_modules\/(@[^/]+\/)?[^/]+(?=\/)/.exec(real)?.[0] ?? real

const mountsOf = async (path: string, system: System): Promise<readonly Mount[]> => {
  const real = await realpath(path)
  const seen = (one: string): boolean =>
    [...system.directories, ...system.links.map((link) => link.path)].some((place) => isWithin(place, one))
  const whole = packageOf(real)
  return [
    ...(seen(real) ? [] : [{ from: whole, to: whole, access: 'read' as const }]),
    ...(seen(path) || path === real ? [] : [{ from: real, to: path, access: 'read' as const }]),
  ]
}

/** Those that are not there are left to fail inside, with the shell's own words. */
export const locateAll = async (
  programs: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<readonly string[]> => {
  const found = await Promise.all(programs.map((program) => locate(program, env.PATH)))
  return found.flatMap((path) => path ?? [])
}

export const programMounts = async (paths: readonly string[], system: System): Promise<readonly Mount[]> =>
  (await Promise.all(paths.map((path) => mountsOf(path, system)))).flat()
