// What becomes of an approval. The agent's own dialog asks at the same time, and whoever is first wins there, so an
// answer that we give is only `sent` until the agent has told by whose it went on.
//
//   life       answer     clock      decided, ran          unrun                 closed   over
//   asked      sent       expired    confirmed: dialog     confirmed: dialog     gone     gone
//   sent       refused    -          confirmed: whoever    a deny is confirmed   -        gone
//   expired    refused    -          confirmed: whoever    receipt               -        -
//   gone       refused    -          confirmed: whoever    confirmed             -        -
//   confirmed  refused    -          better evidence of who, never another verdict        -
//
// One answer at most, and none after the time is over, whether or not the clock has struck. A late signal may say who
// won, it never opens a question again. Telemetry knows who decided; a call that ran only that somebody allowed it.

import { clip, oneLine } from '../base/text/rules.ts'
import { fact } from '../journal/rules.ts'
import type { Event, Fact } from '../journal/schema.ts'
import type { Answer, Approval, ApprovalSignal, Question, Receipt, Verdict } from './schema.ts'

export const isOpen = ({ life }: Approval): boolean => life === 'asked'

/** Nothing more is expected of it; `sent` still waits for its receipt. */
export const isSettled = ({ life }: Approval): boolean => life !== 'asked' && life !== 'sent'

export const isLate = ({ expires }: Approval, at: number): boolean => expires !== undefined && at >= expires

/** What was decided, as far as is known. */
export const verdictOf = ({ answer, receipt }: Approval): Verdict | undefined =>
  receipt?.verdict ?? answer?.verdict

export const expired: Omit<Answer, 'at'> = {
  verdict: 'deny',
  by: 'agency',
  via: 'expiry',
  reason: 'Nobody answered the request for permission in time.',
}

/** Whose answer it was, where nobody has said: ours if it is the same, else that of the dialog. */
const winner = ({ answer, terminal }: Approval, verdict: Verdict, person?: boolean): Receipt['won'] => {
  if (person) return 'dialog'
  if (answer?.verdict === verdict) return answer.via
  return person === undefined && terminal ? 'dialog' : 'other'
}

const confirm = (approval: Approval, receipt: Receipt): Approval => {
  const before = approval.receipt
  const better =
    receipt.by === 'telemetry' && before?.by !== 'telemetry' && before?.verdict === receipt.verdict
  if (before !== undefined && !better) return approval
  const { why: _why, ...rest } = approval
  return { ...rest, life: receipt.won === 'expiry' ? 'expired' : 'confirmed', receipt }
}

/** Its result may also say so because it was interrupted: only what agrees with our answer counts as one. */
const hearUnrun = (approval: Approval, at: number): Approval => {
  if (approval.answer?.verdict === 'allow') return approval
  return confirm(approval, { verdict: 'deny', won: winner(approval, 'deny'), by: 'result', at })
}

export const hear = (approval: Approval, signal: ApprovalSignal, at: number): Approval => {
  const { life } = approval
  switch (signal.from) {
    case 'answer':
      if (life !== 'asked' || isLate(approval, at)) return approval
      return { ...approval, life: 'sent', answer: { ...signal.answer, at } }
    case 'clock':
      if (life !== 'asked' || !isLate(approval, at)) return approval
      return { ...approval, life: 'expired', answer: { ...expired, at } }
    case 'decided': {
      const verdict = signal.accepted ? 'allow' : 'deny'
      const won = winner(approval, verdict, signal.person)
      return confirm(approval, { verdict, won, by: 'telemetry', at })
    }
    case 'ran':
      return confirm(approval, { verdict: 'allow', won: winner(approval, 'allow'), by: 'call', at })
    case 'unrun':
      return hearUnrun(approval, at)
    case 'closed':
      return life === 'asked' ? { ...approval, life: 'gone', why: 'the agent asks no more' } : approval
    case 'over':
      return life === 'asked' || life === 'sent' ? { ...approval, life: 'gone', why: signal.why } : approval
  }
}

const said: Readonly<Record<Verdict, string>> = { allow: 'allowed', deny: 'denied' }

/** `denied by ann`, `allowed in the dialog`: who won, as the loser is told. */
export const outcome = (approval: Approval): string => {
  const { answer, receipt, life, why } = approval
  const verdict = verdictOf(approval)
  if (verdict === undefined) return life === 'asked' ? 'nobody has answered' : (why ?? 'nobody waits for it')
  const won = receipt?.won ?? answer?.via
  if (won === 'dialog') return `${said[verdict]} in the dialog`
  if (won === 'other') return `${said[verdict]} by a rule of the agent’s program`
  if (won === 'expiry') return 'denied because nobody answered in time'
  return `${said[verdict]} by ${oneLine(answer?.by ?? 'somebody', 100)}`
}

/** What the agent is told of a refusal. */
export const refusalOf = ({ answer }: Approval): string => {
  const { by = 'a person', reason, via } = answer ?? {}
  const end = 'Retrying will not help: go on without it, or say what you need it for.'
  if (via === 'expiry') return `${expired.reason} ${end}`
  return `Denied by ${by}${reason ? `: ${reason}` : '.'} ${end}`
}

