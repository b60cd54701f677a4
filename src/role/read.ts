// Role files of a root: where they lie, and one of them with everything that can be said without the others.
import { readdir, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { fail } from '../base/error/fail.ts'
import { namePattern, name as nameSchema } from '../base/name/schema.ts'
import { check } from '../base/problem/rules.ts'
import { layout } from '../config/layout/rules.ts'
import type { Kind } from '../config/validate/schema.ts'
import { validateFile } from '../config/validate.ts'
import type { Problem } from '../config/yaml/schema.ts'
import { builtinRoles } from './builtin/schema.ts'
import { checkRole } from './check/rules.ts'
import { type RoleFile, roleFile } from './schema.ts'

/** In order of precedence. Roles of pods are seen only by agents of a pod. */
export const layers = ['pod', 'root', 'builtin'] as const
export type Layer = (typeof layers)[number]

export type RoleSource = {
  readonly name: string
  readonly layer: Layer
  /** `built-in` for a role that comes with agency. */
  readonly file: string
  readonly role?: RoleFile
  readonly problems: readonly Problem[]
  readonly warnings: readonly Problem[]
  readonly text: string
}

export const rolePlaces = ['roles/*.yaml', 'pods/roles/*.yaml']

export const stemOf = (file: string): string => basename(file, '.yaml')

/** A role file by itself: nothing is looked up beyond it. */
const alone: Kind = {
  name: 'role',
  places: rolePlaces,
  schema: roleFile,
  check: (role: RoleFile, { file }) => checkRole(role, stemOf(file)),
}

/** A name becomes a path: it is checked before anything is looked for. */
export const requireName = (noun: string, name: string): void => {
  const checked = check(nameSchema, name)
  if ('value' in checked) return
  const why = checked.issues.map((each) => each.message).join('; ')
  fail('validation_error', { what: `The ${noun} name ${JSON.stringify(name)} is not one: it ${why}.` })
}

const missing = (error: unknown): boolean =>
  ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')

/** Anything else than "not there" is said by whoever reads the file. */
export const exists = async (file: string): Promise<boolean> => {
  try {
    await stat(file)
    return true
  } catch (error) {
    return !missing(error)
  }
}

/** The names that YAML files of a directory have; a file whose name is no name is never looked for. */
export const namesIn = async (directory: string): Promise<readonly string[]> => {
  try {
    const stems = (await readdir(directory)).filter((file) => file.endsWith('.yaml')).map(stemOf)
    return stems.filter((stem) => namePattern.test(stem)).sort()
  } catch (error) {
    if (missing(error)) return []
    throw error
  }
}

const builtin = (name: string): RoleSource | undefined => {
  const role = builtinRoles.find((each) => each.name === name)
  return role && { name, layer: 'builtin', file: 'built-in', role, problems: [], warnings: [], text: '' }
}

export const directoryOf = (root: string, layer: Exclude<Layer, 'builtin'>): string =>
  layer === 'pod' ? layout(root).podRoles : layout(root).roles

/** The role of that name in the first of the layers that has one; the name was required before. */
export const findRole = async (
  root: string | undefined,
  name: string,
  among: readonly Layer[],
): Promise<RoleSource | undefined> => {
  for (const layer of among) {
    if (layer === 'builtin') return builtin(name)
    if (root === undefined) continue
    const file = `${directoryOf(root, layer)}/${name}.yaml`
    if (!(await exists(file))) continue
    const { value, problems, warnings, text } = await validateFile(file, [alone], root)
    return {
      name,
      layer,
      file,
      problems,
      warnings,
      text,
      ...(value !== undefined && { role: value as RoleFile }),
    }
  }
  return undefined
}
