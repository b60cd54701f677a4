// What the gate says to plain Claude Code, where no host decides.
import type { Gate, Stop } from '../../review/schema.ts'
import type { Reply } from '../command/rules.ts'
import type { Env } from './schema.ts'

/** `listener`: of a managed session. `silent`: the plugin in such a session, where the host decides. */
export type Way = 'listener' | 'silent' | 'embedded'

const isSet = (value: string | undefined): boolean => value !== undefined && value !== ''

export const wayOf = (env: Env): Way => {
  if (!isSet(env.AGENCY_HOOK) && !isSet(env.AGENCY_ACTOR)) return 'embedded'
  // Claude Code sets it for the hooks of a plugin only. They would tell the host everything twice.
  return isSet(env.CLAUDE_PLUGIN_ROOT) ? 'silent' : 'listener'
}

/** An answer of "allow" would skip Claude Code's own question, so no opinion is not even an empty object. */
export const silence: Reply = { exit: 0, stdout: '', stderr: '' }

const said = (json: Readonly<Record<string, unknown>>): Reply => ({
  exit: 0,
  stdout: JSON.stringify(json),
  stderr: '',
})

const specific = (event: string, own: Readonly<Record<string, unknown>>): Reply =>
  said({ hookSpecificOutput: { hookEventName: event, ...own } })

export const context = (event: string, text: string | undefined): Reply =>
  text === undefined ? silence : specific(event, { additionalContext: text })

export const deny = (reason: string): Reply =>
  specific('PreToolUse', { permissionDecision: 'deny', permissionDecisionReason: reason })

export const allow = (reason: string): Reply =>
  specific('PreToolUse', { permissionDecision: 'allow', permissionDecisionReason: reason })

export const block = (reason: string): Reply => said({ decision: 'block', reason })

export const gateReply = (gate: Gate): Reply => (gate.kind === 'pass' ? silence : deny(gate.reason))

export const stopReply = (stop: Exclude<Stop, { kind: 'review' }>): Reply => {
  if (stop.kind === 'block') return block(stop.reason)
  return stop.warning === undefined ? silence : said({ systemMessage: stop.warning })
}

/** Told at the start of a session, for whoever reviews it later. */
export const opinionsText = (programs: readonly string[]): string => {
  const found = programs.map((name) => `\`${name}\``).join(' and ')
  return programs.length === 0
    ? 'The review gate (roz): no program for a second opinion was found (codex, gemini).'
    : `The review gate (roz): for a second opinion a reviewer can ask ${found}.`
}

/** Only a reviewer at work counts: whatever else runs behind the turn does not make it one under review. */
export const reviewerIn = (tasks: unknown): boolean =>
  Array.isArray(tasks) &&
  tasks.some(
    (task: { agent_type?: unknown; status?: unknown } | null) =>
      task?.agent_type === reviewer && task.status === 'running',
  )

export const reviewer = 'roz:roz'
