// The part of Claude Code's settings files that the scripted agent obeys.
import * as z from 'zod'

export const entry = z.looseObject({
  type: z.enum(['command', 'http', 'prompt', 'agent', 'mcp_tool']),
  command: z.string().optional(),
  url: z.string().optional(),
  headers: z.record(z.string(), z.string()).optional(),
  allowedEnvVars: z.array(z.string()).optional(),
  /** Seconds. */
  timeout: z.number().positive().optional(),
  onFailure: z.string().optional(),
  async: z.boolean().optional(),
  if: z.string().optional(),
})

export const group = z.looseObject({ matcher: z.string().optional(), hooks: z.array(entry) })

export const settings = z.looseObject({
  hooks: z.record(z.string(), z.unknown()).optional(),
  permissions: z
    .looseObject({
      allow: z.array(z.string()).optional(),
      deny: z.array(z.string()).optional(),
      ask: z.array(z.string()).optional(),
      defaultMode: z.string().optional(),
      disableBypassPermissionsMode: z.string().optional(),
    })
    .optional(),
  disableAllHooks: z.boolean().optional(),
  allowedHttpHookUrls: z.array(z.string()).optional(),
  model: z.string().optional(),
  env: z.record(z.string(), z.string()).optional(),
  skipDangerousModePermissionPrompt: z.boolean().optional(),
})

export type Entry = z.infer<typeof entry>
export type Settings = z.infer<typeof settings>
export type Source = 'user' | 'project' | 'local' | 'flag' | 'plugin'

/** One hook of one source, ready to be called. `root` is the directory of the plugin that brought it. */
export type Hook = { event: string; matcher: string; entry: Entry; source: Source; root?: string }

/** What all sources say together. */
export type Effective = {
  hooks: Hook[]
  allow: string[]
  deny: string[]
  ask: string[]
  mode?: string
  model?: string
  /** Absent = every address may be called. */
  urls?: string[]
  /** A project that nobody trusted has rules that were left out. */
  untrusted: boolean
  noBypass: boolean
  noBypassDialog: boolean
  env: Record<string, string>
}
