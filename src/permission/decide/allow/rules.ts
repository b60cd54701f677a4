// Which rules let a call pass without a question. What closes a door fits if any part of a line does; what opens one
// must fit all of it.
import { remembered } from '../../../base/memo/rules.ts'
import { inQuotes } from '../../../base/shell/rules.ts'
import type { Call, Place } from '../../call/schema.ts'
import { matchPattern } from '../../match/rules.ts'
import { parseRule } from '../../rule/rules.ts'
import type { Command } from '../../shell/schema.ts'
import { textOf } from '../gather/rules.ts'
import type { Read } from '../touch/rules.ts'

type At = { readonly place: Place; readonly read: Read }

const fits = (rule: string, call: Call, { place, read }: At): boolean =>
  matchPattern(rule, call, place, read).match === 'yes'

const isWhole = remembered((rule): boolean => {
  const parsed = parseRule(rule)
  return 'rule' in parsed && (parsed.rule.pattern === undefined || /^[:*]+$/.test(parsed.rule.pattern))
})

/** As a line of its own; undefined = some of it is not known. */
const lineOf = ({ words, open }: Command): string | undefined => {
  const texts = words.map(textOf)
  return open || texts.includes(undefined) ? undefined : texts.map((text) => inQuotes(text ?? '')).join(' ')
}

/** Each of its commands by one of the rules; undefined = they do not cover it. */
const forLine = (rules: readonly string[], call: Call, command: string, at: At): string | undefined => {
  const { commands, doubts } = at.read(command)
  if (doubts.length > 0 || commands.length === 0) return undefined
  const used = new Set<string>()
  for (const each of commands) {
    const line = lineOf(each)
    const rule =
      line === undefined
        ? undefined
        : rules.find((one) => fits(one, { ...call, input: { ...call.input, command: line } }, at))
    if (rule === undefined) return undefined
    used.add(rule)
  }
  return [...used].join(', ')
}

/** The rule, or the rules, that allow every spelling of a call. */
export const allowing = (rules: readonly string[], calls: readonly Call[], at: At): string | undefined => {
  const [call] = calls
  if (call === undefined) return undefined
  const { command } = call.input
  const whole = rules.find((rule) => isWhole(rule) && fits(rule, call, at))
  if (whole !== undefined) return whole
  if (call.tool === 'Bash') return typeof command === 'string' ? forLine(rules, call, command, at) : undefined
  return rules.find((rule) => calls.every((each) => fits(rule, each, at)))
}
