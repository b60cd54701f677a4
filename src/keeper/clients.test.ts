// Many may look at one session; none of them can hold it up.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import { createInterface } from 'node:readline'
import { expect, onTestFinished, test } from 'vitest'
import { identified, memory, mortal, open, reading, shell, until, whole } from '../../test/kit/keeper.ts'
import { codeOf } from '../../test/kit/stores.ts'
import { alive } from '../base/process/identity.ts'
import { connect as connectTo } from './connect.ts'
import { scrollbackLimits } from './output.ts'
import { reachKeeper } from './reach.ts'
import { protocol } from './schema.ts'

const flood = 50 * 1024 * 1024
const printing = `head -c ${flood} /dev/zero | tr '\\0' x; echo end`

test('clients that come at different times see the same, each from where it wants', async () => {
  const { keeper } = await open()
  const early = await keeper.attach({ stream: 'terminal', from: 0 })
  await keeper.launch(shell('for n in 1 2 3; do echo line $n; read -r go; done', {}))
  const seen = reading(await keeper.attach({ stream: 'terminal', from: 0 }))
  await until(() => seen().includes('line 1\r\n'), 'the first line')
  const late = await keeper.attach({ stream: 'terminal', from: 6 })
  const live = await keeper.attach({ stream: 'terminal', from: 'end' })
  await keeper.input(Buffer.from('a\n'))
  await until(() => seen().includes('line 2\r\n'), 'the second line')
  await keeper.input(Buffer.from('b\n'))
  await until(() => seen().includes('line 3\r\n'), 'the third line')
  await keeper.input(Buffer.from('c\n'))
  const text = 'line 1\r\na\r\nline 2\r\nb\r\nline 3\r\nc\r\n'
  expect((await whole(early)).toString()).toBe(text)
  expect((await whole(late)).toString()).toBe(text.slice(6))
  expect((await whole(live)).toString()).toBe(text.slice(8))
  // After the end the whole is still there, and so is how it ended.
  const after = await keeper.attach({ stream: 'terminal', from: 0 })
  expect((await whole(after)).toString()).toBe(text)
  expect(await after.over).toEqual(await early.over)
})

test('who connects just as the session ends, and attaches then, still sees all of it', async () => {
  const { keeper } = await open()
  const heard: string[] = []
  const line = await connectTo(keeper.found, {
    bytes: (bytes) => heard.push(bytes.toString()),
    ended: ({ code }) => heard.push(`ended ${code}`),
    over: ({ code }) => heard.push(`over ${code}`),
  })
  onTestFinished(line.close)
  await keeper.launch(shell('echo text; exit 3'))
  await until(() => heard.includes('ended 3'), 'it hears the end')
  await line.ask({ do: 'attach', stream: 'terminal', from: 0 })
  await until(() => heard.length === 3, 'it sees the output, and that it is over')
  expect(heard).toEqual(['ended 3', 'text\r\n', 'over 3'])
})

/** Attaches and reads until it is stopped; says what it was told when it was cut. */
const reader = `
const net = require('node:net')
const socket = net.connect(process.argv[1])
const ask = Buffer.from(JSON.stringify({ id: 1, do: 'attach', stream: 'terminal', from: 0 }))
const head = Buffer.alloc(5)
head.writeUInt32BE(ask.length)
socket.write(Buffer.concat([head, ask]))
let tail = ''
socket.on('data', (piece) => {
  tail = (tail + piece.toString('latin1')).slice(-200)
  if (tail.includes('up')) console.log('attached')
})
socket.on('close', () => console.log(JSON.stringify(tail)))
`