const strings = { kept: 10_000, masked: 20_000 }
const most = { items: 100, depth: 8, whole: 40_000 }

/** Bounds of what an agent can make us keep. */
const shorten = (value: unknown, limit: number, left: () => void, depth = 0): unknown => {
  if (typeof value === 'string') {
    if (value.length > limit) left()
    return clip(value, limit)
  }
  if (typeof value !== 'object' || value === null) return value
  const size = Array.isArray(value) ? value.length : Object.keys(value).length
  if (size > most.items || depth >= most.depth) left()
  if (depth >= most.depth) return '…'
  const inner = (one: unknown): unknown => shorten(one, limit, left, depth + 1)
  if (Array.isArray(value)) return value.slice(0, most.items).map(inner)
  const entries = Object.entries(value).slice(0, most.items)
  return Object.fromEntries(entries.map(([key, one]) => [clip(key, 200), inner(one)]))
}

/** Cut after it was masked, so that no half of a secret is left at an edge. */
export const shownInput = (
  input: unknown,
  mask: (text: string) => string,
): { readonly input: Question['input']; readonly cut?: true } => {
  const note = { cut: false }
  const left = (): void => {
    note.cut = true
  }
  const whole = typeof input === 'object' && input !== null && !Array.isArray(input) ? input : { input }
  const masked: unknown = JSON.parse(mask(JSON.stringify(shorten(whole, strings.masked, left))))
  const shown = shorten(masked, strings.kept, left) as Question['input']
  const text = JSON.stringify(shown)
  if (text.length > most.whole) return { input: { input: clip(text, strings.kept) }, cut: true }
  return { input: shown, ...(note.cut && { cut: true as const }) }
}

const telling = ['command', 'file_path', 'notebook_path', 'url', 'query', 'description', 'prompt'] as const

/** What it is about, on one line. */
export const gistOf = ({ input }: Pick<Approval, 'input'>, limit = 200): string => {
  const found = telling.map((key) => input[key]).find((value) => typeof value === 'string' && value !== '')
  return oneLine(typeof found === 'string' ? found : JSON.stringify(input), limit)
}

const plain = /^[^()*\\\n]{1,1000}$/
const files: Readonly<Record<string, string>> = {
  Write: 'Edit',
  Edit: 'Edit',
  NotebookEdit: 'Edit',
  Read: 'Read',
}

/**
 * The rule that allows exactly this call and no other; undefined where none can be written. A star or a bracket in the
 * text would make the rule mean more than was asked.
 */
export const ruleOf = (tool: string, input: Readonly<Record<string, unknown>>): string | undefined => {
  const { command, file_path: path, url } = input
  if (tool === 'Bash')
    return typeof command === 'string' && plain.test(command) ? `Bash(${command})` : undefined
  const kind = Object.hasOwn(files, tool) ? files[tool] : undefined
  if (kind !== undefined)
    return typeof path === 'string' && /^\/[^()*?[\]{}!\\\n]{1,1000}$/.test(path)
      ? `${kind}(/${path})`
      : undefined
  if (tool === 'WebFetch') {
    const host = typeof url === 'string' ? /^https?:\/\/([\w.-]+)(?:[:/?#]|$)/.exec(url)?.[1] : undefined
    return host === undefined ? undefined : `WebFetch(domain:${host})`
  }
  return /^mcp__[\w-]+$/.test(tool) ? tool : undefined
}

/** A call that a person has allowed for the whole session before, word by word. */
export const isRemembered = (past: readonly Approval[], session: string, rule: string | undefined): boolean =>
  rule !== undefined &&
  past.some(
    (one) =>
      one.session === session &&
      one.rule === rule &&
      one.answer?.always !== undefined &&
      verdictOf(one) === 'allow',
  )

const names = {
  asked: 'asked',
  sent: 'answered',
  confirmed: 'confirmed',
  expired: 'expired',
  gone: 'gone',
} as const

export const askFact = (approval: Approval): Fact => fact('approval.asked', approval.id, approval)

export const changeFact = (before: Approval, after: Approval): Fact | undefined => {
  if (before === after) return undefined
  const { id, life, answer, receipt, why } = after
  const progress = {
    life,
    ...(answer && { answer }),
    ...(receipt && { receipt }),
    ...(why !== undefined && { why }),
  }
  return fact(`approval.${names[life]}`, id, progress)
}

export const forgetFact = ({ id }: Approval): Fact => fact('approval.forgotten', id)

const changes = new Set(Object.values(names).map((name) => `approval.${name}`))

export const reduceApproval = (was: Approval | undefined, event: Event): Approval | undefined => {
  if (event.type === 'approval.asked') return event.data as Approval
  if (event.type === 'approval.forgotten') return undefined
  if (was === undefined || !changes.has(event.type)) return was
  const { answer: _answer, receipt: _receipt, why: _why, ...kept } = was
  return { ...kept, ...(event.data as Pick<Approval, 'life'>) }
}
