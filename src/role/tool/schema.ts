// What tools of MCP servers need: nobody but whoever runs the server knows.
import * as z from 'zod'
import { abilities } from '../capability/schema.ts'

export const requirements = [...abilities, 'can_delegate_to_roles'] as const
export type Requirement = (typeof requirements)[number]

/** A tool of Claude Code itself is not among them: what it needs is known, and nobody can make it less. */
const toolName = z.string().regex(/^mcp__[\w.-]+?(__([\w.-]+|\*))?$/, {
  error: 'must be mcp__server__tool, or mcp__server for all of its tools',
})

export const tools = z.record(toolName, z.array(z.enum(requirements))).meta({
  id: 'RoleTools',
  description:
    'What tools of MCP servers need: `mcp__docs__search: [can_read_files]`. One that is not named needs everything.',
})
export type DeclaredTools = Readonly<Record<string, readonly Requirement[]>>
