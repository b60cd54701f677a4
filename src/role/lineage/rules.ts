// How a role and the roles it inherits from become one.
//
// What a file says holds; what it leaves out is the parent's. Texts, numbers and lists replace; blocks join key
// by key; allow rules and hooks add up; deny rules add up and never go away. A child may be wider than its
// parent only by writing so, and each such line is a warning. Tests belong to the file they stand in.
import { milliseconds } from '../../base/duration/rules.ts'
import { doubt, type Remark } from '../../base/remark/rules.ts'
import { type EventName, events } from '../../driver/claude/settings/schema.ts'
import { abilities } from '../capability/schema.ts'
import type { Hooks } from '../hook/schema.ts'
import { completeCapabilities } from '../rules.ts'
import type { RoleFile } from '../schema.ts'

/** A chain longer than this is a mistake, or an attempt to tire us. */
export const depthLimit = 10

const union = (a: readonly string[] = [], b: readonly string[] = []): string[] => [...new Set([...a, ...b])]

type Tree = Readonly<Record<string, unknown>>
const isTree = (value: unknown): value is Tree =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Key by key, to the bottom; anything but a block replaces. */
const joinTrees = (parent: Tree, child: Tree): Tree => {
  const joined: Record<string, unknown> = { ...parent }
  for (const [key, value] of Object.entries(child)) {
    if (value === undefined) continue
    const before = Object.hasOwn(joined, key) ? joined[key] : undefined
    joined[key] = isTree(before) && isTree(value) ? joinTrees(before, value) : value
  }
  return joined
}

const joinHooks = (parent: Hooks = {}, child: Hooks = {}): Hooks => {
  const joined: { -readonly [Event in EventName]?: NonNullable<Hooks[Event]> } = {}
  for (const event of events) {
    const entries = [...(parent[event] ?? []), ...(child[event] ?? [])]
    if (entries.length > 0) joined[event] = entries
  }
  return joined
}

const joinPermissions = (parent: RoleFile, child: RoleFile): RoleFile['permissions'] => {
  const [above, below] = [parent.permissions, child.permissions]
  const agent = joinTrees(above?.agent ?? {}, below?.agent ?? {})
  return {
    allow: union(above?.allow, below?.allow),
    deny: union(above?.deny, below?.deny),
    ...(Object.keys(agent).length > 0 && { agent }),
  }
}

/** `network` and `allow_network` say the same thing: the child's word drops the parent's, whichever it used. */
const joinSandbox = (
  parent: RoleFile['sandbox'] = {},
  child: RoleFile['sandbox'] = {},
): RoleFile['sandbox'] => {
  const { network, allow_network, allowed_hosts, ...rest } = parent
  const spoken = child.network !== undefined || child.allow_network !== undefined
  return joinTrees(spoken ? rest : parent, child) as RoleFile['sandbox']
}

/** Key by key, but a gate of the parent never goes away. */
const joinReview = (parent: RoleFile['review'] = {}, child: RoleFile['review'] = {}): RoleFile['review'] => {
  const whole = (written: NonNullable<RoleFile['review']>): Tree =>
    typeof written.reviewer === 'string' ? { ...written, reviewer: { kind: written.reviewer } } : written
  const joined = joinTrees(whole(parent), whole(child)) as NonNullable<RoleFile['review']>
  const tools = [...(parent.gates?.tools ?? []), ...(child.gates?.tools ?? [])]
  return tools.length === 0 ? joined : { ...joined, gates: { ...joined.gates, tools } }
}

export const joinRoles = (parent: RoleFile, child: RoleFile): RoleFile => {
  const { tests: _tests, command, ...rest } = parent
  // Claude Code is started by agency itself: a program of the parent would contradict that.
  const keeps = command !== undefined && child.agent_type !== 'claude'
  const inherited = keeps ? { ...rest, command } : rest
  const { inherits: _inherits, ...own } = child
  const capabilities = child.capabilities && {
    ...completeCapabilities(parent.capabilities),
    ...child.capabilities,
  }
  return {
    ...(joinTrees(inherited, own) as RoleFile),
    ...(capabilities && {
      capabilities: {
        ...capabilities,
        can_delegate_to_roles: [...(capabilities.can_delegate_to_roles ?? [])],
      },
    }),
    ...((parent.permissions || child.permissions) && { permissions: joinPermissions(parent, child) }),
    ...((parent.sandbox || child.sandbox) && { sandbox: joinSandbox(parent.sandbox, child.sandbox) }),
    ...((parent.review || child.review) && { review: joinReview(parent.review, child.review) }),
    ...((parent.hooks || child.hooks) && { hooks: joinHooks(parent.hooks, child.hooks) }),
  } as RoleFile
}

const amount = (value: string | number | undefined): number =>
  typeof value === 'string' ? milliseconds(value) : (value ?? Number.POSITIVE_INFINITY)

const reach = (sandbox: RoleFile['sandbox']): number | undefined => {
  if (sandbox?.network !== undefined) return ['none', 'proxy', 'full'].indexOf(sandbox.network)
  if (sandbox?.allow_network !== undefined) return sandbox.allow_network ? 2 : 0
  return undefined
}

const widerBudget = (parent: RoleFile, child: RoleFile): string[] => [
  ...(['turns', 'tokens', 'cost_usd', 'wall_time', 'runs'] as const).filter(
    (key) => child.budget?.[key] !== undefined && amount(child.budget[key]) > amount(parent.budget?.[key]),
  ),
  // Counted anew each day, the same limits are wider ones.
  ...(child.budget?.per !== undefined && parent.budget !== undefined && parent.budget.per === undefined
    ? ['per']
    : []),
]

/** Where a child says more than its parent (`parent` already joined with its own). */
export const widenings = (parent: RoleFile, child: RoleFile): Remark[] => {
  const before = completeCapabilities(parent.capabilities)
  const wider: string[][] = abilities
    .filter((ability) => child.capabilities?.[ability] === true && !before[ability])
    .map((ability) => ['capabilities', ability])
  const delegates = child.capabilities?.can_delegate_to_roles ?? []
  if (delegates.some((role) => !before.can_delegate_to_roles.includes(role))) {
    wider.push(['capabilities', 'can_delegate_to_roles'])
  }
  if (child.sandbox?.enabled === false && parent.sandbox?.enabled === true) wider.push(['sandbox', 'enabled'])
  if ((reach(child.sandbox) ?? 0) > (reach(parent.sandbox) ?? 2)) {
    wider.push(['sandbox', child.sandbox?.network === undefined ? 'allow_network' : 'network'])
  }
  if (child.permission_mode === 'bypassPermissions' && parent.permission_mode !== 'bypassPermissions') {
    wider.push(['permission_mode'])
  }
  if (child.review?.mode === 'never' && parent.review !== undefined && parent.review.mode !== 'never') {
    wider.push(['review', 'mode'])
  }
  const [above, below] = [parent.tools ?? {}, child.tools ?? {}]
  const eased = Object.keys(below).filter((tool) => above[tool]?.some((need) => !below[tool]?.includes(need)))
  wider.push(...eased.map((tool) => ['tools', tool]))
  wider.push(...widerBudget(parent, child).map((key) => ['budget', key]))
  return wider.map((keys) => doubt(keys, `is wider than in ${parent.name}, which it inherits`))
}
