// Which calls need a review first, and which approval lets one pass.
import { isTable } from '../../base/table/rules.ts'
import { closing } from '../../permission/alias/rules.ts'
import type { Call, Other, Place } from '../../permission/call/schema.ts'
import { allowing } from '../../permission/decide/allow/rules.ts'
import type { Opinion } from '../../permission/decide/schema.ts'
import { reader } from '../../permission/decide/touch/rules.ts'
import { shells } from '../../permission/tool/schema.ts'
import { type Approval, type Input, most, type Review, type Setting, skew } from '../schema.ts'

/** Any tool that runs a command line is stopped by what stops `Bash`. */
const spellings = (call: Call): readonly Call[] =>
  shells.includes(call.tool) && call.tool !== 'Bash' ? [call, { ...call, tool: 'Bash' }] : [call]

export type Gated = { readonly pattern: string; readonly why: string }

/**
 * undefined = no gate is about it. What cannot be decided is gated; what is skipped must be known to be only that.
 * `others`: the same call by other names; what a program nobody has found may be is skipped by its own name.
 */
export const gatedBy = (
  gates: Setting['gates'],
  call: Call,
  place: Place,
  others: readonly Other[] = [],
): Gated | undefined => {
  const read = reader()
  for (const pattern of gates.tools)
    for (const each of [...spellings(call), ...others] as readonly Other[]) {
      const found = closing(pattern, each, place, read)
      const named = each.unsure ? call : each
      if (found !== undefined && allowing(gates.skip, [named], { place, read }) === undefined)
        return { pattern, why: found.why }
    }
  return undefined
}

const reach = {
  session: 'for the whole session',
  prompt: 'until the next prompt',
  tool: 'for exactly this call, once',
} as const

/** What is said of a call before it is made. */
export const gateOpinion = (
  setting: Setting,
  call: Call,
  place: Place,
  others: readonly Other[] = [],
): Opinion | undefined => {
  const gated = gatedBy(setting.gates, call, place, others)
  if (gated === undefined) return undefined
  const { approval_scope: scope, approval_ttl_seconds: ttl } = setting.gates
  const who = setting.reviewer.kind === 'process' ? 'a process of its own' : 'the subagent roz:roz'
  const long = ttl === undefined ? '' : `, ${ttl} s at most`
  const reason = `it needs a review first, by ${who}; COMPLETE holds ${reach[scope]}${long}`
  return { layer: 'gate', verdict: 'ask', rule: gated.pattern, reason }
}

export const callOf = (tool: string, input: unknown): Call => ({ tool, input: isTable(input) ? input : {} })

/** The same text for the same value, whatever the order of its keys. */
export const canonical = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (!isTable(value)) return JSON.stringify(value) ?? 'null'
  const entries = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`)
  return `{${entries.join(',')}}`
}

/** `json` = the input as canonical JSON, after secrets were masked; the hash and the size are of all of it. */
export const kept = (json: string, sha256: string, size: number): Input =>
  json.length <= most.input
    ? { value: JSON.parse(json), sha256, size }
    : { value: json.slice(0, most.input), cut: true, sha256, size }

/** By both clocks: neither one that goes back, nor one that was ahead and is right again, makes it last longer. */
const isFresh = ({ at, since }: Approval, review: Review, { gates }: Setting, now: number): boolean => {
  if (at > now + skew) return false
  if (gates.approval_ttl_seconds === undefined) return true
  const ttl = gates.approval_ttl_seconds * 1000
  return now < at + ttl && Math.max(now, review.changed) < since + ttl
}

export const isBound = ({ approval }: Review, setting: Setting, tree: string | undefined): boolean =>
  !setting.bind_tree || (tree !== undefined && approval?.tree === tree)

/** Whether the approval of this review lets the call pass. */
export const isOpen = (
  review: Review,
  { call, input, tree }: { readonly call: string; readonly input: Input; readonly tree?: string | undefined },
  setting: Setting,
  now: number,
): boolean => {
  const { approval } = review
  if (approval === undefined || !isFresh(approval, review, setting, now)) return false
  if (!isBound(review, setting, tree)) return false
  switch (setting.gates.approval_scope) {
    case 'session':
      return approval.over !== true
    case 'prompt':
      return approval.turn === review.turn
    case 'tool':
      // The same call may be asked about twice, where the first answer was lost on its way.
      return (
        approval.input === input.sha256 &&
        (approval.used === undefined || (call !== '' && approval.used === call))
      )
  }
}
