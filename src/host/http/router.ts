// Finds the route for a method and a path.
import type { AgencyError } from '../../base/error/fail.ts'
import type { Route } from './route.ts'

export type Found =
  | { readonly route: Route; readonly params: Readonly<Record<string, string>> }
  | { readonly allowed: readonly string[] }
  | undefined

export type Table = {
  find(method: string, segments: readonly string[]): Found
  /** Why no new work is taken right now. */
  closed(): AgencyError | undefined
  /** False while some of its routes are not known yet, or never will be. */
  whole(): boolean
}

type Pattern = { readonly route: Route; readonly words: readonly string[] }

const isParam = (word: string): boolean => word.startsWith(':')
const paramsIn = ({ words }: Pattern): number => words.filter(isParam).length

const fits = ({ words }: Pattern, segments: readonly string[]): boolean =>
  words.length === segments.length &&
  words.every((word, at) => (isParam(word) ? segments[at] !== '' : word === segments[at]))

const paramsOf = ({ words }: Pattern, segments: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    words.flatMap((word, at) => (isParam(word) ? [[word.slice(1), segments[at] ?? '']] : [])),
  )

export const tableOf = (
  routes: readonly Route[],
  closed: Table['closed'] = () => undefined,
  whole: Table['whole'] = () => true,
): Table => {
  const patterns = routes
    .map((route): Pattern => ({ route, words: route.contract.path.slice(1).split('/') }))
    // A fixed word wins over a parameter in the same place.
    .sort((a, b) => paramsIn(a) - paramsIn(b))
  return {
    closed,
    whole,
    find: (method, segments) => {
      const fitting = patterns.filter((pattern) => fits(pattern, segments))
      const pattern = fitting.find(({ route }) => route.contract.method === method)
      if (pattern) return { route: pattern.route, params: paramsOf(pattern, segments) }
      return fitting.length === 0
        ? undefined
        : { allowed: [...new Set(fitting.map(({ route }) => route.contract.method))] }
    },
  }
}
