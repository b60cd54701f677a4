// Follows `inherits` from a role to its end.
import { doubt, type Remark, wrong } from '../base/remark/rules.ts'
import { depthLimit } from './lineage/rules.ts'
import { findRole, type Layer, layers, type RoleSource } from './read.ts'
import type { RoleFile } from './schema.ts'

type Link = { readonly name: string; readonly layer: Layer; readonly role: RoleFile }

export type Ancestry = {
  /** From the parent up. */
  readonly ancestors: readonly RoleSource[]
  /** What is wrong with the chain, said of the `inherits` of the role it begins with. */
  readonly remarks: readonly Remark[]
}

/** A role never inherits from a layer above its own; its own name means the role of the next layer. */
const layersFor = (child: Link, parent: string): readonly Layer[] =>
  layers.slice(layers.indexOf(child.layer) + (child.name === parent ? 1 : 0))

export const ancestorsOf = async (root: string | undefined, first: Link): Promise<Ancestry> => {
  const ancestors: RoleSource[] = []
  const seen = [`${first.layer} ${first.name}`]
  const path = [first.name]
  const broken = (text: string): Ancestry => ({ ancestors, remarks: [wrong(['inherits'], text)] })
  let child = first
  while (child.role.inherits !== undefined) {
    const name = child.role.inherits
    path.push(name)
    const chain = path.join(' → ')
    if (ancestors.length >= depthLimit) return broken(`must not go deeper than ${depthLimit} roles: ${chain}`)
    const parent = await findRole(root, name, layersFor(child, name))
    if (parent === undefined && name === child.name) return broken(`must not go in a circle: ${chain}`)
    if (parent === undefined) {
      const text = `must name a role: there is no "${name}" (${chain})`
      // A file that lies outside a root cannot know what its root will have.
      return root === undefined ? { ancestors, remarks: [doubt(['inherits'], text)] } : broken(text)
    }
    if (seen.includes(`${parent.layer} ${name}`)) return broken(`must not go in a circle: ${chain}`)
    seen.push(`${parent.layer} ${name}`)
    ancestors.push(parent)
    if (parent.role === undefined) return broken(`must name a valid role: see ${parent.file} (${chain})`)
    child = { name, layer: parent.layer, role: parent.role }
  }
  return { ancestors, remarks: [] }
}
