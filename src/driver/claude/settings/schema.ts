// The parts of Claude's settings file that we write, and how a role may spell its own hooks.
// Strict where the CLI is silent: it ignores a whole file for one bad hook, ours included.
import * as z from 'zod'

export const events = [
  'PreToolUse',
  'PostToolUse',
  'PostToolUseFailure',
  'PostToolBatch',
  'Notification',
  'UserPromptSubmit',
  'UserPromptExpansion',
  'SessionStart',
  'SessionEnd',
  'Stop',
  'StopFailure',
  'SubagentStart',
  'SubagentStop',
  'PreCompact',
  'PostCompact',
  'PreModelSwitch',
  'PostModelSwitch',
  'PermissionRequest',
  'PermissionDenied',
  'Setup',
  'TeammateIdle',
  'TaskCreated',
  'TaskCompleted',
  'Elicitation',
  'ElicitationResult',
  'ConfigChange',
  'WorktreeCreate',
  'WorktreeRemove',
  'InstructionsLoaded',
  'CwdChanged',
  'FileChanged',
  'DirectoryAdded',
  'MessageDisplay',
] as const

export type EventName = (typeof events)[number]

/** Longer, and a timer in milliseconds overflows and fires at once. */
export const longestTimeout = 2_000_000

const timeout = z
  .number()
  .positive()
  .max(longestTimeout)
  .optional()
  .meta({ description: 'Seconds it may take.' })
const condition = z
  .string()
  .min(1)
  .optional()
  .meta({ description: 'A permission rule: runs only for calls that it matches.' })
const onFailure = z
  .enum(['block', 'continue'])
  .optional()
  .meta({ description: 'What a failure of the hook means.' })

export const ownHook = z.discriminatedUnion('type', [
  z.looseObject({
    type: z.literal('command').meta({ description: 'A shell command.' }),
    command: z.string().min(1).meta({ description: 'The shell command.' }),
    timeout,
    if: condition,
    onFailure,
    async: z.boolean().optional().meta({ description: 'Nobody waits for it, and it decides nothing.' }),
  }),
  z.looseObject({
    type: z.literal('http').meta({ description: 'A request.' }),
    url: z.url({ protocol: /^https?$/ }).meta({ description: 'Where it is posted to.' }),
    headers: z.record(z.string(), z.string()).optional().meta({ description: 'Sent along.' }),
    allowedEnvVars: z.array(z.string()).optional().meta({ description: 'Variables that headers may name.' }),
    timeout,
    if: condition,
    onFailure,
  }),
  z.looseObject({
    type: z.literal('prompt').meta({ description: 'A question to the model.' }),
    prompt: z.string().min(1).meta({ description: 'What it is asked.' }),
    timeout,
    if: condition,
  }),
  z.looseObject({
    type: z.literal('agent').meta({ description: 'A subagent.' }),
    prompt: z.string().min(1).meta({ description: 'What it is asked.' }),
    timeout,
    if: condition,
  }),
  z.looseObject({
    type: z.literal('mcp_tool').meta({ description: 'A tool of an MCP server.' }),
    server: z.string().min(1).meta({ description: 'The MCP server.' }),
    tool: z.string().min(1).meta({ description: 'Its tool.' }),
    input: z.record(z.string(), z.unknown()).optional().meta({ description: 'What the tool is given.' }),
    timeout,
    if: condition,
  }),
])

const matcher = z.string().optional()

/** A role's hook: Claude's own form, or the short one with a command. */
export const roleHook = z.union([
  z.strictObject({ matcher, hooks: z.array(ownHook).min(1) }),
  z.strictObject({ matcher, command: z.string().min(1), timeout }),
])

export const roleHooks = z.partialRecord(z.enum(events), z.array(roleHook)).meta({
  id: 'RoleHooks',
  description: 'Hooks of a role, by event: the short form, or the form of Claude Code.',
})

export type OwnHook = z.infer<typeof ownHook>
export type RoleHook = z.infer<typeof roleHook>
export type RoleHooks = z.infer<typeof roleHooks>

export type HookEntry = {
  readonly matcher?: string
  readonly hooks: readonly Readonly<Record<string, unknown>>[]
}

export type Settings = Readonly<Record<string, unknown>> & {
  readonly disableAllHooks: false
  readonly allowedHttpHookUrls: readonly string[]
  readonly permissions: { readonly allow: readonly string[]; readonly deny: readonly string[] }
  readonly hooks: Readonly<Partial<Record<EventName, readonly HookEntry[]>>>
}
