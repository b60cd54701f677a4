import type { Answer, Call, HookEvent, HookPlace, HookRead } from '../../schema.ts'
import { findHeader, promptOrigin } from '../header/rules.ts'
import { mentions } from '../mention/rules.ts'
import { anyHookInput, type HookInput, type HookName, hookInputs, type Place } from './schema.ts'

const callOf = (input: HookInput<'PreToolUse'>): Call => ({
  id: input.tool_use_id,
  tool: input.tool_name,
  input: input.tool_input,
})

const lasted = (ms: number | undefined): { ms?: number } => (ms === undefined ? {} : { ms })

const prompted = (text: string) => {
  const header = findHeader(text)
  return { text, origin: promptOrigin(text), ...(header ? { header } : {}), reads: mentions(text) }
}

type Bare<E> = E extends HookEvent ? Omit<E, keyof HookPlace> : never
type Translate = { readonly [N in HookName]: (input: HookInput<N>) => Bare<HookEvent> }

const translate: Translate = {
  SessionStart: ({ source }) => ({ kind: 'session_started', source }),
  SessionEnd: ({ reason }) => ({ kind: 'session_ended', reason }),
  UserPromptSubmit: ({ prompt }) => ({ kind: 'prompted', ...prompted(prompt) }),
  PreToolUse: (input) => ({ kind: 'tool_asked', call: callOf(input) }),
  PostToolUse: (input) => ({ kind: 'tool_done', call: callOf(input), ...lasted(input.duration_ms) }),
  PostToolUseFailure: (input) => ({
    kind: 'tool_failed',
    call: callOf(input),
    error: input.error,
    interrupted: input.is_interrupt,
    ...lasted(input.duration_ms),
  }),
  PermissionRequest: (input) => ({
    kind: 'permission_asked',
    tool: input.tool_name,
    input: input.tool_input,
  }),
  PermissionDenied: (input) => ({ kind: 'permission_denied', call: callOf(input), reason: input.reason }),
  Stop: (input) => ({
    kind: 'turn_ended',
    again: input.stop_hook_active,
    last: input.last_assistant_message,
    background: input.background_tasks.map(({ id, type, description }) => ({ id, kind: type, description })),
  }),
  StopFailure: (input) => ({ kind: 'turn_failed', error: input.error, last: input.last_assistant_message }),
  SubagentStart: () => ({ kind: 'subagent_started' }),
  // Compacting runs a nameless subagent: its end is nobody's.
  SubagentStop: ({ agent_type, last_assistant_message: last, agent_transcript_path: record }) =>
    agent_type
      ? { kind: 'subagent_ended', last, ...(record === undefined ? {} : { record }) }
      : { kind: 'other', name: 'SubagentStop' },
  PreCompact: ({ trigger }) => ({ kind: 'compacting', trigger }),
  PostCompact: ({ trigger }) => ({ kind: 'compacted', trigger }),
  Notification: ({ notification_type: type, message: text }) => ({ kind: 'notified', type, text }),
  ConfigChange: ({ source, file_path: path }) => ({
    kind: 'config_changed',
    source,
    ...(path === undefined ? {} : { path }),
  }),
}

const placeOf = (input: Place): HookPlace => ({
  session: input.session_id,
  cwd: input.cwd,
  transcript: input.transcript_path,
  ...(input.prompt_id === undefined ? {} : { turn: input.prompt_id }),
  ...(input.permission_mode === undefined ? {} : { mode: input.permission_mode }),
  ...(input.agent_id ? { subagent: { id: input.agent_id, type: input.agent_type ?? '' } } : {}),
})

const known = (name: string): name is HookName => Object.hasOwn(hookInputs, name)

