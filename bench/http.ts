// A round trip to the host against a server that does nothing but answer as many bytes.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { median, percentile, type Row } from './frame.ts'
import { type Ask, lengthOf, load, type Target } from './load.ts'
import { end, start } from './program.ts'

type Live = { readonly socket: string; readonly port: number; readonly token: string }
type Name = 'host' | 'route' | 'bare'
type Contest = Readonly<Record<Name, Ask>>

const ask = (target: Target, port: number, token: string): Ask => ({
  target,
  request: `GET /status HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${token}\r\n\r\n`,
})

/** Thrown away: all are compiled by then. */
const warm = 2
/** In turn. A slice is long: a short one would measure where the kernel happens to put the two ends. */
const slices = 11

/**
 * A figure is the middle one of its slices' own (the median of 11 medians, the median of 11 p99): what is
 * always there shows in it, and what another program did to one slice does not.
 */
const measured = async (count: number, inFlight: number, contest: Contest) => {
  const names = Object.keys(contest) as Name[]
  const times: Record<Name, number[][]> = { host: [], route: [], bare: [] }
  for (let slice = 0; slice < warm + slices; slice++) {
    for (const name of names) {
      const took = await load(contest[name], inFlight, count)
      if (slice >= warm) times[name].push(took)
    }
  }
  return (name: Name, p: number): number => median(times[name].map((slice) => percentile(slice, p)))
}

/** The promise is about a route that says nothing, behind the same doors; the bare server is shown beside it. */
const floors = [
  ['route', { floorName: 'an echo route', unit: 'ms', limit: 2 }],
  ['bare', { floorName: 'bare node:http', unit: 'ms' }],
] as const

export const httpRows = async (
  count: number,
  root: string,
  live: Live,
  env: NodeJS.ProcessEnv,
): Promise<Row[]> => {
  const tcp = ask({ port: live.port }, live.port, live.token)
  const bytes = String(await lengthOf(tcp))
  const sockets = { route: join(root, 'route.sock'), bare: join(root, 'bare.sock') }
  const route = await start(['build/echo.js', sockets.route, bytes, live.token], env)
  const bare = await start(['build/echo.js', sockets.bare, bytes], env)
  const ports = { route: Number(route.line), bare: Number(bare.line) }
  const by = (target: (name: 'route' | 'bare') => Target, host: Target): Contest => ({
    host: { ...tcp, target: host },
    route: ask(target('route'), ports.route, live.token),
    bare: ask(target('bare'), ports.bare, live.token),
  })
  const doors: [string, Contest][] = [
    ['TCP', by((name) => ({ port: ports[name] }), { port: live.port })],
    ['unix socket', by((name) => ({ path: sockets[name] }), { path: live.socket })],
  ]
  try {
    const rows: Row[] = []
    for (const [door, contest] of doors) {
      for (const inFlight of [1, 20]) {
        const at = await measured(Math.ceil(count / 4), inFlight, contest)
        for (const [floor, common] of floors)
          for (const [word, p] of [
            ['median', 50],
            ['p99', 99],
          ] as const) {
            const name = `GET /status, ${door}, ${inFlight} in flight, ${word}`
            rows.push({ name, value: at('host', p), floor: at(floor, p), ...common })
          }
      }
    }
    return rows
  } finally {
    await end(route)
    await end(bare)
  }
}

export const liveHost = (root: string): Live => {
  const { socket, port } = JSON.parse(readFileSync(join(root, 'host.json'), 'utf8'))
  return { socket, port, token: readFileSync(join(root, 'token'), 'utf8').trim() }
}
