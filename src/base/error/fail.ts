// The only way to raise an error that a user will read.
import { type Code, catalogue, type Facts } from './schema.ts'

export class AgencyError extends Error {
  override readonly name = 'AgencyError'
  constructor(
    readonly code: Code,
    readonly words: { message: string; safe: string; next: string },
    readonly status: number,
    readonly exit: 1 | 2,
    readonly details: Readonly<Record<string, string | number>>,
    readonly problems: readonly string[],
    cause?: unknown,
  ) {
    super(words.message, cause === undefined ? undefined : { cause })
  }
}

const fill = (text: string, facts: Readonly<Record<string, unknown>>): string =>
  text.replace(/\{(\w+)\}/g, (hole, name: string) => (name in facts ? String(facts[name]) : hole))

export const failure = <C extends Code>(code: C, facts: Facts<C>): AgencyError => {
  const entry = catalogue[code]
  const { problems = [], cause, ...details } = facts as Facts<C> & Record<string, string | number>
  const say = (text: string): string => fill(text, details)
  return new AgencyError(
    code,
    { message: say(entry.message), safe: say(entry.safe), next: say(entry.next) },
    entry.status,
    entry.exit,
    details as Record<string, string | number>,
    problems,
    cause,
  )
}

export const fail = <C extends Code>(code: C, facts: Facts<C>): never => {
  throw failure(code, facts)
}
