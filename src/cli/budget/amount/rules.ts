// `--turns +10`: how much more.
import { milliseconds } from '../../../base/duration/rules.ts'
import type { Measure } from '../../../budget/schema.ts'

export const options = {
  turns: 'turns',
  tokens: 'tokens',
  cost: 'cost_usd',
  'wall-time': 'wall_ms',
  runs: 'runs',
} as const satisfies Readonly<Record<string, Measure>>

export type OptionName = keyof typeof options

const examples: Readonly<Record<OptionName, string>> = {
  turns: '+10',
  tokens: '+100000',
  cost: '+2.50',
  'wall-time': '+30m',
  runs: '+1',
}

export type Read = { readonly value: number } | { readonly problem: string }

/** With its plus: without, it could be read as the new limit. */
export const readMore = (name: OptionName, text: string): Read => {
  const wrong = {
    problem: `--${name} is "${text}"; it must be + and how much more, such as ${examples[name]}`,
  }
  const [, written] = /^\+(.+)$/.exec(text) ?? []
  if (written === undefined) return wrong
  if (name === 'wall-time') {
    const value = milliseconds(written)
    return value > 0 ? { value } : wrong
  }
  const value = (name === 'cost' ? /^\d{1,9}(\.\d{1,6})?$/ : /^\d{1,12}$/).test(written) ? Number(written) : 0
  return value > 0 ? { value } : wrong
}
