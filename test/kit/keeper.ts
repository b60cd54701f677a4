// How tests of keepers start them, stand in for the host, and end everything whatever happened.
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { alive, type Identity, identify } from '../../src/base/process/identity.ts'
import type { Attached, Keeper } from '../../src/keeper/reach.ts'
import type { HookPolicy } from '../../src/keeper/schema.ts'
import { keeperProgram, type Order, type Program, startKeeper } from '../../src/keeper/start.ts'

export const program: Program = keeperProgram(resolve('dist/keeper.js'))
export const tokens = { hookToken: 'hook-token-0123456789', telemetryToken: 'telemetry-token-0123' }

/** Generous: a busy machine is no failure. */
export const until = async <T>(look: () => T | Promise<T>, what: string): Promise<NonNullable<T>> => {
  for (const end = performance.now() + 60_000; performance.now() < end; await wait(20)) {
    const seen = await look()
    if (seen !== undefined && seen !== null && seen !== false) return seen as NonNullable<T>
  }
  throw new Error(`never: ${what}`)
}

export const place = (): string => {
  const directory = mkdtempSync(join(tmpdir(), 'agency-keeper-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }))
  return directory
}

export const policy: HookPolicy = {
  field: 'hook_event_name',
  events: {
    PreToolUse: { deadline: 60_000, denials: [{ body: { decision: 'deny', reason: '{reason}' } }] },
    Hasty: {
      deadline: 300,
      denials: [{ when: { active: true }, body: { told: '{reason}' } }, { body: { block: ['{reason}'] } }],
    },
    Watch: { deadline: 300, denials: [{ body: null }] },
  },
  otherwise: { deadline: 300, denials: [] },
}

export const orderIn = (root: string, changes: Partial<Order> = {}): Order => ({
  agent: 'coder',
  session: 's-1',
  directory: join(root, 'sessions', 'coder'),
  terminal: { columns: 80, rows: 24 },
  host: join(root, 'host.sock'),
  ...tokens,
  hooks: policy,
  launchDeadline: 600_000,
  ...changes,
})

/** Dead at the end of the test; what it kept dies with it. */
export const mortal = (whom: Identity | undefined): void =>
  onTestFinished(() => {
    if (whom !== undefined && alive(whom)) process.kill(whom.pid, 'SIGKILL')
  })

export const open = async (
  changes: Partial<Order> = {},
  root = place(),
): Promise<{ root: string; keeper: Keeper }> => {
  const keeper = await startKeeper({ program, opening: orderIn(root, changes) })
  mortal(keeper.found)
  onTestFinished(() => keeper.close())
  return { root, keeper }
}

export const env = { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '' }
export const shell = (script: string, more: Record<string, string> = {}) => ({
  argv: ['/bin/sh', '-c', script],
  env: { ...env, ...more },
  cwd: '/',
})

/** Everything a view shows until it is over. */
export const whole = async ({ output }: Attached): Promise<Buffer> => {
  const pieces: Buffer[] = []
  for await (const piece of output) pieces.push(piece)
  return Buffer.concat(pieces)
}

/** What a view has shown so far, growing. */
export const reading = (view: Attached): (() => string) => {
  let text = ''
  void (async () => {
    for await (const piece of view.output) text += piece.toString('latin1')
  })()
  return () => text
}

export const identified = (pid: number): Identity => {
  const found = identify(pid)
  if (found === undefined) throw new Error(`there is no process ${pid}`)
  return found
}

export const memory = (pid: number): number =>
  Number(/RssAnon:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024

export type Asked = { readonly path: string; readonly body: Record<string, unknown> }

/** Stands where the host would: answers by `answer`, remembers what it was asked. */
export const standIn = async (
  socket: string,
  answer: (asked: Asked, response: ServerResponse) => void,
): Promise<{ asked: Asked[]; stop: () => Promise<void> }> => {
  const asked: Asked[] = []
  const server = createServer(async (message: IncomingMessage, response) => {
    let text = ''
    for await (const piece of message) text += piece
    const one = { path: message.url ?? '', body: JSON.parse(text) as Record<string, unknown> }
    asked.push(one)
    answer(one, response)
  })
  rmSync(socket, { force: true })
  server.listen(socket)
  await once(server, 'listening')
  const stop = async (): Promise<void> => {
    server.closeAllConnections()
    await new Promise((done) => server.close(done))
  }
  onTestFinished(stop)
  return { asked, stop }
}

export const json = (response: ServerResponse, value: unknown, status = 200): void =>
  void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))

export type Sent = { readonly status: number; readonly text: string }

/** A hook as the CLI would send it. */
export const hook = async (
  keeper: Keeper,
  input: unknown,
  {
    token = tokens.hookToken,
    path = '/hook',
    signal,
  }: { token?: string; path?: string; signal?: AbortSignal } = {},
): Promise<Sent> => {
  const response = await fetch(`http://127.0.0.1:${keeper.found.port}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: typeof input === 'string' ? input : JSON.stringify(input),
    ...(signal === undefined ? {} : { signal }),
  })
  return { status: response.status, text: await response.text() }
}
