// The built hook as a process, against listeners that misbehave and input that no one should send.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { expect, onTestFinished, test } from 'vitest'

const program = resolve('dist/hook.cjs')
const call = JSON.stringify({ session_id: 's', tool_name: 'Bash', tool_input: { command: 'true' } })
const allow = { hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'allow' } }
const http = (status: string, body: string): string =>
  `HTTP/1.1 ${status}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`

type Ended = { code: number | null; stdout: string; stderr: string; ms: number }

const listen = async (
  answer: (socket: Socket, heard: string) => void,
  at: string | number = 0,
): Promise<Server> => {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    // A hook that gave up hangs up; that is no failure of the listener.
    socket.on('error', () => undefined)
    let heard = ''
    socket.setEncoding('utf8').on('data', (piece) => {
      heard += piece
      const [, length] = /content-length: (\d+)/i.exec(heard) ?? []
      const body = heard.split('\r\n\r\n').slice(1).join('\r\n\r\n')
      if (length !== undefined && Buffer.byteLength(body) >= Number(length)) answer(socket, heard)
    })
  })
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  await new Promise<void>((done) =>
    typeof at === 'number' ? server.listen(at, '127.0.0.1', done) : server.listen(at, done),
  )
  return server
}
const urlOf = (server: Server): string => {
  const address = server.address()
  return typeof address === 'string' ? address : `http://127.0.0.1:${address?.port}/hook/s1`
}

const start = (event: string, env: Record<string, string>, file = program): ChildProcess => {
  const child = spawn(
    process.execPath,
    [file, event].filter((word) => word !== ''),
    {
      env: { PATH: process.env.PATH, AGENCY_HOOK_TOKEN: 'secret', ...env },
      stdio: 'pipe',
    },
  )
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}

const ended = (child: ChildProcess): Promise<Ended> => {
  const began = Date.now()
  let stdout = ''
  let stderr = ''
  child.stdout?.setEncoding('utf8').on('data', (piece) => {
    stdout += piece
  })
  child.stderr?.setEncoding('utf8').on('data', (piece) => {
    stderr += piece
  })
  return new Promise((done) =>
    child.on('close', (code) => done({ code, stdout, stderr, ms: Date.now() - began })),
  )
}

const run = (event: string, input: string | Buffer, env: Record<string, string> = {}): Promise<Ended> => {
  const child = start(event, env)
  const end = ended(child)
  child.stdin?.on('error', () => undefined)
  child.stdin?.end(input)
  return end
}

const denial = ({ code, stdout }: Ended): unknown => {
  expect(code).toBe(0)
  const said = JSON.parse(stdout).hookSpecificOutput
  expect(said.permissionDecision).toBe('deny')
  return said.permissionDecisionReason
}

