// A round trip to the host against a server that does nothing but answer.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { median, percentile, type Row } from './frame.ts'
import { load, type Target } from './load.ts'
import { end, start } from './program.ts'

type Live = { readonly socket: string; readonly port: number; readonly token: string }

const request = (port: number, token: string): string =>
  `GET /status HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${token}\r\n\r\n`

export const httpRows = async (
  count: number,
  root: string,
  live: Live,
  env: NodeJS.ProcessEnv,
): Promise<Row[]> => {
  const socket = join(root, 'echo.sock')
  const echo = await start(['build/echo.js', socket, '400'], env)
  const port = Number(echo.line)
  try {
    const rows: Row[] = []
    const doors: [string, Target, Target][] = [
      ['TCP', { port: live.port }, { port }],
      ['unix socket', { path: live.socket }, { path: socket }],
    ]
    for (const [door, host, floor] of doors) {
      for (const inFlight of [1, 20]) {
        const times: Record<'host' | 'floor', number[]> = { host: [], floor: [] }
        // Five slices each, in turn; the first warms both and is thrown away.
        for (let slice = 0; slice < 6; slice++) {
          const some = Math.ceil(count / 5)
          const ours = await load(host, request(live.port, live.token), inFlight, some)
          const bare = await load(floor, request(port, live.token), inFlight, some)
          if (slice === 0) continue
          times.host.push(...ours)
          times.floor.push(...bare)
        }
        const what = `GET /status, ${door}, ${inFlight} in flight`
        const common = { floorName: 'bare node:http', unit: 'ms', limit: 2 }
        rows.push({
          name: `${what}, median`,
          value: median(times.host),
          floor: median(times.floor),
          ...common,
        })
        rows.push({
          name: `${what}, p99`,
          value: percentile(times.host, 99),
          floor: percentile(times.floor, 99),
          ...common,
        })
      }
    }
    return rows
  } finally {
    await end(echo)
  }
}

export const liveHost = (root: string): Live => {
  const { socket, port } = JSON.parse(readFileSync(join(root, 'host.json'), 'utf8'))
  return { socket, port, token: readFileSync(join(root, 'token'), 'utf8').trim() }
}
