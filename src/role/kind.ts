// What `agency validate` and `agency role check` say of a role file.
import { stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { doubt, type Remark, wrong } from '../base/remark/rules.ts'
import { nearest } from '../base/text/rules.ts'
import { layout } from '../config/layout/rules.ts'
import type { Context, Kind } from '../config/validate/schema.ts'
import { ancestorsOf } from './ancestors.ts'
import { checkRole, checkType } from './check/rules.ts'
import { joinRoles, widenings } from './lineage/rules.ts'
import { listRoles } from './list.ts'
import { type Layer, rolePlaces, stemOf } from './read.ts'
import { rootDirectory } from './rules.ts'
import { type RoleFile, roleFile } from './schema.ts'

const isDirectory = async (path: string): Promise<boolean> => {
  try {
    return (await stat(path)).isDirectory()
  } catch {
    // Whatever keeps us from seeing it would keep an agent from working there.
    return false
  }
}

/** Whether the directory is there. `.` depends on where a person calls, so it is always right. */
export const checkRootDir = async (
  rootDir: string | undefined,
  root: string | undefined,
  keys: readonly (string | number)[] = ['root_dir'],
): Promise<Remark[]> => {
  const relative = !/^[~/]/.test(rootDir ?? '')
  if (!rootDir || rootDir === '.' || (relative && root === undefined)) return []
  const path = rootDirectory(rootDir, { cwd: '/', root: root ?? '/', home: homedir() })
  if (await isDirectory(path)) return []
  return [wrong(keys, `is ${rootDir}, but there is no directory ${path}`)]
}

const checkDelegates = async (role: RoleFile, root: string | undefined, layer: Layer): Promise<Remark[]> => {
  const names = role.capabilities?.can_delegate_to_roles ?? []
  if (root === undefined || names.length === 0) return []
  const known = (await listRoles(root, { pod: layer === 'pod' })).map((each) => each.name)
  return names.flatMap((name, place) => {
    if (known.includes(name)) return []
    const keys = ['capabilities', 'can_delegate_to_roles', place]
    return [doubt(keys, `"${name}" is no role of this root`, nearest(name, known))]
  })
}

const checkFile = async (role: RoleFile, { file, root }: Context): Promise<Remark[]> => {
  const layer: Layer = root !== undefined && file.startsWith(`${layout(root).podRoles}/`) ? 'pod' : 'root'
  const { ancestors, remarks } = await ancestorsOf(root, { name: stemOf(file), layer, role })
  const files = ancestors.flatMap((each) => each.role ?? [])
  const parent = files
    .toReversed()
    .reduce<RoleFile | undefined>((above, each) => (above ? joinRoles(above, each) : each), undefined)
  return [
    ...checkRole(role, stemOf(file)),
    ...remarks,
    ...(parent ? widenings(parent, role) : []),
    ...(parent ? checkType(joinRoles(parent, role)).filter((each) => !each.warning) : []),
    ...(await checkRootDir(role.root_dir, root)),
    ...(await checkDelegates(role, root, layer)),
  ]
}

export const roleKind: Kind = { name: 'role', places: rolePlaces, schema: roleFile, check: checkFile }
