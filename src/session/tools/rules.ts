// The first layer of a role: which tools the model is offered at all.
import { abilities, type Capabilities } from '../../role/capability/schema.ts'
import { type Need, type Permission, permissions, questions, toolNeeds } from './schema.ts'

/** What an unknown tool, or one of an MCP server, may do nobody knows: it needs everything. */
const everything: Need = { all: permissions }

export const needOf = (tool: string): Need =>
  (Object.hasOwn(toolNeeds, tool) ? toolNeeds[tool] : undefined) ?? everything

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

export const mayUse = (capabilities: Capabilities, tool: string): boolean => {
  const has = permissionsOf(capabilities)
  const { all, any } = needOf(tool)
  return all.every((one) => has.has(one)) && (any === undefined || any.some((one) => has.has(one)))
}

/**
 * Both lists, since either alone has a hole: a list of tools says nothing of a tool under its other name, a list
 * of refusals nothing of tools that come with the next version. Without limits there are none.
 */
export const offeredTools = (
  capabilities: Capabilities,
): { readonly tools?: readonly string[]; readonly disallowed?: readonly string[] } => {
  if (isEverything(capabilities)) return {}
  const known = Object.keys(toolNeeds)
  return {
    tools: known.filter((tool) => mayUse(capabilities, tool)),
    disallowed: known.filter((tool) => !mayUse(capabilities, tool)),
  }
}

/** A shell reads, writes and deletes whatever the system lets it: only walls make less of it than everything. */
export const needsWalls = (capabilities: Capabilities): boolean =>
  capabilities.can_execute_commands && !isEverything(capabilities)
