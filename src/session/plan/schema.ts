// A launch as data: everything that will be made, written and started, before any of it is done.
import * as z from 'zod'
import type { Launch, Order, Start } from '../../driver/schema.ts'
import { defaultRole } from '../../role/builtin/schema.ts'
import { heartbeat } from '../../role/heartbeat/schema.ts'
import type { Role } from '../../role/schema.ts'

export type Heartbeat = NonNullable<Role['heartbeat']>

/** What of a driver a plan needs: how it would start this order, and what is wrong with it. */
export type Speller = {
  readonly problems: (order: Order) => readonly string[]
  readonly launch: (program: string, order: Order) => Launch
}

export type Environment = Readonly<Record<string, string>>

export type PlanFacts = {
  readonly root: string
  /** Where, as whom and with which environment the person called. */
  readonly cwd: string
  readonly home: string
  readonly uid: number
  readonly env: Environment
  /** Names of agents that live. */
  readonly taken: readonly string[]
  readonly start: Start
  readonly program: string
  readonly driver: Speller
  readonly keeper: Order['keeper']
  readonly sandbox: { readonly available: boolean; readonly why?: string; readonly fix?: string }
  /** How a sandboxed agent speaks to the model. */
  readonly model?: Environment
  /** Of the root, by name. */
  readonly credentials: Environment
  /** A directory whose login may be shared. */
  readonly login?: string
  /** What the CLI's state file holds now. */
  readonly state?: unknown
  /** ISO. */
  readonly at: string
}

export type RoleRequest = {
  readonly role: Role
  readonly name?: string
  readonly pod?: string
  readonly overrides: Environment
  /** What stood behind `--`. */
  readonly extra: readonly string[]
  /** The conversation had another role before. */
  readonly switched?: true
  /** The conversation that this one began as a copy of. */
  readonly forkedFrom?: string
  readonly facts: PlanFacts
}

export type CommandRequest = {
  readonly command: readonly string[]
  readonly name?: string
  readonly pod?: string
  readonly facts: Pick<PlanFacts, 'root' | 'cwd' | 'env' | 'taken' | 'start' | 'uid'>
}

export type WorktreeRequest = {
  /** A sandboxed agent gets a clone of its own: a linked worktree would leak or break in there. */
  readonly kind: 'worktree' | 'clone'
  readonly repository: string
  readonly path: string
  readonly from: string
  /** Absent = detached. */
  readonly branch?: string
}

export type SandboxRequest = {
  readonly tree: 'read-only' | 'read-write'
  readonly settings: NonNullable<Role['sandbox']>
}

export type PlannedFile = {
  readonly path: string
  readonly text: string
  readonly mode: 0o600
  /** To be removed when the session has reported. */
  readonly once: boolean
}

export type Plan = {
  readonly agent: string
  readonly role?: string
  readonly pod?: string
  readonly overrides: Environment
  /** The conversation that this one began as a copy of. */
  readonly forkedFrom?: string
  /** Supervised by hooks: has a canary, and a state beyond its screen. */
  readonly managed: boolean
  /** An AI looks at requests for permission first. */
  readonly reviewer: boolean
  readonly cwd: string
  readonly worktree?: WorktreeRequest
  readonly sandbox?: SandboxRequest
  /** To be made with mode 0700. */
  readonly directories: readonly string[]
  /** Absent = never nudged. */
  readonly heartbeat?: Heartbeat
  /** It takes tasks that wait for whoever is free. */
  readonly queue?: true
  readonly files: readonly PlannedFile[]
  readonly launch: Pick<Launch, 'argv' | 'env' | 'stdin'>
  readonly order?: Order
  readonly warnings: readonly string[]
}

export const refusalCodes = [
  'name_invalid',
  'name_in_use',
  'command_missing',
  'sandbox_missing',
  'sandbox_needed',
  'not_enforceable',
  'hooks_missing',
  'root_bypass',
  'credential_missing',
  'order_refused',
] as const

/** Why nothing is launched: what is wrong, with what to do about it. */
export type Refusal = { readonly code: (typeof refusalCodes)[number]; readonly text: string }

export type Planned = { readonly plan: Plan } | { readonly refusals: readonly Refusal[] }

/** sessions/<agent>/session.json: what a launch was, for `session resume` and for people. */
export const sessionFile = z
  .strictObject({
    agent: z.string(),
    session_id: z.string(),
    agent_type: z.enum(['claude', 'command', 'scripted']),
    role: z
      .string()
      .default(defaultRole)
      .meta({ description: 'The role it has; one that was launched before roles were noted is an actor.' }),
    switched: z.literal(true).optional().meta({
      description: 'The conversation had another role before: what it was told then is not replayed.',
    }),
    pod: z.string().optional(),
    overrides: z.record(z.string(), z.string()).meta({ description: 'As they were given.' }),
    cwd: z.string(),
    worktree: z.string().optional().meta({ description: 'The repository that the work tree belongs to.' }),
    heartbeat: heartbeat.required().optional(),
    queue: z.literal(true).optional().meta({ description: 'It takes tasks that wait for whoever is free.' }),
    arguments: z.array(z.string()).meta({ description: 'What stood behind `--`.' }),
    launched_at: z.iso.datetime(),
    forked_from: z.string().optional().meta({ description: 'The conversation it began as a copy of.' }),
  })
  .meta({ id: 'SessionFile', description: 'How a session was launched.' })
export type SessionFile = z.infer<typeof sessionFile>
