// Who asks, and for which route. Without a right to ask nobody learns what there is.
import type { IncomingMessage } from 'node:http'
import { fail } from '../../base/error/fail.ts'
import type { Log } from '../../base/log/open.ts'
import { notFound } from './check.ts'
import type { Found, Match, Table } from './router.ts'
import { type Door, headsOf, presented, refusalOf, segmentsOf } from './rules.ts'

export type App = {
  readonly door: Door
  readonly log: Log
  readonly isToken: (text: string) => boolean
  /** The table for a path, and what is left of the path for it. */
  readonly locate: (segments: readonly string[]) => { table: Table; rest: readonly string[] } | undefined
}

/** Whether the caller is known; throws for one who may not even ask. */
export const admit = (
  { door, isToken }: App,
  request: { readonly rawHeaders: readonly string[] },
): boolean => {
  const heads = headsOf(request.rawHeaders)
  const refusal = refusalOf(heads, door)
  if (refusal?.code === 'misdirected') fail('misdirected', { host: refusal.host, expected: refusal.expected })
  if (refusal?.code === 'foreign_page') fail('foreign_page', { header: refusal.header })
  if (refusal) fail('unauthorized', {})
  if (door.kind === 'socket') return true
  const token = presented(heads)
  if (token === undefined) return false
  return isToken(token) || fail('unauthorized', {})
}

const admitted = ({ door }: App, found: Found): Found =>
  found && 'route' in found && found.route.extra.socket && door.kind !== 'socket' ? undefined : found

export const find = (
  app: App,
  request: Pick<IncomingMessage, 'method'>,
  path: string,
  known: boolean,
): Match => {
  const segments =
    segmentsOf(path) ??
    fail('validation_error', { what: 'The path of the request is not a path, or a % in it is broken.' })
  const place = app.locate(segments)
  const found = admitted(app, place?.table.find(request.method ?? '', place.rest))
  // Without the token nobody learns which paths there are.
  if (!known && !(found && 'route' in found && found.route.extra.open)) fail('unauthorized', {})
  if (!place) return notFound(path, segments)
  const needsReady = found ? 'route' in found && found.route.extra.work : !place.table.whole()
  const closed = needsReady ? place.table.closed() : undefined
  if (closed) throw closed
  if (!found) return notFound(path)
  if ('route' in found) return found
  const { method = '' } = request
  return fail('method_not_allowed', { path, method, allowed: found.allowed.join(', ') })
}
