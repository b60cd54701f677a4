// Which reply comes next. Shared with the scripted Messages API, so that both programs play alike.
import type { Call, Reply, Scenario } from './schema.ts'

/** How often each reply was given, by script. Counted for one session; it survives a resume. */
export type Given = readonly (readonly number[])[]

/** Said when no script matches, or all that match have nothing left. */
export const silence: Reply = { text: 'Nothing more to do.' }

const left = (reply: Reply, given: number): boolean => reply.times === 0 || given < (reply.times ?? 1)

export const next = (
  scenario: Scenario,
  given: Given,
  heard: { said: string; subagent: boolean },
): { reply: Reply; given: Given } => {
  for (const [at, script] of scenario.scripts.entries()) {
    if (script.match !== undefined && !heard.said.includes(script.match)) continue
    if (script.subagent !== undefined && script.subagent !== heard.subagent) continue
    const index = script.replies.findIndex((reply, i) => left(reply, given[at]?.[i] ?? 0))
    const reply = script.replies[index]
    if (!reply) continue
    const counted = scenario.scripts.map((each, s) =>
      each.replies.map((_, r) => (given[s]?.[r] ?? 0) + (s === at && r === index ? 1 : 0)),
    )
    return { reply, given: counted }
  }
  return { reply: silence, given }
}

export const usageOf = (reply: Reply): { input: number; output: number } =>
  reply.usage ?? { input: 100, output: 20 }

export const stopOf = (reply: Reply): string => reply.stop ?? (reply.calls?.length ? 'tool_use' : 'end_turn')

/** The pieces in which a text is streamed: `piece_delay_ms` passes before each but the first. */
export const pieces = (text: string): string[] => text.match(/[\s\S]{1,64}/g) ?? []

const hole = /\{\{heard:(.+?)\}\}/g

const filledIn = (value: unknown, told: string): unknown => {
  if (typeof value === 'string')
    return value.replace(
      hole,
      (_, pattern: string) => [...told.matchAll(new RegExp(pattern, 'g'))].at(-1)?.[1] ?? '',
    )
  if (Array.isArray(value)) return value.map((each) => filledIn(each, told))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, filledIn(each, told)]))
}

/** A model repeats in its calls what it was told: an id, a secret. */
export const filled = (reply: Reply, told: string): Reply =>
  reply.calls === undefined
    ? reply
    : {
        ...reply,
        calls: reply.calls.map((call) => ({ ...call, input: filledIn(call.input, told) as Call['input'] })),
      }
