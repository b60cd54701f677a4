// The routes of launched agents, and those by which keepers speak to the host.
import * as z from 'zod'
import { contract } from '../base/contract/schema.ts'
import { name } from '../base/name/schema.ts'
import { card, exit } from '../keeper/schema.ts'
import { componentState } from '../registry/schema.ts'

const count = z.number().min(0)

export const agentEntry = z
  .strictObject({
    name: z.string(),
    session: z.string().meta({ description: 'The conversation, as the CLI knows it.' }),
    role: z.string().optional(),
    pod: z.string().optional(),
    managed: z.boolean().meta({ description: 'Supervised by hooks.' }),
    state: componentState,
    text: z.string().meta({ description: 'The state in a few words.' }),
    state_seconds: count.meta({ description: 'How long it has been in this state.' }),
    launched_at: z.iso.datetime(),
    cwd: z.string(),
    turns: z.int().min(0),
    tokens: count,
    cost_usd: count.meta({ description: 'API-price equivalent.' }),
    needs_you: z.boolean(),
    blocked_tool: z.string().optional().meta({ description: 'What a person is asked about.' }),
    approval: z.string().optional().meta({ description: 'What to answer: `POST /approvals/:id`.' }),
    background: z.int().min(0).meta({ description: 'How much of it goes on in the background.' }),
    queued_messages: z.int().min(0),
    next: z.string().optional().meta({ description: 'What a person can do about the state.' }),
    budget: z.string().optional().meta({ description: 'What is used of a limit that is near or reached.' }),
    pid: z.int().optional().meta({ description: 'Of the running program.' }),
    keeper: z.int().optional().meta({ description: 'Process of the keeper.' }),
  })
  .meta({ id: 'AgentEntry', description: 'A launched agent.' })
export type AgentEntry = z.infer<typeof agentEntry>

/** Where, and with which environment, a person called. Never stored or logged. */
const caller = {
  cwd: z.string().startsWith('/'),
  env: z.record(z.string(), z.string()),
}

const launched = z
  .strictObject({ agent: agentEntry, warnings: z.array(z.string()) })
  .meta({ id: 'LaunchReply' })

/** At the host itself. */
export const agents = {
  list: contract({
    method: 'GET',
    path: '/agents',
    summary: 'Every launched agent with its state.',
    reply: z.strictObject({ agents: z.array(agentEntry) }).meta({ id: 'AgentsReply' }),
  }),
  launch: contract({
    method: 'POST',
    path: '/agents',
    summary: 'Launches an agent from a role, or a command without one; answers when it is up.',
    body: z.strictObject({
      ...caller,
      role: name.optional(),
      command: z.array(z.string()).optional().meta({ description: 'Without a role: what to run.' }),
      name: name.optional(),
      pod: name.optional(),
      overrides: z.array(z.string()).optional(),
      args: z.array(z.string()).optional().meta({ description: 'For the CLI of the role.' }),
    }),
    reply: launched,
    status: 201,
    errors: [
      'name_in_use',
      'role_not_found',
      'launch_refused',
      'launch_failed',
      'claude_missing',
      'budget_exceeded',
    ],
  }),
  resume: contract({
    method: 'POST',
    path: '/sessions/resume',
    summary: 'Goes on with the last session of an agent that has ended or was lost.',
    body: z.strictObject({ ...caller, name }),
    reply: launched,
    status: 201,
    errors: ['name_in_use', 'session_unknown', 'launch_failed', 'claude_missing', 'budget_exceeded'],
  }),
  fork: contract({
    method: 'POST',
    path: '/sessions/fork',
    summary: 'Launches an agent that begins with what another one, living or ended, has said.',
    body: z.strictObject({
      ...caller,
      agent: name.meta({ description: 'Whose conversation; it is not disturbed.' }),
      name: name.optional().meta({ description: 'Of the new agent; absent = the next free.' }),
    }),
    reply: launched,
    status: 201,
    errors: [
      'name_in_use',
      'session_unknown',
      'launch_refused',
      'launch_failed',
      'claude_missing',
      'budget_exceeded',
    ],
  }),
  forget: contract({
    method: 'POST',
    path: '/sessions/forget',
    summary: 'Forgets the sessions that are over and whose directories are gone.',
    body: z.strictObject({}),
    reply: z.strictObject({ forgotten: z.int().min(0) }).meta({ id: 'ForgetReply' }),
  }),
} as const