test('the built file needs node:net and nothing else', () => {
  const text = readFileSync(program, 'utf8')
  expect([...text.matchAll(/require\(["'`]([^"'`]+)/g)].map(([, name]) => name)).toEqual(['node:net'])
  expect(text).not.toMatch(/\bimport\s*\(/)
})

test('what the listener answers is printed; it got event, token and the input as it was', async () => {
  let heard = ''
  const server = await listen((socket, all) => {
    heard = all
    socket.end(http('200 OK', JSON.stringify(allow)))
  })
  const input = `${call.slice(0, -1)},"ü":"😀"}`
  const { code, stdout, stderr } = await run('pre-tool-use', input, { AGENCY_HOOK: urlOf(server) })
  expect([code, JSON.parse(stdout), stderr]).toEqual([0, allow, ''])
  expect(heard).toMatch(/^POST \/hook\/s1 HTTP\/1\.1\r\n/)
  expect(heard).toMatch(/\r\nAuthorization: Bearer secret\r\n/)
  expect(heard).toMatch(/\r\nX-Agency-Event: PreToolUse\r\n/)
  expect(heard.endsWith(input)).toBe(true)
})

test('by a unix socket too, on a connection that stays open', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'agency-hook-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }))
  const server = await listen((socket) => void socket.write(http('200 OK', '{}')), join(folder, 's'))
  expect(await run('stop', '{}', { AGENCY_HOOK: urlOf(server) })).toMatchObject({ code: 0, stdout: '{}\n' })
})

test('204 says nothing', async () => {
  const server = await listen((socket) => void socket.end('HTTP/1.1 204 No Content\r\n\r\n'))
  expect(await run('pre-tool-use', call, { AGENCY_HOOK: urlOf(server) })).toMatchObject({
    code: 0,
    stdout: '',
    stderr: '',
  })
})

const faults: [string, (socket: Socket) => void, RegExp][] = [
  ['is silent', () => undefined, /did not answer in time/],
  ['hangs up', (socket) => void socket.destroy(), /broke off|ECONNRESET/],
  [
    'is cut in the middle',
    (socket) => void socket.end('HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{'),
    /broke off/,
  ],
  ['drips', (socket) => void setInterval(() => socket.write('H'), 50).unref(), /did not answer in time/],
  ['floods', (socket) => void socket.write(`HTTP/1.1 200 OK\r\n\r\n${'x'.repeat(2 ** 21)}`), /too much/],
  ['speaks no HTTP', (socket) => void socket.end('hello\r\n\r\n'), /broke off/],
  ['answers no JSON', (socket) => void socket.end(http('200 OK', '<html>')), /in JSON/],
  [
    'answers for another event',
    (socket) => void socket.end(http('200 OK', '{"hookSpecificOutput":{"hookEventName":"Stop"}}')),
    /would ignore/,
  ],
  ['fails', (socket) => void socket.end(http('500 Oops', JSON.stringify(allow))), /answered 500/],
  ['redirects', (socket) => void socket.end(http('302 Found', '')), /answered 302/],
]
test.each(faults)('a listener that %s is a refusal', async (_, answer, why) => {
  const server = await listen(answer)
  const end = await run('pre-tool-use', call, { AGENCY_HOOK: urlOf(server), AGENCY_HOOK_DEADLINE_MS: '1500' })
  expect(denial(end)).toMatch(why)
  expect(end.ms).toBeLessThan(20_000)
})

test('nobody listens, or nobody is named: refused at once', async () => {
  const server = await listen(() => undefined)
  const url = urlOf(server)
  await new Promise((done) => server.close(done))
  expect(denial(await run('pre-tool-use', call, { AGENCY_HOOK: url }))).toMatch(
    /cannot be reached \(ECONNREFUSED\)/,
  )
  expect(denial(await run('pre-tool-use', call, { AGENCY_HOOK: '/nowhere/s' }))).toMatch(/ENOENT/)
  expect(denial(await run('pre-tool-use', call))).toMatch(/names no listener/)
})

const inputs: [string, string | Buffer, RegExp][] = [
  ['empty', '', /empty/],
  ['null', 'null', /object/],
  ['cut JSON', '{"tool_name":', /JSON/],
  [
    'bad UTF-8',
    Buffer.from(
      'eyJzZXNzaW9uX2lkIjoicyIsInRvb2xfbmFtZSI6IkJhc2giLCJ0b29sX2lucHV0Ijp7ImNvbW1hbmQiOiJnaCD/In19',
      'base64',
    ),
    /UTF-8/,
  ],
  ['without tool_input', '{"session_id":"s","tool_name":"Bash"}', /tool_input/],
  ['deep', '['.repeat(200_000), /JSON|failed/],
]
test.each(inputs)('input that is %s is refused and never forwarded', async (_, input, why) => {
  let asked = 0
  const server = await listen((socket) => {
    asked++
    socket.end(http('200 OK', JSON.stringify(allow)))
  })
  expect(denial(await run('pre-tool-use', input, { AGENCY_HOOK: urlOf(server) }))).toMatch(why)
  expect(asked).toBe(0)
})

test('input that never ends is answered within the deadline', async () => {
  const child = start('stop', { AGENCY_HOOK: '/nowhere', AGENCY_HOOK_DEADLINE_MS: '700' })
  const end = ended(child)
  child.stdin?.write('{"session_id":')
  const { code, stdout, ms } = await end
  expect([code, JSON.parse(stdout).decision]).toEqual([0, 'block'])
  expect(ms).toBeLessThan(20_000)
})

test('100 MB are refused in little memory', async () => {
  const meter = `process.on('exit',()=>process.stderr.write(String(process.resourceUsage().maxRSS)));process.argv.splice(1,1);require(${JSON.stringify(program)})`
  const child = spawn(process.execPath, ['-e', meter, '--', 'x', 'x', 'pre-tool-use'], { stdio: 'pipe' })
  onTestFinished(() => void child.kill('SIGKILL'))
  const end = ended(child)
  child.stdin.on('error', () => undefined)
  const piece = 'a'.repeat(1024 * 1024)
  const pieces = Array.from({ length: 100 }, () => piece)
  Readable.from(['{"session_id":"s","tool_name":"Write","tool_input":{"content":"', ...pieces, '"}}']).pipe(
    child.stdin,
  )
  const { stderr, ...rest } = await end
  expect(denial({ ...rest, stderr })).toMatch(/larger than 16 MB/)
  expect(Number(stderr) / 1024).toBeLessThan(400)
})

test('10 MB go through whole', async () => {
  let size = 0
  const server = await listen((socket, heard) => {
    size = heard.length
    socket.end(http('200 OK', JSON.stringify(allow)))
  })
  const input = JSON.stringify({ tool_name: 'Write', tool_input: { content: 'a'.repeat(10 * 1024 * 1024) } })
  const { stdout } = await run('pre-tool-use', input, { AGENCY_HOOK: urlOf(server) })
  expect(JSON.parse(stdout)).toEqual(allow)
  expect(size).toBeGreaterThan(input.length)
})

test('a session does not start unheard: exit 2 and words', async () => {
  const { code, stdout, stderr } = await run('session-start', '{"source":"startup"}', {
    AGENCY_HOOK: '/nowhere',
  })
  expect([code, stdout]).toEqual([2, ''])
  expect(stderr).toMatch(/cannot be reached/)
})

test('a stop is held once, not for ever', async () => {
  const said = async (active: boolean) =>
    JSON.parse(
      (await run('stop', JSON.stringify({ stop_hook_active: active }), { AGENCY_HOOK: '/nowhere' })).stdout,
    )
  expect((await said(false)).decision).toBe('block')
  expect(Object.keys(await said(true))).toEqual(['systemMessage'])
})

test('an event that decides nothing never disturbs; no event at all is refused', async () => {
  expect(await run('post-tool-use', '{}', { AGENCY_HOOK: '/nowhere' })).toMatchObject({ code: 0, stdout: '' })
  expect(await run('', '{}')).toMatchObject({ code: 2, stdout: '' })
  expect(await run('made-up', '{}')).toMatchObject({ code: 2, stdout: '' })
})

test('an answer nobody reads is exit 2, never 1', async () => {
  const child = start('pre-tool-use', {})
  child.stdout?.destroy()
  child.stdin?.end(call)
  const { code } = await ended(child)
  expect([0, 2]).toContain(code)
})

type Case = {
  id: string
  name: string
  surface: string
  input: {
    argv?: string[]
    stdin?: string
    stdin_b64?: string
    stdin_gen?: { json: object; fill: string; bytes: number }
  }
  expect: { exit?: number[]; decision?: string | string[]; reason_has?: string[] }
}
const corpus = (JSON.parse(readFileSync('test/corpus/bad-input.json', 'utf8')) as Case[])
  .filter(({ surface, input }) => surface === 'hook' && input.argv?.[0] === 'hook')
  .map((one): [string, string, Case] => [one.id, one.name, one])

const stdinOf = ({ stdin, stdin_b64, stdin_gen }: Case['input']): string | Buffer => {
  if (stdin_b64 !== undefined) return Buffer.from(stdin_b64, 'base64')
  if (stdin_gen === undefined) return stdin ?? ''
  return JSON.stringify(stdin_gen.json).replace('$FILL', stdin_gen.fill.repeat(stdin_gen.bytes))
}

test.each(corpus)('corpus %s: %s', async (_, __, { input, expect: wanted }) => {
  const { code, stdout } = await run(input.argv?.[1] ?? '', stdinOf(input), { AGENCY_HOOK: '/nowhere' })
  expect(wanted.exit).toContain(code)
  const said = JSON.parse(stdout).hookSpecificOutput
  expect([wanted.decision].flat()).toContain(said.permissionDecision)
  for (const word of wanted.reason_has ?? []) expect(said.permissionDecisionReason).toContain(word)
})

test('an answer that cannot be written blocks by exit code', async () => {
  const child = spawn('sh', ['-c', 'exec "$0" "$1" pre-tool-use > /dev/full', process.execPath, program])
  child.stdin.end(call)
  const [code] = (await once(child, 'close')) as [number]
  expect(code).toBe(2)
})
