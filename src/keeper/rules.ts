// What a hook is answered. The keeper passes on what the host says and refuses by itself; it never allows.
import type { HookPolicy } from './schema.ts'

type Fields = Readonly<Record<string, unknown>>

export type Reply = { readonly status: 200 | 204 | 503; readonly body?: unknown }

/** `{reason}` in any text of the shape becomes the reason. */
const filled = (shape: unknown, reason: string): unknown => {
  if (typeof shape === 'string') return shape.replaceAll('{reason}', () => reason)
  if (Array.isArray(shape)) return shape.map((item) => filled(item, reason))
  if (typeof shape !== 'object' || shape === null) return shape
  return Object.fromEntries(Object.entries(shape).map(([key, value]) => [key, filled(value, reason)]))
}

const policyOf = (policy: HookPolicy, event: string) =>
  (Object.hasOwn(policy.events, event) ? policy.events[event] : undefined) ?? policy.otherwise

export const deadlineOf = (policy: HookPolicy, event: string): number => policyOf(policy, event).deadline

export const eventOf = (policy: HookPolicy, input: Fields): string | undefined => {
  const event = Object.hasOwn(input, policy.field) ? input[policy.field] : undefined
  return typeof event === 'string' && event !== '' ? event : undefined
}

/** Without a shape for it the refusal is a failure, which blocks wherever a hook can block. */
export const denialOf = (policy: HookPolicy, event: string, input: Fields, reason: string): Reply => {
  const denial = policyOf(policy, event).denials.find(({ when = {} }) =>
    Object.entries(when).every(([key, value]) => Object.hasOwn(input, key) && input[key] === value),
  )
  if (denial === undefined) return { status: 503, body: { error: reason } }
  return denial.body === null ? { status: 204 } : { status: 200, body: filled(denial.body, reason) }
}

/** What the host's answer means for a hook. `again` = it is not there yet. */
export type Heard =
  | { readonly kind: 'answer'; readonly text: string }
  | { readonly kind: 'none' }
  | { readonly kind: 'again' }
  | { readonly kind: 'refused'; readonly why: string }

const isObject = (text: string): boolean => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  } catch {
    // No JSON at all.
    return false
  }
}

export const heardOf = (status: number, text: string): Heard => {
  if (status === 204) return { kind: 'none' }
  if (status === 503) return { kind: 'again' }
  if (status !== 200) return { kind: 'refused', why: `the host answered ${status}` }
  return isObject(text)
    ? { kind: 'answer', text }
    : { kind: 'refused', why: 'the host answered something else than a JSON object' }
}
