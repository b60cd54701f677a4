// Which capabilities a call needs by what it would do, create told from change by whether the file is there.

import { isWithin } from '../../../base/path/rules.ts'
import type { Role } from '../../../role/schema.ts'
import { permissionsOf, wordFor } from '../../tool/rules.ts'
import type { Permission } from '../../tool/schema.ts'
import type { Facts, Opinion, State } from '../schema.ts'
import type { Target, Touch } from '../touch/rules.ts'

/** Written to by half of all commands, and nothing is changed by it. */
const isSink = (path: string): boolean =>
  /^\/dev\/(null|zero|full|tty|stdin|stdout|stderr|fd\/\d+)$/.test(path)

type Need = {
  readonly permission: Permission
  readonly what: string
  /** A tree that is read-only holds it, whatever it comes to. */
  readonly held: boolean
}

const deeds: Readonly<Record<Permission, string>> = {
  read: 'read files',
  write: 'change files',
  create: 'make new files',
  delete: 'delete files',
  execute: 'run commands',
  delegate: 'delegate',
}

const writeNeeds = (target: Target, facts: Facts, { sandboxed, place }: State): readonly Need[] => {
  const paths = target.paths.filter((path) => !isSink(path))
  if (target.paths.length > 0 && paths.length === 0) return []
  const what = `write ${target.shown}`
  const known = paths.map((path) => (Object.hasOwn(facts, path) ? facts[path] : undefined))
  // Within walls only the tree is a place where anything lasts; the rest is gone with the agent.
  const outside = known.every((fact) => fact !== undefined && !isWithin(place.tree, fact.real))
  const held = sandboxed && (paths.length === 0 || outside)
  const unknown = paths.length === 0 || known.includes(undefined)
  const needs: Need[] = []
  if (unknown || known.some((fact) => fact?.exists)) needs.push({ permission: 'write', what, held })
  if (unknown || known.some((fact) => fact?.exists === false))
    needs.push({ permission: 'create', what, held })
  return needs
}

const deleteNeed = (target: Target, facts: Facts, { sandboxed, place }: State): Need => {
  const reals = target.paths.map((path) => (Object.hasOwn(facts, path) ? facts[path]?.real : undefined))
  const outside = reals.every((real) => real !== undefined && !isWithin(place.tree, real))
  return { permission: 'delete', what: `delete ${target.shown}`, held: sandboxed && outside }
}

const anything: readonly Permission[] = ['write', 'create', 'delete']

const needsOf = (touch: Touch, facts: Facts, state: State, shell: boolean): readonly Need[] => [
  ...touch.writes.flatMap((target) => writeNeeds(target, facts, state)),
  ...touch.deletes.map((target) => deleteNeed(target, facts, state)),
  ...touch.doubts.flatMap((why) =>
    anything.map((permission) => ({
      permission,
      what: `${deeds[permission]}: ${why}`,
      held: state.sandboxed && shell,
    })),
  ),
  // Nothing tells what a command reads, and walls do not hide the tree.
  ...(shell ? [{ permission: 'read' as const, what: 'read files: any command may', held: false }] : []),
]

export const abilityOpinion = (
  role: Pick<Role, 'name' | 'capabilities'>,
  touch: Touch,
  facts: Facts,
  state: State,
  shell: boolean,
): { readonly opinion: Opinion /** What only the walls hold. */; readonly held: readonly string[] } => {
  const has = permissionsOf(role.capabilities)
  const lacked = needsOf(touch, facts, state, shell).filter(({ permission }) => !has.has(permission))
  const open = lacked.find(({ held }) => !held)
  const held = [...new Set(lacked.map(({ what }) => what))]
  if (open === undefined) {
    const reason =
      lacked.length === 0
        ? 'it does nothing that the role lacks'
        : 'what the role lacks is held by the sandbox'
    return { opinion: { layer: 'capabilities', verdict: 'none', reason }, held }
  }
  const reason = `the role "${role.name}" may not ${deeds[open.permission]}, and this may ${open.what}`
  return {
    opinion: { layer: 'capabilities', verdict: 'deny', rule: wordFor(open.permission), reason },
    held,
  }
}
