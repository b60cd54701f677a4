// Which calls need a review first, and which approval lets one pass.
import { isTable } from '../../base/table/rules.ts'
import type { Call, Place } from '../../permission/call/schema.ts'
import { allowing } from '../../permission/decide/allow/rules.ts'
import { reader } from '../../permission/decide/touch/rules.ts'
import { matchPattern } from '../../permission/match/rules.ts'
import { shells } from '../../permission/tool/schema.ts'
import { type Approval, type Input, most, type Review, type Setting, skew } from '../schema.ts'

/** Any tool that runs a command line is stopped by what stops `Bash`. */
const spellings = (call: Call): readonly Call[] =>
  shells.includes(call.tool) && call.tool !== 'Bash' ? [call, { ...call, tool: 'Bash' }] : [call]

export type Gated = { readonly pattern: string; readonly why: string }

/** undefined = no gate is about it. What cannot be decided is gated; what is skipped must be known to be only that. */
export const gatedBy = (gates: Setting['gates'], call: Call, place: Place): Gated | undefined => {
  if (gates.tools.length === 0) return undefined
  const read = reader()
  const calls = spellings(call)
  for (const pattern of gates.tools)
    for (const each of calls) {
      const { match, why } = matchPattern(pattern, each, place, read)
      if (match === 'no') continue
      const skipped = calls.some((one) => allowing(gates.skip, [one], { place, read }) !== undefined)
      return skipped ? undefined : { pattern, why }
    }
  return undefined
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

/** In time that never goes back, so that a clock which does cannot make an old approval young again. */
const isFresh = ({ at }: Approval, review: Review, { gates }: Setting, now: number): boolean => {
  const ttl = gates.approval_ttl_seconds
  if (at > now + skew) return false
  return ttl === undefined || Math.max(now, review.changed) < at + ttl * 1000
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
