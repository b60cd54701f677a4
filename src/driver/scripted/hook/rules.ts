// What a hook's answer means, event by event. Claude Code fails open: a failure is "no opinion" unless its
// entry says `onFailure: block`.
import type { Entry } from '../settings/schema.ts'

export type Json = Record<string, unknown>
export type Decision = 'allow' | 'ask' | 'defer' | 'deny'

/** What came back from one hook. */
export type Raw =
  | { kind: 'exit'; code: number; stdout: string; stderr: string }
  | { kind: 'http'; status: number; body: string }
  | { kind: 'failed'; why: string }

export type Answer = {
  decision?: Decision
  reason?: string
  /** Blocked, and why. Means another thing for each event. */
  block?: string
  /** `continue: false`. */
  stop?: string
  context?: string
  /** Shown to the person, not told to the model. */
  message?: string
  input?: Json
  output?: unknown
  interrupt?: boolean
  permissions?: Json[]
  first?: string
  failed?: string
}

export const labelOf = (entry: Entry): string => entry.command ?? entry.url ?? entry.type

const record = (value: unknown): Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {}
const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)
const put = <K extends keyof Answer>(key: K, value: Answer[K] | undefined): Answer =>
  value === undefined ? {} : ({ [key]: value } as Answer)

const decisions: readonly string[] = ['allow', 'ask', 'defer', 'deny']
/** Plain text on stdout reaches the model here; elsewhere it is only shown. */
const speaks: readonly string[] = ['UserPromptSubmit', 'SessionStart', 'UserPromptExpansion']
/** Exit 2 blocks nothing here. */
const unblockable: readonly string[] = [
  'PermissionRequest',
  'SessionStart',
  'SessionEnd',
  'Notification',
  'StopFailure',
]
/** `onFailure: block` is ignored by these. */
const open: readonly string[] = ['Stop', 'SubagentStop', 'SessionStart', 'SessionEnd']

const asked = (specific: Json): Answer => {
  const decision = record(specific.decision)
  const behavior = text(decision.behavior)
  if (behavior === undefined) return {}
  if (behavior !== 'allow' && behavior !== 'deny') return { failed: `unknown behavior ${behavior}` }
  return {
    decision: behavior,
    ...put('reason', text(decision.message)),
    ...put('interrupt', decision.interrupt === true ? true : undefined),
    ...put('input', decision.updatedInput === undefined ? undefined : record(decision.updatedInput)),
    ...put(
      'permissions',
      Array.isArray(decision.updatedPermissions) ? decision.updatedPermissions : undefined,
    ),
  }
}

const gated = (specific: Json): Answer => {
  const decision = text(specific.permissionDecision)
  if (decision !== undefined && !decisions.includes(decision))
    return { failed: `unknown decision ${decision}` }
  return {
    ...put('decision', decision as Decision | undefined),
    ...put('reason', text(specific.permissionDecisionReason)),
    ...put('input', specific.updatedInput === undefined ? undefined : record(specific.updatedInput)),
  }
}

const spoken = (event: string, body: string): Answer => {
  let json: Json
  try {
    json = record(JSON.parse(body))
  } catch {
    return { failed: 'output is not valid JSON' }
  }
  const specific = record(json.hookSpecificOutput)
  if (json.hookSpecificOutput !== undefined && specific.hookEventName !== event)
    return { failed: `hookEventName is not ${event}` }
  if (json.decision !== undefined && json.decision !== 'block' && json.decision !== 'approve')
    return { failed: `unknown decision ${String(json.decision)}` }
  const own = event === 'PreToolUse' ? gated(specific) : event === 'PermissionRequest' ? asked(specific) : {}
  if (own.failed) return own
  return {
    ...put('context', text(specific.additionalContext)),
    ...put('output', specific.updatedToolOutput),
    ...put('message', text(json.systemMessage)),
    ...put('first', text(specific.initialUserMessage)),
    ...put('stop', json.continue === false ? (text(json.stopReason) ?? '') : undefined),
    ...put('block', json.decision === 'block' ? (text(json.reason) ?? '') : undefined),
    ...put('decision', json.decision === 'approve' && event === 'PreToolUse' ? 'allow' : undefined),
    ...own,
  }
}

