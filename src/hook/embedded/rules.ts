// What the gate says to plain Claude Code, where no host decides.
import { shells } from '../../permission/tool/schema.ts'
import type { Gate, Setting, Stop } from '../../review/schema.ts'
import type { Reply } from '../command/rules.ts'
import { reviewer } from './event/rules.ts'
import type { Subagent } from './event/schema.ts'
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

/** A pattern for command lines, which no other tool has. */
const forShells = /^\s*Bash\s*(?:[:(]|$)/

/** Whether a call has to be looked at closely. Cheap, because most have not. */
export const mayConcern = (
  { gates }: Setting,
  { tool, input, subagent }: { readonly tool: string; readonly input: unknown; readonly subagent?: Subagent },
): boolean => {
  const shell = shells.includes(tool)
  if (subagent?.type === reviewer || gates.tools.some((pattern) => shell || !forShells.test(pattern)))
    return true
  const command = (input as { command?: unknown } | null)?.command
  return tool === 'Bash' && typeof command === 'string' && /roz|agency|h2/.test(command)
}

/** Told to the reviewer alone: by which words of its own it asks and decides, with no permission needed. */
export const reviewerText = (told: string, program: string, session: string): string =>
  [
    'The review gate:',
    told.replaceAll('roz decide ', `${program} decide `),
    'What the person asked for, and what was found before, is told by this:',
    `  ${program} context ${session}`,
  ].join('\n')

/** What the reviewer is told to type, as a shell takes it. */
export const quoted = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`

/**
 * A config.yaml as `init` makes it, with comments or without: every line is one that is known to be valid and to say
 * nothing of reviews. Whatever else is in it, a misspelled `review:` above all, has to be read and judged.
 */
export const isUntouched = (config: string): boolean =>
  config
    .split('\n')
    .every((line) => /^\s*(#.*)?$|^store: sqlite$|^host:$|^ {2}port: 0$|^ {2}log_level: info$/.test(line))
