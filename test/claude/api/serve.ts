// A Messages API on loopback that says what a scenario tells it to, and keeps what it was asked.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { filled, type Given, next } from '../../../src/driver/scripted/scenario/rules.ts'
import type { Reply, Scenario } from '../../../src/driver/scripted/scenario/schema.ts'
import { type Ask, type Body, isAside, lastSaid, seen } from './ask.ts'
import { events, message } from './message.ts'

export type Api = { url: string; asked: Ask[]; close: () => Promise<void> }

const read = async (request: IncomingMessage): Promise<string> => {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  return Buffer.concat(parts).toString('utf8')
}

const kinds: Record<number, string> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  429: 'rate_limit_error',
  529: 'overloaded_error',
}

const refuse = (response: ServerResponse, error: NonNullable<Reply['error']>) => {
  const status = error.status ?? 500
  const type = error.type ?? kinds[status] ?? 'api_error'
  const headers: Record<string, string> = { 'content-type': 'application/json' }
  if (error.retry_after !== undefined) headers['retry-after'] = String(error.retry_after)
  response.writeHead(status, headers)
  response.end(JSON.stringify({ type: 'error', error: { type, message: error.message ?? type } }))
}

/** Waits until the text is on its way, so that a cut comes after it. */
const flush = (response: ServerResponse, text: string) =>
  new Promise<void>((done, failed) => {
    response.write(text, (error) => (error ? failed(error) : done()))
  })

const answer = async (response: ServerResponse, ask: Ask, reply: Reply, gone: AbortSignal) => {
  if (reply.delay_ms) await sleep(reply.delay_ms, undefined, { signal: gone })
  const { error } = reply
  if (error && !error.cut) return refuse(response, error)
  const whole = message(reply, ask.body.model)
  if (!ask.body.stream) {
    if (error) return void response.destroy()
    response.writeHead(200, { 'content-type': 'application/json' })
    return void response.end(JSON.stringify(whole))
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const stream = events(whole)
  const kept = error ? stream.slice(0, Math.ceil(stream.length / 2)) : stream
  for (const event of kept) {
    await flush(response, `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    if (reply.piece_delay_ms) await sleep(reply.piece_delay_ms, undefined, { signal: gone })
  }
  if (error) response.destroy()
  else response.end()
}

export const serveApi = async (scenario: Scenario): Promise<Api> => {
  const asked: Ask[] = []
  /** Replies are used up by session, as the scripted agent uses them up. */
  const given = new Map<string, Given>()
  const play = (ask: Ask, session: string): Reply => {
    if (isAside(ask)) return { text: '{"title":"A session"}' }
    const taken = next(scenario, given.get(session) ?? [], ask)
    given.set(session, taken.given)
    return filled(taken.reply, seen(ask.body))
  }
  const closing = new AbortController()

  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const text = await read(request)
    const path = request.url ?? '/'
    if (request.method !== 'POST' || !path.startsWith('/v1/messages')) {
      response.writeHead(404).end()
      return
    }
    const body = JSON.parse(text) as Body
    if (path.startsWith('/v1/messages/count_tokens')) {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ input_tokens: Math.ceil(text.length / 4) }))
      return
    }
    const subagent = request.headers['x-claude-code-agent-id'] !== undefined
    const ask: Ask = { path, headers: request.headers, body, said: lastSaid(body.messages), subagent }
    asked.push(ask)
    const gone = new AbortController()
    response.on('close', () => gone.abort())
    const reply = play(ask, String(request.headers['x-claude-code-session-id']))
    await answer(response, ask, reply, AbortSignal.any([gone.signal, closing.signal]))
  }

  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      // The CLI went away in the middle, the case is over, or half of the answer is said: nobody is left to hear of it.
      if (response.destroyed || response.headersSent || closing.signal.aborted) response.destroy()
      else refuse(response, { status: 500, message: String(error) })
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    close: async () => {
      closing.abort()
      server.closeAllConnections()
      await new Promise<void>((done) => server.close(() => done()))
    },
  }
}
