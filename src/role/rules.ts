import { type Capabilities, type CapabilitiesFile, everything, nothing } from './capability/schema.ts'
import { defaultNudge } from './heartbeat/schema.ts'
import type { Role, RoleFile } from './schema.ts'

/** A block that is there says everything, so a forgotten key is a "no"; without a block a role is an actor. */
export const completeCapabilities = (written: CapabilitiesFile | undefined): Capabilities =>
  written === undefined ? everything : { ...nothing, ...defined(written) }

type Defined<T> = { [Key in keyof T]: Exclude<T[Key], undefined> }
const defined = <T extends object>(value: T): Defined<T> =>
  Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined)) as Defined<T>

const filled = (text: string | undefined): string | undefined => (text?.trim() ? text : undefined)

export const commandWords = (command: RoleFile['command']): readonly string[] =>
  typeof command === 'string' ? command.trim().split(/\s+/) : (command ?? [])

/** Puts the defaults in place. An empty text is the same as none. */
export const completeRole = (file: RoleFile): Role => {
  const reviewer = filled(file.permissions?.agent?.instructions) ?? ''
  const { $schema: _schema, inherits: _inherits, ...rest } = file
  return defined({
    ...rest,
    description: filled(file.description),
    agent_type: file.agent_type ?? 'claude',
    command: commandWords(file.command),
    model: filled(file.model),
    permission_mode: file.permission_mode ?? 'default',
    system_prompt: filled(file.system_prompt),
    instructions: filled(file.instructions),
    root_dir: filled(file.root_dir) ?? '.',
    claude_config_dir: filled(file.claude_config_dir),
    capabilities: completeCapabilities(file.capabilities),
    permissions: {
      allow: file.permissions?.allow ?? [],
      deny: file.permissions?.deny ?? [],
      // Without instructions there is nothing to review by: then a person is asked at once.
      agent: {
        enabled: reviewer !== '' && file.permissions?.agent?.enabled !== false,
        instructions: reviewer,
      },
    },
    tools: file.tools ?? {},
    credentials: file.credentials ?? [],
    budget: file.budget ?? {},
    worktree: {
      enabled: file.worktree?.enabled ?? false,
      branch_from: file.worktree?.branch_from ?? 'main',
      use_detached_head: file.worktree?.use_detached_head ?? false,
    },
    heartbeat: file.heartbeat && {
      idle_timeout: file.heartbeat.idle_timeout ?? '10m',
      message: filled(file.heartbeat.message) ?? defaultNudge,
      condition: file.heartbeat.condition?.trim() ?? '',
    },
    queue: file.queue,
    hooks: file.hooks ?? {},
    settings: file.settings ?? {},
    project_settings: file.project_settings ?? 'use',
    style: file.style ?? {},
    tests: file.tests ?? {},
  }) as Role
}

/** `.` is where the person called; a relative path is below the root; an absolute one is itself. */
export const rootDirectory = (
  rootDir: string,
  from: { readonly cwd: string; readonly root: string; readonly home: string },
): string => {
  const text = rootDir.trim()
  if (text === '' || text === '.') return from.cwd
  if (text === '~' || text.startsWith('~/')) return normal(`${from.home}${text.slice(1)}`)
  return normal(text.startsWith('/') ? text : `${from.root}/${text}`)
}

const normal = (path: string): string => {
  const parts: string[] = []
  for (const part of path.split('/')) {
    if (part === '..') parts.pop()
    else if (part !== '' && part !== '.') parts.push(part)
  }
  return `/${parts.join('/')}`
}
