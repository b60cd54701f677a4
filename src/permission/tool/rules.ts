// The first layer of a role: which tools the model is offered at all.
import { abilities, type Capabilities } from '../../role/capability/schema.ts'
import type { Role } from '../../role/schema.ts'
import type { DeclaredTools, Requirement } from '../../role/tool/schema.ts'
import { former, type Need, type Permission, permissions, questions, toolNeeds } from './schema.ts'

/** What of a role decides about tools. */
export type Limits = Pick<Role, 'capabilities' | 'tools'>

/** What an unknown tool, or one of an MCP server, may do nobody knows: it needs everything. */
const everything: Need = { all: permissions }

const permissionFor: Readonly<Record<Requirement, Permission>> = {
  can_read_files: 'read',
  can_write_files: 'write',
  can_create_files: 'create',
  can_delete_files: 'delete',
  can_execute_commands: 'execute',
  can_delegate_to_roles: 'delegate',
}

/** The word of a role file for a permission. */
export const wordFor = (permission: Permission): Requirement =>
  (Object.keys(permissionFor) as Requirement[]).find((word) => permissionFor[word] === permission) ??
  'can_read_files'

const serverOf = (name: string): string => name.replace(/__\*$/, '')

/** The tool itself before its server; of servers the longest name. */
const declaredFor = (tool: string, declared: DeclaredTools): readonly Requirement[] | undefined => {
  if (!tool.startsWith('mcp__')) return undefined
  if (Object.hasOwn(declared, tool)) return declared[tool]
  const [name] = Object.keys(declared)
    .filter((each) => tool.startsWith(`${serverOf(each)}__`))
    .sort((one, other) => other.length - one.length)
  return name === undefined ? undefined : declared[name]
}

export const needOf = (tool: string, declared: DeclaredTools): Need => {
  const said = declaredFor(tool, declared)
  if (said !== undefined) return { all: said.map((word) => permissionFor[word]) }
  return (Object.hasOwn(toolNeeds, tool) ? toolNeeds[tool] : undefined) ?? everything
}

export const asksPerson = (tool: string): boolean => questions.includes(tool)

export const isEverything = (capabilities: Capabilities): boolean =>
  abilities.every((ability) => capabilities[ability])

/**
 * Who may do everything may also have subagents do it: they work under the same role. Others need a role to
 * delegate to.
 */
export const permissionsOf = (capabilities: Capabilities): ReadonlySet<Permission> => {
  const may: Readonly<Record<Permission, boolean>> = {
    read: capabilities.can_read_files,
    write: capabilities.can_write_files,
    create: capabilities.can_create_files,
    delete: capabilities.can_delete_files,
    execute: capabilities.can_execute_commands,
    delegate: capabilities.can_delegate_to_roles.length > 0 || isEverything(capabilities),
  }
  return new Set(permissions.filter((one) => may[one]))
}

/** What the role lacks for the tool; empty = it may use it. Of several that would do, all are named. */
export const lackedFor = ({ capabilities, tools }: Limits, tool: string): readonly Permission[] => {
  const has = permissionsOf(capabilities)
  const { all, any } = needOf(tool, tools)
  const lacked = all.filter((one) => !has.has(one))
  return any === undefined || any.some((one) => has.has(one)) ? lacked : [...lacked, ...any]
}

export const mayUse = (limits: Limits, tool: string): boolean => lackedFor(limits, tool).length === 0

/** Every tool of every server. A refusal beats a permission, so it fits only who may use none. */
const servers = 'mcp__*'

/**
 * Both lists, since either alone has a hole: a list of tools says nothing of a tool under its other name or of MCP
 * servers, a list of refusals nothing of tools that come with the next version. Without limits there are none.
 */
export const offeredTools = (
  limits: Limits,
): { readonly tools?: readonly string[]; readonly disallowed?: readonly string[] } => {
  if (isEverything(limits.capabilities)) return {}
  const may = (tool: string): boolean => mayUse(limits, tool)
  const [known, declared] = [Object.keys(toolNeeds), Object.keys(limits.tools)]
  const refused = declared.some(may) ? declared.filter((tool) => !may(tool)).map(serverOf) : [servers]
  const others = known.filter((tool) => !may(tool) && !former.includes(tool))
  return { tools: known.filter(may), disallowed: [...others, ...refused] }
}

/**
 * What the CLI itself must refuse beside that: `@file` in a prompt puts a file before the model without a call, whatever
 * tools there are, and only a rule of its settings stops it.
 */
export const refusedReads = ({ can_read_files }: Capabilities): readonly string[] =>
  can_read_files ? [] : ['Read']

/** A shell reads, writes and deletes whatever the system lets it: only walls make less of it than everything. */
export const needsWalls = (capabilities: Capabilities): boolean =>
  capabilities.can_execute_commands && !isEverything(capabilities)