test('a stopped client holds up neither the session nor others, costs no memory, and is told that it was cut', async () => {
  const { keeper } = await open()
  const view = await keeper.attach({ stream: 'terminal', from: 0 })
  const digest = createHash('md5')
  let size = 0
  const read = (async () => {
    for await (const piece of view.output) {
      digest.update(piece)
      size += piece.length
    }
  })()
  const rounds = 20
  const burst = 1024 * 1024
  const script = `echo up; for n in $(seq ${rounds}); do read -r go; head -c ${burst} /dev/zero | tr '\\0' x; done; read -r go`
  await keeper.launch(shell(`stty -echo; ${script}`))
  const stopped = spawn(process.execPath, ['-e', reader, keeper.found.socket], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  mortal(identified(stopped.pid ?? 0))
  const said: string[] = []
  createInterface({ input: stopped.stdout }).on('line', (line) => said.push(line))
  await until(() => said.includes('attached'), 'the other client reads')
  process.kill(stopped.pid ?? 0, 'SIGSTOP')
  // Burst by burst, so that the one who reads is never far behind.
  for (let round = 1; round <= rounds; round += 1) {
    await keeper.input(Buffer.from('\n'))
    await until(() => size >= 'up\r\n'.length + round * burst, `burst ${round}`)
  }
  expect(memory(keeper.found.pid)).toBeLessThan(25)
  process.kill(stopped.pid ?? 0, 'SIGCONT')
  const last = await until(() => said.find((line) => line.includes('missed')), 'it hears that it was cut')
  expect(JSON.parse(last)).toMatch(/\{"cut":\{"missed":\d+\}\}$/)
  await keeper.input(Buffer.from('\n'))
  await read
  expect(digest.digest('hex')).toBe(
    createHash('md5')
      .update(`up\r\n${'x'.repeat(rounds * burst)}`)
      .digest('hex'),
  )
})

test('memory is small, and the same after 50 MB; so is the disk', async () => {
  const { keeper } = await open()
  await keeper.launch(shell('read -r go; exit 0'))
  expect(memory(keeper.found.pid)).toBeLessThan(25)
  await keeper.end(20_000)
  const ended = new Promise((resolve) => keeper.onEnded(resolve))
  const { output } = await keeper.launch(shell(printing))
  expect(await ended).toMatchObject({ launch: 2, code: 0 })
  const extent = (await keeper.status()).output.terminal ?? { from: 0, to: 0 }
  expect(extent.to - (output.terminal?.to ?? -1)).toBe(flood + 'end\r\n'.length)
  expect(extent.to - extent.from).toBeLessThanOrEqual(scrollbackLimits.segment * (scrollbackLimits.keep + 1))
  expect(memory(keeper.found.pid)).toBeLessThan(25)
})

test('a headless flood is spooled whole in the same memory', async () => {
  const { keeper } = await open({ terminal: null })
  const ended = new Promise((resolve) => keeper.onEnded(resolve))
  await keeper.launch(shell(printing))
  expect(await ended).toMatchObject({ code: 0 })
  expect((await keeper.status()).output.stdout).toEqual({ from: 0, to: flood + 4, dropped: 0 })
  expect(memory(keeper.found.pid)).toBeLessThan(25)
})

test('whoever does not speak the protocol is shown out, and the rest go on', async () => {
  const { keeper } = await open()
  for (const noise of [
    'GET / HTTP/1.1\r\n\r\n',
    '\0\0\0\u0002\0{}',
    '\0\0\0\u0001\u0001x',
    '\0\0\0\u0001\0{',
  ]) {
    const socket = connect(keeper.found.socket)
    onTestFinished(() => void socket.destroy())
    socket.on('error', () => {})
    socket.write(noise)
    socket.resume()
    await once(socket, 'close')
  }
  expect((await keeper.status()).state).toBe('opened')
})

test('requests of a keeper that is gone fail with its name', async () => {
  const { keeper } = await open()
  const other = await reachKeeper(keeper.found)
  await keeper.release()
  await until(() => !alive(keeper.found), 'it goes')
  expect(await codeOf(other.status())).toBe('keeper_gone')
  expect(await codeOf(reachKeeper(keeper.found))).toBe('keeper_gone')
  expect(protocol).toBe(3)
})
