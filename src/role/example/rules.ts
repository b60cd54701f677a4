import { isTable } from '../../base/table/rules.ts'
import type { Call } from '../../permission/call/schema.ts'
import { type Foreseen, foresee } from '../../permission/decide/foresee/rules.ts'
import { pathsOf } from '../../permission/decide/rules.ts'
import type { Facts, State } from '../../permission/decide/schema.ts'
import { parseRule } from '../../permission/rule/rules.ts'
import { delegates, pathFields, shells } from '../../permission/tool/schema.ts'
import type { Role } from '../schema.ts'
import { type ExampleCall, type Outcome, outcomes } from './schema.ts'

export type Read = { readonly call: Call } | { readonly problem: string }

/** `{"tool":"Bash","input":{…}}`, or the words of Claude's own hooks. */
const readJson = (text: string): Read => {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return { problem: `${text} is not JSON` }
  }
  if (!isTable(value)) return { problem: `${text} is no call: it needs "tool" and "input"` }
  const tool = value.tool ?? value.tool_name
  const input = value.input ?? value.tool_input ?? {}
  if (typeof tool !== 'string' || tool === '' || !isTable(input))
    return { problem: `${text} is no call: it needs "tool" and "input"` }
  return { call: { tool, input } }
}

/** Which field of its input the text in parentheses stands for. */
const fieldOf = (tool: string): string | undefined => {
  if (shells.includes(tool)) return 'command'
  if (delegates.includes(tool)) return 'subagent_type'
  const more: Readonly<Record<string, string>> = { WebSearch: 'query', Skill: 'skill', WebFetch: 'url' }
  const fields = { ...pathFields, ...more }
  return Object.hasOwn(fields, tool) ? fields[tool] : undefined
}

/** A call as people write it: `Bash(git push)`, `Write(notes.md)`, `mcp__docs__search` or JSON. */
export const readCall = (text: string): Read => {
  if (text.trim().startsWith('{')) return readJson(text)
  const parsed = parseRule(text)
  if ('problem' in parsed) return parsed
  const { tool, pattern } = parsed.rule
  if (pattern === undefined) return { call: { tool, input: {} } }
  const field = fieldOf(tool)
  if (field === undefined)
    return { problem: `${tool} has no input that could stand in parentheses: write the call as JSON` }
  const value = tool === 'WebFetch' ? pattern.replace(/^domain:(.*)$/, 'https://$1/') : pattern
  return { call: { tool, input: { [field]: value } } }
}

export type Tried = {
  readonly example: string
  readonly expected: Outcome
  /** Absent where the example cannot be read. */
  readonly got?: Outcome
  readonly reason: string
  readonly passed: boolean
}

const shownOf = (example: ExampleCall): string =>
  typeof example === 'string' ? example : JSON.stringify(example)

/** Nothing is looked at, so that it comes to the same everywhere: a file is there unless the example says otherwise. */
const factsFor = (example: ExampleCall, call: Call, state: State): Facts => {
  const exists = typeof example === 'string' || example.exists !== false
  return Object.fromEntries(pathsOf(call, state.place).map((path) => [path, { exists, real: path }]))
}

export const reasonOf = ({ decision, native }: Foreseen): string => native?.reason ?? decision.by.reason

const tryOne = (role: Role, state: State, expected: Outcome, example: ExampleCall): Tried => {
  const shown = { example: shownOf(example), expected }
  const read = typeof example === 'string' ? readCall(example) : { call: example }
  if ('problem' in read) return { ...shown, reason: read.problem, passed: false }
  const foreseen = foresee(role, state, read.call, factsFor(example, read.call, state))
  const { verdict: got } = foreseen
  return { ...shown, got, reason: reasonOf(foreseen), passed: got === expected }
}

export const tryExamples = (role: Role, state: State): readonly Tried[] =>
  outcomes.flatMap((expected) =>
    (role.tests[expected] ?? []).map((example) => tryOne(role, state, expected, example)),
  )
