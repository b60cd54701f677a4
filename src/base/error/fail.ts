// The only way to raise an error that a user will read.
import { clip } from '../text/rules.ts'
import { type Code, catalogue, type Detail, type Facts } from './schema.ts'

export class AgencyError extends Error {
  override readonly name = 'AgencyError'
  constructor(
    readonly code: Code,
    readonly words: { message: string; safe: string; next: string },
    readonly status: number,
    readonly exit: 1 | 2,
    readonly details: Readonly<Record<string, Detail>>,
    readonly problems: readonly string[],
    cause?: unknown,
  ) {
    super(words.message, cause === undefined ? undefined : { cause })
  }
}

const fill = (text: string, facts: Readonly<Record<string, unknown>>): string =>
  text.replace(/\{(\w+)\}/g, (hole, name: string) => (name in facts ? String(facts[name]) : hole))

// An error is for reading: what others sent is quoted, not sent back whole.
const factLimit = 1000
const problemLimit = 50

const shortened = (facts: Readonly<Record<string, Detail>>): Record<string, Detail> =>
  Object.fromEntries(
    Object.entries(facts).map(([name, fact]) => [
      name,
      typeof fact === 'string' ? clip(fact, factLimit) : fact,
    ]),
  )

const fewer = (problems: readonly string[]): readonly string[] => {
  const shown = problems.slice(0, problemLimit).map((problem) => clip(problem, factLimit))
  const left = problems.length - shown.length
  return left === 0 ? shown : [...shown, `… and ${left} more`]
}

export const failure = <C extends Code>(code: C, facts: Facts<C>): AgencyError => {
  const entry = catalogue[code]
  const { problems = [], cause, also = {}, ...given } = facts as Facts<C> & Record<string, Detail>
  const details = shortened({ ...(given as Record<string, Detail>), ...also })
  const say = (text: string): string => fill(text, details)
  return new AgencyError(
    code,
    { message: say(entry.message), safe: say(entry.safe), next: say(entry.next) },
    entry.status,
    entry.exit,
    details,
    fewer(problems),
    cause,
  )
}

export const fail = <C extends Code>(code: C, facts: Facts<C>): never => {
  throw failure(code, facts)
}