const meaning = (event: string, raw: Raw): Answer => {
  if (raw.kind === 'failed') return { failed: raw.why }
  if (raw.kind === 'http') {
    if (raw.status < 200 || raw.status > 299) return { failed: `HTTP ${raw.status}` }
    return raw.body.trim() === '' ? {} : spoken(event, raw.body)
  }
  if (raw.code === 2) return unblockable.includes(event) ? {} : { block: raw.stderr.trim() }
  if (raw.code !== 0) return { failed: `exit ${raw.code}` }
  const said = raw.stdout.trim()
  if (said.startsWith('{')) return spoken(event, said)
  return said !== '' && speaks.includes(event) ? { context: said } : {}
}

export const interpret = (event: string, entry: Entry, raw: Raw): Answer => {
  const answer = meaning(event, raw)
  if (!answer.failed || entry.onFailure !== 'block' || open.includes(event)) return answer
  const why = `[${labelOf(entry)}]: failed; blocking because onFailure is "block"`
  return event === 'PermissionRequest' ? { decision: 'deny', reason: why } : { block: why }
}

const strictness: readonly Decision[] = ['allow', 'ask', 'defer', 'deny']

const stricter = (one: Answer, two: Answer): Answer =>
  strictness.indexOf(two.decision ?? 'allow') > strictness.indexOf(one.decision ?? 'allow') || !one.decision
    ? two
    : one

const both = (one: Answer, two: Answer): Answer => {
  const { decision, reason } = stricter(one, two)
  const context = [one.context, two.context].filter((each) => each !== undefined).join('\n')
  return {
    ...one,
    ...two,
    ...put('decision', decision),
    ...put('reason', reason),
    ...put('block', one.block ?? two.block),
    ...put('stop', one.stop ?? two.stop),
    ...put('context', context === '' ? undefined : context),
  }
}

/** Several hooks at once: the strictest decision wins, texts add up. */
export const fold = (answers: readonly Answer[]): Answer => answers.reduce(both, {})

/** Exact names, `A|B`, a regular expression when it has such characters; nothing or `*` = all. */
export const matches = (matcher: string, subject: string): boolean => {
  if (matcher === '' || matcher === '*') return true
  const names = subject === 'Agent' ? ['Agent', 'Task'] : [subject]
  if (/^[\w:|, -]+$/.test(matcher)) return matcher.split(/[|,]/).some((name) => names.includes(name.trim()))
  try {
    const pattern = new RegExp(`^(?:${matcher})$`)
    return names.some((name) => pattern.test(name))
  } catch {
    return false
  }
}

/** These ignore their matchers. */
const unmatched: readonly string[] = ['Stop', 'UserPromptSubmit', 'PostToolBatch', 'MessageDisplay']

/** What a matcher is held against; undefined = the event has none, every matcher fits. */
export const subjectOf = (event: string, fields: Json): string | undefined => {
  if (unmatched.includes(event)) return undefined
  const subject =
    fields.tool_name ??
    fields.source ??
    fields.trigger ??
    fields.notification_type ??
    fields.agent_type ??
    fields.reason
  return typeof subject === 'string' ? subject : undefined
}

/** `allowedHttpHookUrls`: whole addresses, with `*` for any part. */
export const addressed = (allowed: readonly string[] | undefined, url: string): boolean =>
  allowed?.some((pattern) =>
    new RegExp(
      `^${pattern
        .split('*')
        .map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'))
        .join('.*')}$`,
    ).test(url),
  ) ?? true

/** `$NAME` and `${NAME}`; a variable that is not allowed becomes empty. */
export const substitute = (
  value: string,
  allowed: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): string =>
  value.replace(/\$(?:\{(\w+)\}|(\w+))/g, (_, braced?: string, bare?: string) => {
    const name = braced ?? bare ?? ''
    return allowed.includes(name) ? (env[name] ?? '') : ''
  })
