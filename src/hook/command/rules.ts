// What the command hook says when nobody else can. Claude Code lets a tool run when its hook fails, so every
// failure here is turned into a refusal in the shape that the event understands.
type Json = Record<string, unknown>

/** Where a hook can say no, and how. All other events only tell what happened. */
const gates: Readonly<Record<string, (reason: string, input: Json) => Reply>> = {
  PreToolUse: (reason) =>
    shaped('PreToolUse', { permissionDecision: 'deny', permissionDecisionReason: reason }),
  // Exit 2 is no refusal here: Claude Code would go on to its own dialog.
  PermissionRequest: (reason) =>
    shaped('PermissionRequest', { decision: { behavior: 'deny', message: reason } }),
  UserPromptSubmit: (reason) => blocked(reason),
  ConfigChange: (reason) => blocked(reason),
  // Once is enough: a session that can never end would burn money while nobody listens.
  Stop: (reason, input) => (input.stop_hook_active === true ? told(reason) : blocked(reason)),
  SubagentStop: (reason, input) => (input.stop_hook_active === true ? told(reason) : blocked(reason)),
  SessionStart: (reason) => ({ exit: 2, stdout: '', stderr: reason }),
}

const observed = `PostToolUse PostToolUseFailure PostToolBatch Notification UserPromptExpansion SessionEnd
  StopFailure SubagentStart PreCompact PostCompact PreModelSwitch PostModelSwitch PermissionDenied Setup
  TeammateIdle TaskCreated TaskCompleted Elicitation ElicitationResult WorktreeCreate WorktreeRemove
  InstructionsLoaded CwdChanged FileChanged DirectoryAdded MessageDisplay`.split(/\s+/)

/** What the program prints and how it exits: 0 or 2, never 1, which Claude Code takes for "go on". */
export type Reply = { exit: 0 | 2; stdout: string; stderr: string }

const said = (json: Json): Reply => ({ exit: 0, stdout: JSON.stringify(json), stderr: '' })
const shaped = (event: string, own: Json): Reply =>
  said({ hookSpecificOutput: { hookEventName: event, ...own } })
const blocked = (reason: string): Reply => said({ decision: 'block', reason })
const told = (reason: string): Reply => said({ systemMessage: reason })

/** `pre-tool-use` or `PreToolUse`, and roz's `user-prompt`; undefined = no event of Claude Code. */
export const eventOf = (word: string | undefined): string | undefined => {
  const whole = word === 'user-prompt' ? 'user-prompt-submit' : (word ?? '')
  const name = whole.replace(/(^|-)([a-z])/g, (_, _dash, letter: string) => letter.toUpperCase())
  return Object.hasOwn(gates, name) || observed.includes(name) ? name : undefined
}

/** Fails closed. An event that decides nothing fails silently on stdout: the work must not suffer. */
export const refuse = (event: string | undefined, why: string, input: Json = {}): Reply => {
  const reason = `agency could not check this: ${why}. Nothing was allowed; retrying will not help until agency answers again.`
  if (event === undefined) return { exit: 2, stdout: '', stderr: reason }
  const gate = gates[event]
  return gate ? gate(reason, input) : { exit: 0, stdout: '', stderr: why }
}

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The input as an object, or what is wrong with it. */
export const readInput = (event: string, text: string): { input: Json } | { problem: string } => {
  if (text.trim() === '') return { problem: 'the hook input is empty' }
  let input: unknown
  try {
    input = JSON.parse(text)
  } catch {
    return { problem: 'the hook input is not valid JSON' }
  }
  if (!isObject(input)) return { problem: 'the hook input is not a JSON object' }
  const named = input.hook_event_name
  if (named !== undefined && named !== event) return { problem: `the hook input is not for ${event}` }
  if (event !== 'PreToolUse' && event !== 'PermissionRequest') return { input }
  if (!isObject(input.tool_input)) return { problem: 'the hook input has no tool_input' }
  if (typeof input.tool_name !== 'string' || input.tool_name === '')
    return { problem: 'the hook input has no tool_name' }
  return { input }
}

