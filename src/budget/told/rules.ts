// What people read of a budget.
import type { Opinion } from '../../permission/decide/schema.ts'
import { span } from '../../session/summary/rules.ts'
import type { Line } from '../rules.ts'
import type { Measure, Scope } from '../schema.ts'

/** What people call it, and what they type to have more of it. */
const words: Readonly<
  Record<Measure, { readonly name: string; readonly option: string; readonly some: string }>
> = {
  turns: { name: 'turns', option: 'turns', some: '+10' },
  tokens: { name: 'tokens', option: 'tokens', some: '+100000' },
  cost_usd: { name: 'at API prices', option: 'cost', some: '+1' },
  wall_ms: { name: 'of time', option: 'wall-time', some: '+30m' },
  runs: { name: 'runs', option: 'runs', some: '+1' },
}

export const nameOf = (measure: Measure): string => words[measure].option.replace('-', ' ')

export const shown = (measure: Measure, value: number): string => {
  if (measure === 'cost_usd') return `$${value < 0.1 ? value.toFixed(4) : value.toFixed(2)}`
  return measure === 'wall_ms' ? span(value) : String(Math.round(value))
}

export const whose = (scope: Scope): string => {
  const [kind = '', name = ''] = scope.split('/')
  return kind === 'root' ? 'all agents' : `the ${kind} ${name}`
}

/** `50 of 50 turns`, `$4.90 of $5.00 at API prices today, of all agents`. */
export const lineText = ({ scope, measure, per, used, of }: Line): string => {
  const day = per === 'day' ? ' today' : ''
  const owner = scope.startsWith('agent/') ? '' : `, of ${whose(scope)}`
  return `${shown(measure, used)} of ${shown(measure, of)} ${words[measure].name}${day}${owner}`
}

export const whoOf = (scope: Scope): string => scope.replace(/^agent\//, '')

/** What a person types to let it go on. */
export const adviceOf = ({ scope, measure }: Pick<Line, 'scope' | 'measure'>): string =>
  `agency budget raise ${whoOf(scope)} --${words[measure].option} ${words[measure].some}`

export const usedUp = (line: Line): string =>
  `its budget is used up (${lineText(line)}); a person can let it go on with \`${adviceOf(line)}\``

export const opinionOf = (line: Line): Opinion => ({
  layer: 'budget',
  verdict: 'deny',
  rule: nameOf(line.measure),
  reason: usedUp(line),
})

/** For lists: what is used of a limit that is near or reached. */
export const noticeOf = (line: Line): string =>
  line.level === 'reached' ? `budget used up: ${lineText(line)}` : `budget: ${lineText(line)}`
