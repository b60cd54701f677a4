// Who may come in. A web page can make a browser send anything to loopback, so the door looks at what
// the browser cannot forge: Host, Origin, Referer, Sec-Fetch-Site. Doubt is refusal.

export type Door = { readonly kind: 'socket' } | { readonly kind: 'port'; readonly port: number }

/** The headers the door judges; each value is every line sent under that name. */
export type Heads = Readonly<Record<Judged, readonly string[]>>
const judged = ['host', 'origin', 'referer', 'sec-fetch-site', 'authorization'] as const
type Judged = (typeof judged)[number]

const judges = (name: string): name is Judged => (judged as readonly string[]).includes(name)

/** Shared: most requests have one line or none of each. */
const absent: string[] = []

export const headsOf = (raw: readonly string[]): Heads => {
  const heads: Record<Judged, string[]> = {
    host: absent,
    origin: absent,
    referer: absent,
    'sec-fetch-site': absent,
    authorization: absent,
  }
  for (let at = 0; at < raw.length; at += 2) {
    const [name, line] = [(raw[at] ?? '').toLowerCase(), raw[at + 1] ?? '']
    if (!judges(name)) continue
    if (heads[name] === absent) heads[name] = [line]
    else heads[name].push(line)
  }
  return heads
}

/** Our own clients' first: it is looked for on every request. */
const loopback = ['127.0.0.1', 'localhost', '[::1]']

/** Compared whole, never by prefix: `127.evil.com` starts like loopback. */
const isOurs = (host: string, door: Door): boolean => {
  const value = host.toLowerCase()
  return door.kind === 'port'
    ? loopback.some((name) => value === `${name}:${door.port}`)
    : loopback.includes(value.replace(/:\d{1,5}$/, ''))
}

/** A typed address says `none`; a page of our own would be `same-origin`. */
const fromElsewhere = (site: string): boolean => site !== 'none' && site !== 'same-origin'

export type Refusal =
  | { readonly code: 'misdirected'; readonly host: string; readonly expected: string }
  | { readonly code: 'foreign_page'; readonly header: string }
  | { readonly code: 'unauthorized' }

/** `proven` = one Authorization line, with the token of this root. */
export const refusalOf = (heads: Heads, door: Door): Refusal | undefined => {
  const [host] = heads.host
  if (host === undefined || heads.host.length > 1 || !isOurs(host, door)) {
    const expected = door.kind === 'port' ? `127.0.0.1:${door.port}` : 'localhost'
    return { code: 'misdirected', host: host === undefined ? 'nobody' : JSON.stringify(host), expected }
  }
  if (heads.origin.length > 0) return { code: 'foreign_page', header: 'Origin' }
  if (heads.referer.length > 0) return { code: 'foreign_page', header: 'Referer' }
  if (heads['sec-fetch-site'].some(fromElsewhere)) return { code: 'foreign_page', header: 'Sec-Fetch-Site' }
  return heads.authorization.length > 1 ? { code: 'unauthorized' } : undefined
}

/** The token that was presented; undefined if none was, '' if what came is no bearer token. */
export const presented = ({ authorization: [line] }: Heads): string | undefined =>
  line === undefined ? undefined : (/^bearer +([^\s]+)$/i.exec(line)?.[1] ?? '')

/** Path segments, each decoded once; undefined if an escape is broken or the form is not a plain path. */
export const segmentsOf = (path: string): readonly string[] | undefined => {
  if (!path.startsWith('/')) return undefined
  try {
    const words = path.slice(1).split('/')
    return path.includes('%') ? words.map(decodeURIComponent) : words
  } catch {
    // The only error is a broken escape, which the caller reports.
    return undefined
  }
}
