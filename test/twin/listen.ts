// A listener for HTTP hooks that records each one and answers what the case says, or misbehaves.
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { until } from './until.ts'

export type HookBody = {
  hook_event_name: string
  session_id: string
  transcript_path: string
  cwd: string
  prompt_id?: string
  permission_mode?: string
  tool_name?: string
  tool_input?: Record<string, unknown>
  tool_use_id?: string
  [key: string]: unknown
}
export type Hook = {
  event: string
  body: HookBody
  headers: IncomingHttpHeaders
  /** The CLI hung up before it had an answer. */
  left: boolean
  answered: boolean
}
/** An object is the JSON body of a 200; nothing is a 200 without a body, which means no opinion. */
export type Answer = object | { status: number; body: string } | 'cut' | 'hang' | undefined
export type Answerer = (hook: Hook) => Answer | Promise<Answer>

export type Listener = {
  url: string
  port: number
  hooks: Hook[]
  events: () => string[]
  of: (event: string) => HookBody[]
  until: (event: string, count?: number) => Promise<Hook>
  close: () => Promise<void>
}

const reply = (response: ServerResponse, answer: Answer) => {
  if (answer === 'hang') return
  if (answer === 'cut') return void response.destroy()
  if (answer && 'status' in answer && 'body' in answer) {
    response.writeHead(answer.status as number, { 'content-type': 'text/plain' })
    return void response.end(answer.body)
  }
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(answer ? JSON.stringify(answer) : '')
}

export const listen = async (answer: Answerer = () => undefined): Promise<Listener> => {
  const hooks: Hook[] = []
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', async () => {
      const body = JSON.parse(Buffer.concat(parts).toString('utf8')) as HookBody
      const hook: Hook = {
        event: body.hook_event_name,
        body,
        headers: request.headers,
        left: false,
        answered: false,
      }
      hooks.push(hook)
      response.on('close', () => {
        hook.left = !response.writableFinished
      })
      const said = await answer(hook)
      hook.answered = !response.destroyed
      if (!response.destroyed) reply(response, said)
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  const events = () => hooks.map((hook) => hook.event)
  return {
    url: `http://127.0.0.1:${port}/hook`,
    port,
    hooks,
    events,
    of: (event) => hooks.filter((hook) => hook.event === event).map((hook) => hook.body),
    until: (event, count = 1) =>
      until(
        `hook ${event} number ${count}`,
        () => hooks.filter((hook) => hook.event === event)[count - 1],
        () => `heard: ${events().join(' ')}`,
      ),
    close: async () => {
      server.closeAllConnections()
      await new Promise<void>((done) => server.close(() => done()))
    },
  }
}
