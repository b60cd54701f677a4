// A request that comes plain and one that only Node's HTTP reads are answered the same.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import * as z from 'zod'
import { contract } from '../../base/contract/schema.ts'
import { failure } from '../../base/error/fail.ts'
import { openLog } from '../../base/log/open.ts'
import { answering, answeringPlain } from './exchange.ts'
import type { App } from './find.ts'
import { listenSocket } from './listen.ts'
import { route } from './route.ts'
import { tableOf } from './router.ts'

const hook = contract({
  method: 'POST',
  path: '/hook',
  summary: 'says what it is told to',
  body: z.strictObject({ say: z.string(), quoted: z.string().optional() }),
  reply: z.unknown(),
})

const isPlain = (body: object): boolean =>
  'say' in body && typeof body.say === 'string' && Object.keys(body).length === 1

type Answer = { status: string; heads: Record<string, string>; body: string }

const asked = (path: string, text: string | Buffer): Promise<Answer> =>
  new Promise((done, failed) => {
    const socket = connect(path, () => socket.write(text))
    let got = ''
    socket.setEncoding('utf8').on('data', (piece) => {
      got += piece
      const [start = '', body] = got.split('\r\n\r\n')
      const [status = '', ...lines] = start.split('\r\n')
      const heads = Object.fromEntries(lines.map((line) => line.toLowerCase().split(/: (.*)/, 2)))
      if (body === undefined || Buffer.byteLength(body) < Number(heads['content-length'] ?? 0)) return
      socket.destroy()
      // What Node says of the line and the time.
      const { date: _, connection: __, 'keep-alive': ___, ...rest } = heads
      done({ status, heads: rest, body })
    })
    socket.once('error', failed)
    socket.once('close', () => failed(new Error(`closed: ${got}`)))
  })

const bytes = (body: string | Buffer, ...heads: readonly string[]): Buffer => {
  const type = heads.some((head) => head.startsWith('content-type')) ? [] : ['content-type: application/json']
  const host = heads.some((head) => head.startsWith('host')) ? [] : ['host: localhost']
  const lines = [
    'POST /hook HTTP/1.1',
    ...host,
    ...type,
    ...heads,
    `content-length: ${Buffer.byteLength(body)}`,
  ]
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), Buffer.from(body)])
}
const say = (what: string): string => JSON.stringify({ say: what })

const cases: readonly (readonly [string, number, string | Buffer, ...string[]])[] = [
  ['a value', 200, say('ü')],
  ['nothing', 204, say('nothing')],
  ['a refusal', 404, say('refuse')],
  ['not yet', 503, say('wait')],
  ['a mistake of ours', 500, say('break')],
  ['a body that the contract takes', 200, '{"say":"x","quoted":"\\u0000"}'],
  ['a body that it does not', 400, '{"say":1}'],
  ['no JSON', 400, '{"say"'],
  ['a list', 400, '[]'],
  ['no UTF-8', 400, Buffer.from([0x22, 0xff, 0x22])],
  ['too deep', 400, '['.repeat(100)],
  ['another type', 415, say('x'), 'content-type: text/plain'],
  ['two types', 200, say('x'), 'content-type: application/json', 'content-type: text/plain'],
  ['an encoding', 415, say('x'), 'content-encoding: gzip'],
  ['another host', 421, say('x'), 'host: evil.example'],
  ['a page', 403, say('x'), 'origin: null'],
]

test('the same answers, whichever way', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'agency-plain-'))
  const file = join(folder, 'log')
  const log = openLog({ file, component: 'host', level: () => 'info', now: () => new Date() })
  const handled: string[] = []
  const table = tableOf([
    route(
      hook,
      ({ body }) => {
        handled.push(body.say)
        if (body.say === 'refuse') throw failure('not_found', { what: 'it', see: '' })
        if (body.say === 'wait') throw failure('not_ready', { what: 'The host' })
        if (body.say === 'break') throw new Error('inner words')
        return body.say === 'nothing' ? undefined : { said: body.say }
      },
      { socket: true, plain: isPlain },
    ),
  ])
  const app: App = {
    log,
    door: { kind: 'socket' },
    isToken: () => false,
    locate: (rest) => ({ table, rest }),
  }
  const path = join(folder, 's')
  const listener = await listenSocket(path, { log, listener: answering(app), plain: answeringPlain(app) })
  onTestFinished(async () => {
    await listener.close(AbortSignal.abort())
    log.close()
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  })
  for (const [what, status, body, ...heads] of cases) {
    handled.length = 0
    const plain = await asked(path, bytes(body, ...heads))
    const once = [...handled]
    handled.length = 0
    const other = await asked(path, bytes(body, ...heads, 'te: trailers'))
    expect({ what, ...plain }).toEqual({ what, ...other })
    expect([what, once]).toEqual([what, handled])
    expect([what, plain.status]).toEqual([what, expect.stringContaining(` ${status} `)])
  }
  expect(readFileSync(file, 'utf8').match(/inner words/g)?.length).toBe(2)
})
