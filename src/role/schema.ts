// A role: everything an agent made from it is told, may use, may touch and may spend.
import * as z from 'zod'
import { name } from '../base/name/schema.ts'
import { approvals } from './approval/schema.ts'
import { budget } from './budget/schema.ts'
import { type Capabilities, capabilities } from './capability/schema.ts'
import { tests } from './example/schema.ts'
import { heartbeat } from './heartbeat/schema.ts'
import { hooks } from './hook/schema.ts'
import { type PermissionMode, permissionMode, permissions } from './permission/schema.ts'
import { review } from './review/schema.ts'
import { sandbox } from './sandbox/schema.ts'
import { settings } from './settings/schema.ts'
import { style } from './style/schema.ts'
import { type DeclaredTools, tools } from './tool/schema.ts'
import { worktree } from './worktree/schema.ts'

export const model = z
  .string()
  .regex(/^([A-Za-z0-9][\w.:/@[\]-]{0,199})?$/, {
    error: 'must be the name of a model, such as opus or sonnet',
  })
  .meta({ description: 'The model: `opus`, `sonnet`, `haiku` or a full name. Empty = what the CLI chooses.' })

export const path = z.string().refine((text) => !/[\0-\x1f\x7f]/.test(text), {
  error: 'must be a path on one line, without control characters',
})

/** A program and its arguments. One string is split at blanks; nothing here goes through a shell. */
export const command = z
  .union([
    z
      .string()
      .trim()
      .min(1)
      .regex(/^[^"'`\\$|&;<>(){}*?]+$/, { error: 'is not run by a shell: write a list, one argument each' }),
    z
      .array(z.string().refine((word) => !word.includes('\0'), { error: 'must not hold NUL' }))
      .min(1)
      .refine(([program]) => program === undefined || program.trim() !== '', {
        path: [0],
        error: 'must be the program to run',
      }),
  ])
  .meta({ description: 'The program and its arguments, for `agent_type: command`. No shell reads it.' })

export const agentTypes = ['claude', 'command', 'scripted'] as const

export const roleFile = z
  .strictObject({
    $schema: z.string().optional().meta({ description: 'For editors; agency does not read it.' }),
    name: name.meta({ description: 'Its name; the file is called `<name>.yaml`.' }),
    description: z.string().optional().meta({ description: 'One line for `agency role list`.' }),
    inherits: name.optional().meta({ description: 'A role whose fields hold where this file is silent.' }),
    agent_type: z.enum(agentTypes).optional().meta({
      description: 'What runs: Claude Code, any command, or a script of replies.',
      default: 'claude',
    }),
    command: command.optional(),
    model: model.optional(),
    permission_mode: permissionMode.optional(),
    system_prompt: z
      .string()
      .optional()
      .meta({ description: 'Replaces the whole system prompt of the CLI (--system-prompt).' }),
    instructions: z
      .string()
      .optional()
      .meta({ description: 'What the agent is told, after the prompt of the CLI (--append-system-prompt).' }),
    root_dir: path.optional().meta({
      description: 'Where it works: `.` = where you called, a relative path is below the root.',
      default: '.',
    }),
    claude_config_dir: path
      .optional()
      .meta({ description: 'A Claude config directory to share, instead of one for each agent.' }),
    pod: name.optional().meta({ description: 'The pod its agents join unless told otherwise.' }),
    capabilities: capabilities.optional(),
    permissions: permissions.optional(),
    tools: tools.optional(),
    approvals: approvals.optional(),
    credentials: z
      .array(name)
      .optional()
      .meta({ description: 'Credentials of the root that the agent may see.', default: [] }),
    sandbox: sandbox.optional(),
    review: review.optional(),
    budget: budget.optional(),
    worktree: worktree.optional(),
    heartbeat: heartbeat.optional(),
    queue: z.boolean().optional().meta({
      description:
        'Whether an agent at a terminal takes tasks that wait for whoever is free, whenever it has nothing to do.',
      default: false,
    }),
    hooks: hooks.optional(),
    settings: settings.optional(),
    project_settings: z.enum(['use', 'ignore']).optional().meta({
      description: '`ignore` leaves out the settings, CLAUDE.md, agents and skills of the project.',
      default: 'use',
    }),
    style: style.optional(),
    tests: tests.optional(),
  })
  .refine(
    (role) =>
      role.inherits !== undefined || /\S/.test(`${role.instructions ?? ''}${role.system_prompt ?? ''}`),
    {
      error: 'needs `instructions` or `system_prompt`: what the agent is told',
    },
  )
  .meta({ id: 'Role', title: 'agency role', description: 'What an agent is told, may use, touch and spend.' })

/** As written: what a file does not say is absent, so that it can be inherited. */
export type RoleFile = z.infer<typeof roleFile>

type Blank<T> = { readonly [Key in keyof T]-?: NonNullable<T[Key]> }

/** Complete: every default is in place, and nothing is inherited any more. */
export type Role = Readonly<
  Pick<RoleFile, 'description' | 'pod' | 'approvals' | 'sandbox' | 'review' | 'queue'> & {
    name: string
    agent_type: (typeof agentTypes)[number]
    command: readonly string[]
    model?: string
    permission_mode: PermissionMode
    system_prompt?: string
    instructions?: string
    root_dir: string
    claude_config_dir?: string
    capabilities: Capabilities
    permissions: {
      readonly allow: readonly string[]
      readonly deny: readonly string[]
      readonly agent: { readonly enabled: boolean; readonly instructions: string }
    }
    tools: DeclaredTools
    credentials: readonly string[]
    budget: NonNullable<RoleFile['budget']>
    worktree: Blank<NonNullable<RoleFile['worktree']>>
    /** Absent = never nudged. */
    heartbeat?: Blank<NonNullable<RoleFile['heartbeat']>>
    hooks: NonNullable<RoleFile['hooks']>
    settings: NonNullable<RoleFile['settings']>
    project_settings: 'use' | 'ignore'
    style: NonNullable<RoleFile['style']>
    tests: NonNullable<RoleFile['tests']>
  }
>
