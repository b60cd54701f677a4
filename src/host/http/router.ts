// Finds the route for a method and a path.
import type { AgencyError } from '../../base/error/fail.ts'
import { none, type Route } from './route.ts'

export type Match = { readonly route: Route; readonly params: Readonly<Record<string, string>> }
export type Found = Match | { readonly allowed: readonly string[] } | undefined

export type Table = {
  find(method: string, segments: readonly string[]): Found
  /** Why no new work is taken right now. */
  closed(): AgencyError | undefined
  /** False while some of its routes are not known yet, or never will be. */
  whole(): boolean
}

type Pattern = {
  readonly words: readonly string[]
  /** Where in the path the parameters are. */
  readonly holes: readonly number[]
  /** All of the answer for a path without parameters. */
  readonly bare: Match
}

const isParam = (word: string): boolean => word.startsWith(':')

const patternOf = (route: Route): Pattern => {
  const words = route.contract.path.slice(1).split('/')
  const holes = [...words.keys()].filter((at) => isParam(words[at] ?? ''))
  return { words, holes, bare: { route, params: none } }
}

const fits = ({ words }: Pattern, segments: readonly string[]): boolean =>
  words.length === segments.length &&
  words.every((word, at) => (isParam(word) ? segments[at] !== '' : word === segments[at]))

const matchOf = ({ words, holes, bare }: Pattern, segments: readonly string[]): Match => {
  if (holes.length === 0) return bare
  const params = holes.map((at) => [words[at]?.slice(1), segments[at] ?? ''])
  return { route: bare.route, params: Object.fromEntries(params) }
}

export const tableOf = (
  routes: readonly Route[],
  closed: Table['closed'] = () => undefined,
  whole: Table['whole'] = () => true,
): Table => {
  // A fixed word wins over a parameter in the same place.
  const patterns = routes.map(patternOf).sort((a, b) => a.holes.length - b.holes.length)
  const methodOf = ({ bare }: Pattern): string => bare.route.contract.method
  return {
    closed,
    whole,
    find: (method, segments) => {
      const pattern = patterns.find((one) => methodOf(one) === method && fits(one, segments))
      if (pattern) return matchOf(pattern, segments)
      const others = patterns.filter((one) => fits(one, segments))
      return others.length === 0 ? undefined : { allowed: [...new Set(others.map(methodOf))] }
    },
  }
}
