// The roles a launch can name.
import { builtinRoles } from './builtin/schema.ts'
import { directoryOf, findRole, type Layer, layers, namesIn } from './read.ts'

export type ListedRole = {
  readonly name: string
  readonly description: string
  readonly layer: Layer
  readonly file: string
  /** False: the file is there but cannot be used; `agency role check` says why. */
  readonly valid: boolean
}

/** Sorted by name; of roles with the same name only the one that a launch would take. */
export const listRoles = async (
  root: string,
  { pod = false }: { readonly pod?: boolean } = {},
): Promise<readonly ListedRole[]> => {
  const among = pod ? layers : layers.slice(1)
  const found = await Promise.all(
    among.map((layer) =>
      layer === 'builtin' ? builtinRoles.map((each) => each.name) : namesIn(directoryOf(root, layer)),
    ),
  )
  const names = [...new Set(found.flat())].sort()
  const sources = await Promise.all(names.map((name) => findRole(root, name, among)))
  return sources.flatMap((source) => {
    if (source === undefined) return []
    const { name, layer, file, role } = source
    return [{ name, description: role?.description ?? '', layer, file, valid: role !== undefined }]
  })
}