const allowed: Readonly<Record<string, readonly unknown[]>> = {
  permissionDecision: [undefined, 'allow', 'deny', 'ask', 'defer'],
  behavior: ['allow', 'deny'],
  decision: [undefined, 'block', 'approve'],
}

/** Claude Code ignores an answer that it does not understand, so it is checked before it is passed on. */
const understood = (event: string, answer: Json): boolean => {
  const own = answer.hookSpecificOutput
  if (!allowed.decision?.includes(answer.decision)) return false
  if (own === undefined) return true
  if (!isObject(own) || own.hookEventName !== event) return false
  if (event === 'PreToolUse') return allowed.permissionDecision?.includes(own.permissionDecision) ?? false
  if (event !== 'PermissionRequest' || own.decision === undefined) return true
  return isObject(own.decision) && (allowed.behavior?.includes(own.decision.behavior) ?? false)
}

export type Heard = { status: number; body: string }

/** 204 = no opinion; 200 with an answer Claude Code understands is passed on; all else is a refusal. */
export const passOn = (event: string, { status, body }: Heard, input: Json): Reply => {
  if (status === 204) return { exit: 0, stdout: '', stderr: '' }
  if (status !== 200) return refuse(event, `the listener answered ${status}`, input)
  let answer: unknown
  try {
    answer = JSON.parse(body)
  } catch {
    return refuse(event, 'the listener did not answer in JSON', input)
  }
  if (!isObject(answer) || !understood(event, answer))
    return refuse(event, 'the listener gave an answer that Claude Code would ignore', input)
  return said(answer)
}

export type Target = { host: string; port: number; path: string } | { socket: string; path: string }

/** `http://127.0.0.1:4000/hook`, or the absolute path of a unix socket. */
export const targetOf = (text: string | undefined): Target | undefined => {
  if (text?.startsWith('/')) return { socket: text, path: '/hook' }
  const [, host, port, path] =
    /^http:\/\/([\w.-]+|\[[\da-f:]+\]):(\d{1,5})(\/[^\s]*)?$/i.exec(text ?? '') ?? []
  if (host === undefined || Number(port) > 65_535) return undefined
  return { host: host.replace(/[[\]]/g, ''), port: Number(port), path: path ?? '/' }
}

/**
 * One answer of HTTP/1.1; undefined = not whole, or no HTTP at all. `closed` says that no more will come, which ends
 * a body without a length. It is not waited for otherwise: a listener may keep the connection.
 */
export const parseHttp = (raw: string, closed: boolean): Heard | undefined => {
  const cut = raw.indexOf('\r\n\r\n')
  const [, code] = /^HTTP\/1\.[01] (\d{3})/.exec(raw) ?? []
  if (cut < 0 || code === undefined) return undefined
  const head = raw.slice(0, cut)
  const rest = raw.slice(cut + 4)
  const status = Number(code)
  if (status < 200) return parseHttp(rest, closed)
  if (status === 204) return { status, body: '' }
  if (/^transfer-encoding:.*chunked/im.test(head)) {
    const body = unchunk(rest)
    return body === undefined ? undefined : { status, body }
  }
  const [, length] = /^content-length:\s*(\d+)\s*$/im.exec(head) ?? []
  if (length === undefined) return closed ? { status, body: rest } : undefined
  return rest.length < Number(length) ? undefined : { status, body: rest.slice(0, Number(length)) }
}

const unchunk = (raw: string): string | undefined => {
  let body = ''
  let at = 0
  for (;;) {
    const line = raw.indexOf('\r\n', at)
    const size = Number.parseInt(raw.slice(at, line), 16)
    if (line < 0 || Number.isNaN(size)) return undefined
    if (size === 0) return body
    const from = line + 2
    if (raw.length < from + size + 2) return undefined
    body += raw.slice(from, from + size)
    at = from + size + 2
  }
}
