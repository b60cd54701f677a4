// What Claude sends to a hook. Strict on what is used, deaf to the rest: every version adds fields.
import * as z from 'zod'

const place = z.looseObject({
  session_id: z.string().min(1),
  transcript_path: z.string(),
  cwd: z.string(),
  hook_event_name: z.string().min(1),
  prompt_id: z.string().optional(),
  permission_mode: z.string().optional(),
  agent_id: z.string().optional(),
  agent_type: z.string().optional(),
})
export type Place = z.infer<typeof place>

const input = z.unknown()
const call = { tool_name: z.string().min(1), tool_input: input, tool_use_id: z.string().min(1) }
const ms = z.number().optional()
const text = z.string().catch('')
const tasks = z
  .array(z.looseObject({ id: z.string(), type: text, description: text }))
  // A turn with background work that cannot be read must not look finished.
  .catch([{ id: 'unknown', type: 'unknown', description: '' }])
  .default([])

/** By event, each with the fields that every event has. */
export const hookInputs = {
  SessionStart: place.extend({ source: text }),
  SessionEnd: place.extend({ reason: text }),
  UserPromptSubmit: place.extend({ prompt: z.string() }),
  PreToolUse: place.extend(call),
  PostToolUse: place.extend({ ...call, duration_ms: ms }),
  PostToolUseFailure: place.extend({
    ...call,
    error: text,
    is_interrupt: z.boolean().catch(false),
    duration_ms: ms,
  }),
  PermissionRequest: place.extend({ tool_name: z.string().min(1), tool_input: input }),
  PermissionDenied: place.extend({ ...call, reason: text }),
  Stop: place.extend({
    stop_hook_active: z.boolean().catch(false),
    last_assistant_message: text,
    background_tasks: tasks,
  }),
  StopFailure: place.extend({ error: text, last_assistant_message: text }),
  SubagentStart: place,
  SubagentStop: place.extend({ last_assistant_message: text, agent_transcript_path: z.string().optional() }),
  PreCompact: place.extend({ trigger: text }),
  PostCompact: place.extend({ trigger: text }),
  Notification: place.extend({ notification_type: text, message: text }),
  ConfigChange: place.extend({ source: text, file_path: z.string().optional() }),
} as const

export const anyHookInput = place

export type HookName = keyof typeof hookInputs
export type HookInput<N extends HookName> = z.infer<(typeof hookInputs)[N]>
