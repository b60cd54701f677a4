// One decision on every call: each layer says what it thinks, the strictest wins, and each names its reason.
import { closing } from '../alias/rules.ts'
import type { Call, Other } from '../call/schema.ts'
import { isEverything, lackedFor, needOf, wordFor } from '../tool/rules.ts'
import { delegates, pathFields, shells } from '../tool/schema.ts'
import { abilityOpinion } from './ability/rules.ts'
import { allowing } from './allow/rules.ts'
import { ownTouched } from './own/rules.ts'
import {
  type Decision,
  type Facts,
  type Judged,
  type Layer,
  type Opinion,
  type State,
  verdicts,
} from './schema.ts'
import { type Read, reader, type Touch, touchOf } from './touch/rules.ts'

/** More files than one call names by hand; those beyond are not looked at, and the strictest is assumed of them. */
const mostPaths = 500

/** What was read of a call: its paths are asked for first, and it is decided later, perhaps by two roles. */
export type Seen = { readonly read: Read; readonly touch: Touch }

export const see = (call: Call, place: State['place']): Seen => {
  const read = reader()
  return { read, touch: touchOf(call, place, read) }
}

/** What has to be looked at before the call can be decided. */
export const pathsOf = (call: Call, place: State['place'], seen = see(call, place)): readonly string[] => {
  const { reads, writes, deletes } = seen.touch
  return [...new Set([...reads, ...writes, ...deletes].flatMap(({ paths }) => paths))].slice(0, mostPaths)
}

const none = (layer: Layer, reason: string): Opinion => ({ layer, verdict: 'none', reason })

/** A subagent works under the rules of whoever sends it, so without names there is nothing to be gained by it. */
const onDelegation = ({ name, capabilities }: Judged, { tool, input }: Call): Opinion | undefined => {
  const { can_delegate_to_roles: roles } = capabilities
  if (!delegates.includes(tool) || roles.length === 0) return undefined
  const wanted = typeof input.subagent_type === 'string' ? input.subagent_type : ''
  if (roles.includes(wanted.toLowerCase())) return undefined
  const who = wanted === '' ? 'nobody by name' : `"${wanted}"`
  return {
    layer: 'tools',
    verdict: 'deny',
    rule: 'can_delegate_to_roles',
    reason: `the role "${name}" delegates to ${roles.join(', ')}, not to ${who}`,
  }
}

const onTools = (role: Judged, call: Call): Opinion => {
  const [lacked] = lackedFor(role, call.tool)
  if (lacked === undefined)
    return onDelegation(role, call) ?? none('tools', 'the tool is offered to the role')
  const rule = wordFor(lacked)
  const reason = `the role "${role.name}" lacks ${rule}, which ${call.tool} needs`
  return { layer: 'tools', verdict: 'deny', rule, reason }
}

const onOwn = (state: State, call: Call, facts: Facts, touch: Touch): Opinion => {
  const text = shells.includes(call.tool) && typeof call.input.command === 'string' ? call.input.command : ''
  const found = ownTouched(state.place, facts, touch, text)
  if (found === undefined) return none('own', 'it touches nothing that agency or git outside obeys')
  const { what, shown, verb } = found
  const as = shown === what ? '' : ` (${shown})`
  const why = verb === 'write' ? 'it decides what runs outside of the agent' : 'that is for people'
  const reason = `no agent may ${verb} ${what}${as}: ${why}`
  return { layer: 'own', verdict: 'deny', rule: what, reason }
}

/** As it was asked, and as it really is: a link is no way around a rule. */
const spellings = (call: Call, state: State, facts: Facts, seen: Seen): readonly Call[] => {
  const field = Object.hasOwn(pathFields, call.tool) ? pathFields[call.tool] : undefined
  if (field === undefined) return [call]
  const reals = pathsOf(call, state.place, seen).flatMap((path) => facts[path]?.real ?? [])
  return [call, ...reals.map((real) => ({ ...call, input: { ...call.input, [field]: real } }))]
}

/** The CLI has these rules too, but its matcher is no boundary: another spelling of a command gets past it. */
const onRules = ({ permissions }: Judged, state: State, call: Call, facts: Facts, seen: Seen): Opinion => {
  const { read } = seen
  const calls = spellings(call, state, facts, seen)
  const names: readonly Other[] = [...calls, ...(state.others ?? [])]
  for (const rule of permissions.deny)
    for (const each of names) {
      const found = closing(rule, each, state.place, read)
      if (found === undefined) continue
      const doubt = found.match === 'yes' ? '' : `, as far as can be known: ${found.why}`
      return { layer: 'rules', verdict: 'deny', rule, reason: `the role denies ${rule}${doubt}` }
    }
  const rule = allowing(permissions.allow, calls, { place: state.place, read })
  if (rule !== undefined) return { layer: 'rules', verdict: 'allow', rule, reason: `the role allows ${rule}` }
  return none('rules', 'no rule of the role is about it')
}

const onSandbox = ({ capabilities }: Judged, { sandboxed }: State, held: readonly string[]): Opinion => {
  if (sandboxed)
    return none(
      'sandbox',
      held.length === 0 ? 'the tree is read-only' : `the tree is read-only: it cannot ${held[0]}`,
    )
  return none(
    'sandbox',
    isEverything(capabilities) ? 'the role has no limit that needs one' : 'it holds nothing here',
  )
}

export const strictest = (opinions: readonly Opinion[]): Opinion | undefined => {
  const rank = ({ verdict }: Opinion): number => verdicts.indexOf(verdict)
  return opinions.reduce<Opinion | undefined>(
    (best, each) => (best === undefined || rank(each) > rank(best) ? each : best),
    undefined,
  )
}

/** A server's tool that only reads may be told of any file. */
const touchFor = (role: Judged, call: Call, { touch }: Seen): Touch => {
  const reads = needOf(call.tool, role.tools).all.every((one) => one === 'read')
  return reads && call.tool.startsWith('mcp__') ? { ...touch, words: [] } : touch
}

export const decide = (
  role: Judged,
  state: State,
  call: Call,
  facts: Facts,
  seen: Seen = see(call, state.place),
): Decision => {
  const touch = touchFor(role, call, seen)
  const { opinion, held } = abilityOpinion(role, touch, facts, state, shells.includes(call.tool))
  const tools = onTools(role, call)
  const opinions: readonly Opinion[] = [
    tools,
    onOwn(state, call, facts, touch),
    opinion,
    onRules(role, state, call, facts, seen),
    state.gate ?? none('gate', 'no gate is about it'),
    state.budget ?? none('budget', 'no limit is reached'),
    onSandbox(role, state, held),
  ]
  const by = strictest(opinions) ?? tools
  return { verdict: by.verdict, by, opinions }
}
