import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { type Answers, type Plain, plainFirst } from './plain.ts'

/** Node says `node <body>`; the plain way says what `answers` does. */
type Served = { port: number; server: Server; plain: Plain; readonly lines: readonly Socket[] }

const served = async (answers: Answers, idle = 0): Promise<Served> => {
  const lines: Socket[] = []
  const server = createServer(async (message, response) => {
    let body = ''
    for await (const piece of message) body += piece
    response.end(`node ${body}`)
  })
  const plain = plainFirst(server, { answers, idle })
  server.on('connection', (socket) => lines.push(socket))
  server.listen(0, '127.0.0.1')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
    plain.closeAll()
  })
  await new Promise((done) => server.once('listening', done))
  return { server, plain, lines, port: (server.address() as AddressInfo).port }
}

type Caller = { readonly socket: Socket; readonly heard: () => string; readonly closed: () => boolean }

const call = (port: number): Caller => {
  let [heard, closed] = ['', false]
  const socket = connect(port, '127.0.0.1')
  socket.setNoDelay(true)
  socket.on('data', (piece) => (heard += piece))
  socket.on('error', () => {}).once('close', () => (closed = true))
  onTestFinished(() => void socket.destroy())
  return { socket, heard: () => heard, closed: () => closed }
}

const asking = (body: string, more = ''): string =>
  `POST /hook HTTP/1.1\r\nhost: localhost\r\n${more}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
const saying = (body: string): string => `HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`
const soon = { timeout: 20_000, interval: 5 }

/** Answers what begins with `p`. */
const mine: Answers = ({ body }, { reply }) => {
  const text = body.toString()
  if (!text.startsWith('p')) return false
  setImmediate(() => reply(saying(`plain ${text}`)))
  return true
}

test('one line carries plain requests, and then, from the first that is not, Node ones', async () => {
  const { port } = await served(mine)
  const { socket, heard } = call(port)
  for (const [body, answer] of [
    ['p1', 'plain p1'],
    ['p2 é', 'plain p2'],
    ['n3', 'node n3'],
    ['p4', 'node p4'],
  ] as const) {
    socket.write(asking(body))
    await vi.waitFor(() => expect(heard()).toContain(answer), soon)
  }
  expect(heard().match(/plain|node/g)).toEqual(['plain', 'plain', 'node', 'node'])
})

test.each([
  ['in two pieces', ['POST /hook HTTP/1.1\r\nhost: localhost\r\n', 'content-length: 2\r\n\r\np1']],
  ['head and body apart', ['POST /hook HTTP/1.1\r\nhost: localhost\r\ncontent-length: 2\r\n\r\n', 'p1']],
  ['large', [asking(`p1${'x'.repeat(300_000)}`)]],
  ['of a form that is not plain', [asking('p1', 'expect: 100-continue\r\n')]],
])('a request %s is whole for Node', async (_, pieces) => {
  const { port, lines } = await served(mine)
  const { socket, heard } = call(port)
  let sent = 0
  for (const piece of pieces) {
    socket.write(piece)
    sent += piece.length
    await vi.waitFor(() => expect(lines[0]?.bytesRead).toBe(sent), soon)
  }
  await vi.waitFor(() => expect(heard()).toContain('node p1'), soon)
})

test('what comes behind a request is answered after it, in its order', async () => {
  let answer = (): void => {}
  const { port, lines } = await served(({ body }, { reply }) => {
    if (body.toString() !== 'p1') return false
    answer = () => reply(saying('plain p1'))
    return true
  })
  const { socket, heard } = call(port)
  const waits = answer
  socket.write(asking('p1'))
  await vi.waitFor(() => expect(answer).not.toBe(waits), soon)
  socket.write(asking('n2'))
  socket.write(asking('n3'))
  await vi.waitFor(() => expect(lines[0]?.bytesRead).toBe(3 * asking('p1').length), soon)
  expect(heard()).toBe('')
  answer()
  await vi.waitFor(() => expect(heard()).toContain('node n3'), soon)
  expect(heard().match(/(plain|node) [pn]\d/g)).toEqual(['plain p1', 'node n2', 'node n3'])
})

test('who goes before the answer is noticed, and an answer then goes nowhere', async () => {
  const told: string[] = []
  let answer = (): void => {}
  const { port } = await served((_, { reply, gone }) => {
    told.push('asked')
    gone(() => told.push('gone'))
    answer = () => reply(saying('late'))
    return true
  })
  for (const leave of ['end', 'destroy'] as const) {
    const { socket, heard } = call(port)
    socket.write(asking('p'))
    await vi.waitFor(() => expect(told).toEqual(['asked']), soon)
    socket[leave]()
    await vi.waitFor(() => expect(told).toEqual(['asked', 'gone']), soon)
    answer()
    expect(heard()).toBe('')
    told.length = 0
  }
})

test('who was answered is not told of its end as of a loss', async () => {
  let gone = 0
  const { port } = await served((_, { reply, gone: leaving }) => {
    leaving(() => (gone += 1))
    setImmediate(() => reply(saying('said')))
    return true
  })
  const { socket, heard, closed } = call(port)
  socket.write(asking('p'))
  await vi.waitFor(() => expect(heard()).toContain('said'), soon)
  socket.end()
  await vi.waitFor(() => expect(closed()).toBe(true), soon)
  expect(gone).toBe(0)
})

test('whoever says nothing is given to Node, and an idle line is closed', async () => {
  const { port, lines } = await served(mine, 50)
  const silent = call(port)
  await vi.waitFor(() => expect(lines.length).toBe(1), soon)
  const idle = call(port)
  idle.socket.write(asking('p1'))
  await vi.waitFor(() => expect(idle.heard()).toContain('plain p1'), soon)
  await vi.waitFor(() => expect(idle.closed()).toBe(true), soon)
  // Node keeps what reads a line beside it.
  await vi.waitFor(() => expect(lines[0]).toMatchObject({ parser: expect.anything() }), soon)
  silent.socket.write(asking('p2'))
  await vi.waitFor(() => expect(silent.heard()).toContain('node p2'), soon)
}, 60_000)

test('closing ends idle lines at once, and a busy one with its answer', async () => {
  let answer = (): void => {}
  const { port, server, plain } = await served((_, { reply }) => {
    answer = () => reply(saying('last'))
    return true
  })
  const [idle, busy] = [call(port), call(port)]
  await vi.waitFor(() => expect(idle.socket.connecting).toBe(false), soon)
  const waits = answer
  busy.socket.write(asking('p'))
  await vi.waitFor(() => expect(answer).not.toBe(waits), soon)
  const over = new Promise((done) => server.close(done))
  plain.closeIdle()
  await vi.waitFor(() => expect(idle.closed()).toBe(true), soon)
  expect(busy.closed()).toBe(false)
  answer()
  await over
  expect(busy.heard()).toContain('last')
})