/** Below `/agents/<name>`, for a launched agent. */
export const agent = {
  stop: contract({
    method: 'POST',
    path: '/stop',
    summary: 'Ends the agent; answers when no process of it is left.',
    body: z.strictObject({
      grace_seconds: z.number().min(0).max(600).optional().meta({ description: 'Until it is killed; 10.' }),
    }),
    reply: z.strictObject({ agent: agentEntry, exit: exit.nullable() }).meta({ id: 'StopReply' }),
    errors: ['agent_left'],
  }),
  permission: contract({
    method: 'POST',
    path: '/permission',
    summary: 'Asks for a permission as a hook of the agent would: its reviewer, then a person.',
    body: z.strictObject({
      tool_name: z.string().min(1),
      tool_input: z.record(z.string(), z.unknown()),
      session_id: z.string().optional().meta({
        description: 'Who asks. The session that the host supervises asks by a hook of its own.',
      }),
      cwd: z.string().optional(),
      seconds: z.number().min(0).max(3600).meta({ description: 'How long to wait for an answer.' }),
    }),
    reply: z
      .strictObject({ answer: z.unknown().optional().meta({ description: 'Absent = undecided.' }) })
      .meta({ id: 'PermissionReply' }),
  }),
  collect: contract({
    method: 'POST',
    path: '/collect',
    summary: 'Notes a hook event of an agent in the journal; nothing is decided by it.',
    body: z.strictObject({
      event: z.string().min(1).max(100),
      tool: z.string().max(200).optional(),
      session_id: z.string().max(200).optional(),
    }),
    reply: z.strictObject({}),
  }),
  role: contract({
    method: 'PUT',
    path: '/role',
    summary:
      'Gives the agent another role: what that refuses is refused from the next call on; prompt, tools and walls change with a relaunch of the same conversation. For one that takes tasks, from the next task on.',
    body: z.strictObject({
      role: name,
      confirm: z.boolean().optional().meta({ description: 'What it does may be interrupted.' }),
      by: z.string().min(1).max(100).optional().meta({ description: 'Who asks; kept in the journal.' }),
    }),
    reply: z
      .strictObject({
        agent: z.string(),
        from: z.string(),
        to: z.string(),
        when: z
          .enum(['now', 'task', 'resume'])
          .meta({ description: 'Since now, from its next task on, or once it is resumed.' }),
        warnings: z.array(z.string()),
      })
      .meta({ id: 'SwitchReply' }),
    errors: [
      'switch_interrupts',
      'switch_running',
      'switch_stopped',
      'role_not_switchable',
      'role_not_found',
      'role_invalid',
      'role_not_taskable',
      'launch_refused',
      'session_unknown',
    ],
  }),
  attach: contract({
    method: 'GET',
    path: '/attach',
    summary: 'Where the keeper of the agent is reached.',
    reply: z.strictObject({ keeper: card.extend({ directory: z.string() }) }).meta({ id: 'AttachReply' }),
  }),
} as const

const from = { agent: z.string(), session: z.string(), id: z.string().min(1).max(100) }

/** Only by the unix socket: what keepers say. */
export const keeper = {
  hook: contract({
    method: 'POST',
    path: '/hook',
    summary: 'A hook of a session, from its keeper. The same id is answered the same.',
    body: z.strictObject({
      ...from,
      event: z.string(),
      input: z.unknown().optional(),
      closed: z.string().optional().meta({ description: 'Nobody waits for it any more.' }),
    }),
    // What the CLI understands, as its driver spells it; no body at all is no opinion.
    reply: z.unknown(),
  }),
  telemetry: contract({
    method: 'POST',
    path: '/telemetry',
    summary: 'Telemetry of a session, from its keeper.',
    body: z.strictObject({ ...from, kind: z.string(), input: z.unknown() }),
    reply: z.strictObject({}),
  }),
} as const
