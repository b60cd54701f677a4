// What `agency validate` says of a director's config file.
import { basename, dirname } from 'node:path'
import { checkDirectory } from '../agent/check/rules.ts'
import { checkRoleName } from '../agent/kind.ts'
import type { Remark } from '../base/remark/rules.ts'
import { layout } from '../config/layout/rules.ts'
import type { Context, Kind } from '../config/validate/schema.ts'
import { checkRootDir } from '../role/kind.ts'
import { checkDirector } from './check/rules.ts'
import { type DirectorFile, directorFile, directorTypes } from './schema.ts'

const checkEntries = async (director: DirectorFile, root: string | undefined): Promise<Remark[]> => {
  if (director.type !== 'scheduler') return []
  const found = await Promise.all(
    director.schedule.map(async ({ role, root_dir, workdir }, place) => {
      const key = root_dir === undefined ? 'workdir' : 'root_dir'
      return [
        ...(await checkRoleName(role, root, { keys: ['schedule', place, 'role'] })),
        ...(await checkRootDir(root_dir ?? workdir, root, ['schedule', place, key])),
      ]
    }),
  )
  return found.flat()
}

const directoryOf = ({ file, root }: Context): string | undefined =>
  root !== undefined && dirname(dirname(file)) === layout(root).directors
    ? basename(dirname(file))
    : undefined

const checkFile = async (director: DirectorFile, context: Context): Promise<Remark[]> => [
  // Its own name is what a title is marked with (`[name]`), and need not be that of its directory.
  ...checkDirectory(undefined, directoryOf(context)),
  ...checkDirector(director),
  ...(await checkEntries(director, context.root)),
  ...('repo' in director ? await checkRoleName(director.role, context.root) : []),
]

export const directorKind: Kind = {
  name: 'director',
  places: ['directors/*/config.yaml'],
  types: directorTypes,
  schema: directorFile,
  check: checkFile,
}