const parsed = <N extends HookName>(name: N, body: unknown): HookRead => {
  const read = hookInputs[name].safeParse(body)
  if (!read.success) {
    const [issue] = read.error.issues
    return { ok: false, name, problem: `${name}: ${issue?.path.join('.')}: ${issue?.message}` }
  }
  const input = read.data as HookInput<N>
  return { ok: true, event: { ...placeOf(input), ...translate[name](input) } as HookEvent }
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''
const isOptional = (value: unknown): boolean => value === undefined || typeof value === 'string'

/**
 * The hooks of every call, without the schema, which takes longer than all that is done with them. Only what it would
 * read is read here, and as it would; the rest is for the schema, which also says what is wrong.
 */
export const readCall = (body: unknown): HookRead | undefined => {
  const input = (body ?? {}) as Record<string, unknown>
  const { hook_event_name: name, duration_ms: ms } = input
  if (name !== 'PreToolUse' && name !== 'PostToolUse') return undefined
  const plain =
    isText(input.session_id) &&
    typeof input.transcript_path === 'string' &&
    typeof input.cwd === 'string' &&
    [input.prompt_id, input.permission_mode, input.agent_id, input.agent_type].every(isOptional) &&
    isText(input.tool_name) &&
    isText(input.tool_use_id) &&
    input.tool_input !== undefined &&
    (name === 'PreToolUse' || ms === undefined || (typeof ms === 'number' && Number.isFinite(ms)))
  if (!plain) return undefined
  const known = input as HookInput<'PostToolUse'>
  const told = name === 'PreToolUse' ? translate.PreToolUse(known) : translate.PostToolUse(known)
  return { ok: true, event: { ...placeOf(known), ...told } as HookEvent }
}

/** By the schema alone. */
export const readAny = (body: unknown): HookRead => {
  const place = anyHookInput.safeParse(body)
  if (!place.success)
    return { ok: false, problem: `not the input of a hook: ${place.error.issues[0]?.message}` }
  const name = place.data.hook_event_name
  if (known(name)) return parsed(name, body)
  return { ok: true, event: { ...placeOf(place.data), kind: 'other', name } }
}

export const readHook = (body: unknown): HookRead => readCall(body) ?? readAny(body)

const specific = (hookEventName: string, fields: object) => ({
  hookSpecificOutput: { hookEventName, ...fields },
})

const block = (answer: Answer): unknown =>
  answer.kind === 'deny' ? { decision: 'block', reason: answer.reason } : undefined

const warned = (answer: Answer): unknown =>
  answer.kind === 'none' && answer.warning !== undefined ? { systemMessage: answer.warning } : undefined

const context = (hookEventName: string, answer: Answer): unknown =>
  answer.kind === 'context' ? specific(hookEventName, { additionalContext: answer.text }) : undefined

const beforeTool = (answer: Answer): unknown => {
  if (answer.kind === 'none') return undefined
  if (answer.kind === 'context') return context('PreToolUse', answer)
  const reason = answer.kind === 'allow' ? {} : { permissionDecisionReason: answer.reason }
  const ends =
    answer.kind === 'deny' && answer.interrupt ? { continue: false, stopReason: answer.reason } : {}
  return { ...ends, ...specific('PreToolUse', { permissionDecision: answer.kind, ...reason }) }
}

/** `Bash(touch x)` as the CLI spells it in an answer. */
const ruleOf = (rule: string) => {
  const [, toolName = rule, ruleContent] = /^([^(]+)\(([\s\S]*)\)$/.exec(rule) ?? []
  return ruleContent === undefined ? { toolName } : { toolName, ruleContent }
}

const onPermission = (answer: Answer): unknown => {
  if (answer.kind === 'allow') {
    const { rules = [] } = answer
    const added = { type: 'addRules', rules: rules.map(ruleOf), behavior: 'allow', destination: 'session' }
    const updatedPermissions = rules.length === 0 ? {} : { updatedPermissions: [added] }
    return specific('PermissionRequest', { decision: { behavior: 'allow', ...updatedPermissions } })
  }
  // `ask` and no opinion are the same here: the dialog stays, or a headless call is denied.
  if (answer.kind !== 'deny') return undefined
  const interrupt = answer.interrupt ? { interrupt: true } : {}
  return specific('PermissionRequest', {
    decision: { behavior: 'deny', message: answer.reason, ...interrupt },
  })
}

/**
 * The body of an answer. `continue: false` is never used without a deny: the tool would still run. What an event cannot
 * be told is left out.
 */
export const answerHook = (event: HookEvent, answer: Answer): unknown => {
  switch (event.kind) {
    case 'tool_asked':
      return beforeTool(answer)
    case 'permission_asked':
      return onPermission(answer)
    case 'prompted':
      return block(answer) ?? context('UserPromptSubmit', answer)
    case 'tool_done':
      return block(answer) ?? context('PostToolUse', answer)
    case 'session_started':
      return context('SessionStart', answer)
    case 'turn_ended':
      return block(answer) ?? warned(answer)
    case 'subagent_ended':
    case 'config_changed':
      return block(answer)
    default:
      return undefined
  }
}
