// How a keeper refuses Claude's hooks while nobody answers for it.
import type { HookPolicy } from '../../../keeper/schema.ts'
import { ways } from '../settings/rules.ts'

type Policy = HookPolicy['events'][string]
type Denials = Policy['denials']

/** The keeper must have answered before the CLI, or our command hook, gives up: both go on without an answer. */
const marginMs = 3_000
/** A week: as long as a person may be away. */
const longest = 604_800_000

const specific = (hookEventName: string, fields: Readonly<Record<string, unknown>>): Denials => [
  { body: { hookSpecificOutput: { hookEventName, ...fields } } as never },
]
const block: Denials[number] = { body: { decision: 'block', reason: '{reason}' } }
/** Once is enough: a turn that can never end would burn money while nobody listens. */
const blockOnce: Denials = [{ when: { stop_hook_active: true }, body: { systemMessage: '{reason}' } }, block]
const silence: Denials = [{ body: null }]

const denials: Readonly<Record<string, Denials>> = {
  PreToolUse: specific('PreToolUse', {
    permissionDecision: 'deny',
    permissionDecisionReason: '{reason}',
  }),
  PermissionRequest: specific('PermissionRequest', { decision: { behavior: 'deny', message: '{reason}' } }),
  UserPromptSubmit: [block],
  ConfigChange: [block],
  Stop: blockOnce,
  // No shape says "no" here: it is a failure, and the session counts as one that never reported.
  SessionStart: [],
}

export const hookPolicy = (holdSeconds: number): HookPolicy => ({
  whole: ['hook_event_name', 'session_id', 'transcript_path', 'cwd', 'prompt'],
  field: 'hook_event_name',
  events: Object.fromEntries(
    Object.entries(ways).map(([event, { seconds }]) => {
      const most = (seconds === 'hold' ? holdSeconds : seconds) * 1000 - marginMs
      const deadline = Math.min(Math.max(most, 1_000), longest)
      return [event, { deadline, denials: denials[event] ?? silence }]
    }),
  ),
  otherwise: { deadline: 5_000, denials: silence },
})
