// Reads a hook event by hand: the shapes of the driver would take longer to load than a hook may.
import { promptOrigin } from '../../../driver/claude/header/rules.ts'
import type { Json } from '../schema.ts'
import type { Event, Subagent } from './schema.ts'

export const reviewer = 'roz:roz'

export type Read = { readonly event: Event } | { readonly problem: string } | undefined

const text = (value: unknown): string => (typeof value === 'string' ? value : '')

const subagentOf = ({ agent_id: id, agent_type: type }: Json): { subagent?: Subagent } =>
  text(id) === '' ? {} : { subagent: { id: text(id), type: text(type) } }

/** Only a reviewer at work counts: whatever else runs behind the turn does not make it one under review. */
export const reviewerIn = (tasks: unknown): boolean =>
  Array.isArray(tasks) &&
  tasks.some(
    (task: { agent_type?: unknown; status?: unknown } | null) =>
      task?.agent_type === reviewer && task.status === 'running',
  )

type Deed = Event extends infer Each
  ? Each extends Event
    ? Omit<Each, 'session' | 'cwd' | 'subagent'>
    : never
  : never

const call = ({ tool_use_id: id, tool_name: tool }: Json) => ({ id: text(id), tool: text(tool) })

const deeds: Readonly<Record<string, (input: Json) => Deed>> = {
  SessionStart: ({ source }) => ({ kind: 'started', source: text(source) }),
  UserPromptSubmit: ({ prompt }) => ({
    kind: 'prompted',
    text: text(prompt),
    person: promptOrigin(text(prompt)) === 'person',
  }),
  PreToolUse: (input) => ({ kind: 'asked', ...call(input), input: input.tool_input }),
  PostToolUse: (input) => ({ kind: 'done', ...call(input), ok: true }),
  PostToolUseFailure: (input) => ({ kind: 'done', ...call(input), ok: false }),
  SubagentStart: () => ({ kind: 'spawned' }),
  SubagentStop: () => ({ kind: 'left' }),
  Stop: ({ stop_hook_active: again, background_tasks: tasks }) => ({
    kind: 'stopped',
    again: again === true,
    background: reviewerIn(tasks),
  }),
  SessionEnd: ({ reason }) => ({ kind: 'ended', reason: text(reason) }),
}

/** What an event cannot do without. */
const needed: Readonly<Record<string, readonly string[]>> = {
  UserPromptSubmit: ['prompt'],
  PreToolUse: ['tool_name', 'tool_use_id'],
}

/** A part of a name in the store. */
const named = /^[\w.-]{1,128}$/

/** undefined = an event that the gate has nothing to do with. */
export const readEvent = (name: string, input: Json): Read => {
  const deed = Object.hasOwn(deeds, name) ? deeds[name] : undefined
  if (deed === undefined) return undefined
  const missing = ['session_id', 'cwd', ...(needed[name] ?? [])].find((key) => typeof input[key] !== 'string')
  if (missing !== undefined) return { problem: `the hook input has no ${missing}` }
  const session = text(input.session_id)
  if (!named.test(session)) return { problem: 'the hook input has a session_id that is none' }
  return { event: { session, cwd: text(input.cwd), ...subagentOf(input), ...deed(input) } as Event }
}
