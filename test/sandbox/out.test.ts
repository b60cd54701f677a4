// Nobody outside can be spoken to, but by the doors.
import { once } from 'node:events'
import { createServer as createHttp, type IncomingMessage } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { SandboxFile } from '../../src/role/sandbox/schema.ts'
import { ground, has, inNode, inside, launch, needWalls, node, secret, seen, users, wrap } from './kit.ts'

needWalls()

const listenAt = async (where: string | number): Promise<{ port: number; met: () => number }> => {
  let met = 0
  const server = createServer((client) => {
    met += 1
    client.end('hello')
  })
  typeof where === 'string' ? server.listen(where) : server.listen(where, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return { port: (server.address() as AddressInfo)?.port ?? 0, met: () => met }
}

const tryAll = (targets: readonly unknown[]): string => `
  const net = require('net')
  for (const target of ${JSON.stringify(targets)}) {
    const socket = net.connect(typeof target === 'string' ? { path: target.replace('@', '\\0') } : target)
    socket.setTimeout(5000, () => socket.destroy())
    socket.on('connect', () => console.log('CONNECTED', JSON.stringify(target)))
    socket.on('error', () => {})
  }`

const walledOff: readonly SandboxFile[] = [
  { network: 'none' },
  { network: 'proxy', allowed_hosts: ['example.com'] },
]

test.each(users)('%s: neither what listens on this machine nor its sockets', async (user) => {
  const at = ground(user)
  const api = await listenAt(0)
  const file = await listenAt(join(at.root, 'keeper.sock'))
  const abstract = await listenAt(`\0agency-test-${process.pid}`)
  const targets = [
    { host: '127.0.0.1', port: api.port },
    { host: '::1', port: api.port },
    { host: '0.0.0.0', port: api.port },
    { host: '10.0.0.1', port: 80 },
    { host: '169.254.169.254', port: 80 },
    join(at.root, 'keeper.sock'),
    `@agency-test-${process.pid}`,
    '/var/run/docker.sock',
    '/run/docker.sock',
    '/run/user/1000/bus',
    '/run/dbus/system_bus_socket',
    '/tmp/.X11-unix/X0',
    '@/tmp/.X11-unix/X0',
    process.env.SSH_AUTH_SOCK ?? '/tmp/ssh-agent',
    join(at.home, '.gnupg/S.gpg-agent'),
    '/tmp/tmux-0/default',
  ]
  for (const settings of walledOff) {
    const { out, code } = await inNode(at, tryAll(targets), { settings })
    expect([settings.network, out, code]).toEqual([settings.network, '', 0])
  }
  expect([api.met(), file.met(), abstract.met()]).toEqual([0, 0, 0])
})

test('by no other program', async () => {
  const at = ground()
  const { port, met } = await listenAt(0)
  const tries = [
    `bash -c 'exec 3<>/dev/tcp/127.0.0.1/${port}'`,
    ...(has('curl') ? [`curl -sm 5 http://127.0.0.1:${port}`, 'curl -sm 5 https://example.com'] : []),
    ...(has('perl')
      ? [`perl -MIO::Socket::INET -e 'IO::Socket::INET->new("127.0.0.1:${port}") or die'`]
      : []),
    'getent hosts example.com',
    'ip link add dummy0 type dummy',
    'ip route add default dev lo',
  ]
  for (const attempt of tries) {
    const { out } = await inside(at, `${attempt} >/dev/null 2>&1 && echo DONE; true`)
    expect([attempt, out]).toEqual([attempt, ''])
  }
  expect(met()).toBe(0)
})

test('with the whole network it can reach this machine, which is what that means', async () => {
  const at = ground()
  const { port, met } = await listenAt(0)
  await inNode(at, tryAll([{ host: '127.0.0.1', port }]), { settings: { network: 'full' } })
  expect(met()).toBe(1)
})

test.each(users)('%s: hooks come through under the port of the keeper', async (user) => {
  const at = ground(user)
  const heard: string[] = []
  const wrapped = await wrap(
    at,
    node(
      "fetch('http://127.0.0.1:41234/hook', { method: 'POST', body: 'x'.repeat(200_000) }).then(async (r) => console.log(r.status, await r.text()))",
    ),
    { port: 41_234 },
  )
  const child = await launch(at, wrapped, (line) => {
    heard.push(line.split('\r\n')[0] ?? '')
    return 'HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 2\r\n\r\nok'
  })
  expect((await seen(child)).out).toBe('200 ok\n')
  expect(heard).toEqual(['POST /hook HTTP/1.1'])
})

const model = async (answer: string) => {
  const asked: { url: string; key: unknown; authorization: unknown; body: string }[] = []
  const server = createHttp(async (request: IncomingMessage, response) => {
    let body = ''
    try {
      for await (const piece of request) body += piece
    } catch {
      // Broken off: nothing was asked.
      return
    }
    const { 'x-api-key': key, authorization } = request.headers
    asked.push({ url: request.url ?? '', key, authorization, body })
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const piece of answer.match(/.{1,64}/gs) ?? []) response.write(piece)
    response.end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return { base: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked }
}

test.each(users)('%s: the model answers a key that the agent does not have', async (user) => {
  const at = ground(user)
  const { base, asked } = await model('data: hello\n\n')
  const script = `
    const url = process.env.ANTHROPIC_BASE_URL
    const say = async (path, headers) => {
      const r = await fetch(url + path, { method: 'POST', headers, body: 'prompt' })
      console.log(r.status, JSON.stringify(await r.text()).slice(0, 40))
    }
    say('/v1/messages?beta=true', { 'x-api-key': 'mine', authorization: 'Bearer mine' })
      .then(() => say('/v1/files', {})).then(() => console.log(JSON.stringify(process.env)))`
  const { out } = await inNode(at, script, {
    env: { ANTHROPIC_BASE_URL: 'http://127.0.0.1:3128/model' },
    model: { base, headers: { 'x-api-key': secret } },
  })
  const [first, second, env] = out.split('\n')
  expect(first).toBe('200 "data: hello\\n\\n"')
  expect(second).toMatch(/^404 /)
  expect(env).not.toContain(secret)
  expect(asked).toEqual([
    { url: '/v1/messages?beta=true', key: secret, authorization: undefined, body: 'prompt' },
  ])
})

test('a proxy lets through what its list names, and nothing else', async () => {
  const at = ground()
  const web = await model('page')
  const port = new URL(web.base).port
  const settings: SandboxFile = { network: 'proxy', allowed_hosts: [`localhost:${port}`, 'intra.test'] }
  const script = `
    const net = require('net')
    const say = (text) => new Promise((done) => {
      const socket = net.connect(3128, '127.0.0.1')
      let heard = ''
      socket.on('data', (bytes) => { heard += bytes })
      socket.on('close', () => done(console.log(heard.split('\\r\\n')[0] || 'nothing')))
      socket.on('error', () => {})
      socket.write(text)
    })
    const get = 'GET / HTTP/1.1\\r\\nhost: localhost:${port}\\r\\nconnection: close\\r\\n\\r\\n'
    ;(async () => {
      await say('CONNECT localhost:${port} HTTP/1.1\\r\\nhost: x\\r\\n\\r\\n' + get)
      await say('GET http://localhost:${port}/a HTTP/1.1\\r\\nhost: evil\\r\\nconnection: close\\r\\n\\r\\n')
      for (const target of ['127.0.0.1:${port}', 'localhost:22', 'example.com:443', 'localhost.:${port}', '[::1]:${port}', 'localhost%00x:${port}', '2130706433:${port}'])
        await say('CONNECT ' + target + ' HTTP/1.1\\r\\nhost: x\\r\\n\\r\\n')
      await say('GET http://127.0.0.1:${port}/ HTTP/1.1\\r\\nhost: localhost:${port}\\r\\nconnection: close\\r\\n\\r\\n')
      await say('GET /model/v1/messages HTTP/1.1\\r\\nhost: localhost\\r\\nconnection: close\\r\\n\\r\\n')
      await say('GET ftp://localhost:${port}/ HTTP/1.1\\r\\nhost: x\\r\\nconnection: close\\r\\n\\r\\n')
    })()`
  const { out } = await inNode(at, script, { settings })
  expect(out.trim().split('\n')).toEqual([
    'HTTP/1.1 200 Connection established',
    'HTTP/1.1 200 OK',
    ...Array.from({ length: 7 }, () => 'HTTP/1.1 403 Forbidden'),
    'HTTP/1.1 403 Forbidden',
    'HTTP/1.1 404 Not Found',
    'HTTP/1.1 403 Forbidden',
  ])
  expect(web.asked.map(({ url }) => url)).toEqual(['/', '/a'])
})

test('a name that leads to a private address is refused, though the list has it', async () => {
  const at = ground()
  const ask = `
    const s = require('net').connect(3128, '127.0.0.1')
    s.on('data', (b) => process.stdout.write(String(b).split('\\r\\n\\r\\n')[1]))
    s.write('CONNECT localhost:443 HTTP/1.1\\r\\nhost: x\\r\\n\\r\\n')`
  const { out } = await inNode(at, ask, { settings: { network: 'proxy', allowed_hosts: ['localhost'] } })
  expect(out).toBe("agency's sandbox: it leads to a private network\n")
})

test('an agent that breaks off, floods or talks nonsense harms nobody but itself', async () => {
  const at = ground()
  const { base } = await model('data: hello\n\n'.repeat(2_000))
  const script = `
    const net = require('net')
    const open = (text, ms) => new Promise((done) => {
      const socket = net.connect(3128, '127.0.0.1')
      socket.on('error', () => {})
      socket.on('close', done)
      socket.write(text)
      setTimeout(() => socket.resetAndDestroy(), ms)
    })
    const post = 'POST /model/v1/messages HTTP/1.1\\r\\nhost: x\\r\\n'
    ;(async () => {
      const words = ['', '\\0\\0\\0', 'GET', 'CONNECT x', 'CONNECT localhost:1 HTTP/1.1\\r\\n\\r\\n', post, post + 'content-length: 100\\r\\n\\r\\nabc', post + 'transfer-encoding: chunked\\r\\n\\r\\nzz', post + 'content-length: 2\\r\\n\\r\\n{}', 'x'.repeat(100000)]
      await Promise.all(words.flatMap((text) => [1, 5, 20, 50].map((ms) => open(text, ms))))
      const r = await fetch('http://127.0.0.1:3128/model/v1/messages', { method: 'POST', body: '{}' })
      console.log(r.status, (await r.text()).length)
    })()`
  const { out } = await inNode(at, script, { model: { base, headers: {} } })
  expect(out).toBe('200 26000\n')
})

test('an agent that breaks its forwarder has only cut off itself', async () => {
  const at = ground()
  const { port, met } = await listenAt(0)
  const script = `for p in /proc/[0-9]*; do grep -q 'forward[.]cjs' $p/cmdline 2>/dev/null && kill -9 \${p#/proc/}; done
    sleep 1; bash -c 'exec 3<>/dev/tcp/127.0.0.1/3128' 2>/dev/null || echo cut; bash -c 'exec 3<>/dev/tcp/127.0.0.1/${port}' 2>/dev/null || echo off`
  expect((await inside(at, script)).out).toContain('off')
  expect(met()).toBe(0)
})

test('a forwarder that dies takes the agent with it', async () => {
  const script = `for p in /proc/[0-9]*; do [ "$(readlink $p/exe)" = ${process.execPath} ] && kill -9 \${p#/proc/}; done; sleep 1000`
  const { out, err } = await inside(ground(), script)
  expect([out, err]).toEqual(['', expect.stringContaining('agency: the way out of the sandbox is gone')])
})
