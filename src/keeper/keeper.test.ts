// A session in a real terminal, and a headless one: launched, read, typed into, ended.
import { createHash, randomBytes } from 'node:crypto'
import { readdirSync, readFileSync, readlinkSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import {
  env,
  identified,
  mortal,
  open,
  orderIn,
  place,
  program,
  reading,
  shell,
  tokens,
  until,
  whole,
} from '../../test/kit/keeper.ts'
import { codeOf } from '../../test/kit/stores.ts'
import { alive, identify } from '../base/process/identity.ts'
import { findKeepers, readExit } from './find.ts'
import { readScrollback } from './output.ts'
import { reachKeeper } from './reach.ts'
import { spareKeeper, startKeeper } from './start.ts'

const linkOf = (path: string): string => {
  try {
    return readlinkSync(path)
  } catch {
    // Closed since it was listed.
    return ''
  }
}

test('a session is opened, launched, printed, ended and released', async () => {
  const { root, keeper } = await open()
  expect(await keeper.status()).toMatchObject({ state: 'opened', child: null, exit: null, launches: 0 })
  const view = await keeper.attach({ stream: 'terminal', from: 0 })
  const { pid, started } = await keeper.launch(
    shell('stty size; tty >/dev/null && echo "hello $X"; exit 3', { X: 'you' }),
  )
  expect(started).not.toBe('')
  expect((await whole(view)).toString()).toBe('24 80\r\nhello you\r\n')
  const over = await view.over
  const exit = {
    launch: 1,
    code: 3,
    signal: null,
    at: expect.any(String),
    asked: false,
    forced: false,
    left: [],
  }
  expect(over).toEqual({ kind: 'ended', exit })
  expect(await readExit(keeper.found.directory)).toEqual(exit)
  expect(await keeper.status()).toMatchObject({ state: 'ended', child: null, exit, launches: 1 })
  expect(alive({ pid, started })).toBe(false)
  expect(readScrollback(join(keeper.found.directory, 'scrollback')).toString()).toBe('24 80\r\nhello you\r\n')
  expect(await findKeepers(root)).toEqual([keeper.found])
  await keeper.release()
  await until(() => !alive(keeper.found), 'the keeper goes')
  expect(await findKeepers(root)).toEqual([])
  expect(await readExit(keeper.found.directory)).toEqual(exit)
})

test('the output is whole to the last byte, 20 times', async () => {
  const { keeper } = await open()
  const bytes = 1_000_000
  for (let round = 1; round <= 20; round += 1) {
    const { output } = await keeper.launch(
      shell(`head -c ${bytes} /dev/zero | tr '\\0' x; printf '<${round}>'`, {}),
    )
    const view = await keeper.attach({ stream: 'terminal', from: output.terminal?.to ?? -1 })
    const text = (await whole(view)).toString('latin1')
    expect(await view.over).toMatchObject({ kind: 'ended', exit: { launch: round, code: 0 } })
    expect(text.length).toBe(bytes + `<${round}>`.length)
    expect(text.endsWith(`x<${round}>`)).toBe(true)
  }
})

test('a signal is recorded, and what came before it is kept', async () => {
  const { keeper } = await open()
  await keeper.launch(shell('echo before; kill -9 $$'))
  const exit = await until(
    () => readExit(keeper.found.directory).then((e) => (e?.left ? e : undefined)),
    'the exit',
  )
  expect(exit).toMatchObject({ code: null, signal: 'SIGKILL', asked: false, forced: false, left: [] })
  expect(readScrollback(join(keeper.found.directory, 'scrollback')).toString()).toBe('before\r\n')
})

test('what is typed arrives, Ctrl-C interrupts, and the window of whoever was active last decides', async () => {
  const { keeper } = await open()
  await keeper.launch(
    shell(
      'trap "echo interrupted" INT; trap "stty size" WINCH; echo ready; while :; do read -r line && echo "got $line"; done',
    ),
  )
  const first = await keeper.attach({ stream: 'terminal', from: 0, size: { columns: 100, rows: 30 } })
  const seen = reading(first)
  await until(() => seen().includes('ready'), 'the program is up')
  expect((await keeper.status()).size).toEqual({ columns: 100, rows: 30 })
  first.input(Buffer.from('äb\n'))
  await until(() => seen().includes('got \u00c3\u00a4b'), 'the line arrives')
  first.input(Buffer.from('\u0003'))
  await until(() => seen().includes('interrupted'), 'Ctrl-C')
  const second = await keeper.attach({ stream: 'terminal', from: 'end', size: { columns: 40, rows: 10 } })
  await until(() => seen().includes('10 40'), 'the second window decides')
  first.input(Buffer.from('x\n'))
  await until(async () => (await keeper.status()).size?.columns === 100, 'the first window decides again')
  await second.resize({ columns: 41, rows: 11 })
  await until(() => seen().includes('11 41'), 'it changes its window')
  second.close()
  await until(async () => (await keeper.status()).size?.columns === 100, 'the one who stays decides')
  first.close()
  await until(async () => (await keeper.status()).attached === 0, 'nobody is attached')
  expect((await keeper.status()).size).toEqual({ columns: 100, rows: 30 })
})

test('a long paste into a program that does not read holds up nobody, and arrives whole when it reads', async () => {
  const { root, keeper } = await open()
  const seen = reading(await keeper.attach({ stream: 'terminal', from: 0 }))
  const go = join(root, 'go')
  const waiting =
    'stty raw -echo; echo ready; until [ -e "$GO" ]; do sleep 0.05; done; head -c 400000 | md5sum'
  await keeper.launch(shell(waiting, { GO: go }))
  await until(() => seen().includes('ready'), 'it is up')
  const paste = randomBytes(200_000).toString('hex')
  let taken = false
  const typed = keeper.input(Buffer.from(paste)).then(() => {
    taken = true
  })
  expect(await codeOf(keeper.input(Buffer.alloc(1_000_000)))).toBe('input_full')
  expect([(await keeper.status()).state, taken]).toEqual(['running', false])
  writeFileSync(go, '')
  await typed
  await until(() => seen().includes(createHash('md5').update(paste).digest('hex')), 'all of it has arrived')
})

test('a child inherits nothing of its keeper', async () => {
  const { keeper } = await open()
  const view = await keeper.attach({ stream: 'terminal', from: 0 })
  await keeper.launch(shell('ls -l /proc/$$/fd; env', { ONLY: 'this' }))
  const text = (await whole(view)).toString()
  // What this test has got from whoever runs it goes on to everybody.
  const ours = readdirSync('/proc/self/fd').map((fd) => linkOf(`/proc/self/fd/${fd}`))
  const targets = [...text.matchAll(/ -> '?([^\s']+)/g)].map(([, target]) => target ?? '')
  expect(targets.length).toBeGreaterThan(2)
  expect(
    targets.filter((target) => !/^\/dev\/(pts\/\d+|null)$/.test(target) && !ours.includes(target)),
  ).toEqual([])
  expect(text).toContain('ONLY=this')
  expect(text).toMatch(/AGENCY_KEEPER=[0-9a-f]{32}\r/)
  expect(text).not.toContain(tokens.hookToken)
})

test('a headless session has its streams apart, its input from the launch, and no terminal', async () => {
  const { keeper } = await open({ terminal: null })
  const out = await keeper.attach({ stream: 'stdout', from: 0 })
  const err = await keeper.attach({ stream: 'stderr', from: 0 })
  const stdin = 'x'.repeat(300_000)
  await keeper.launch({ ...shell('wc -c; echo bad >&2; tty; exit 4'), stdin })
  expect((await whole(out)).toString()).toBe('300000\nnot a tty\n')
  expect((await whole(err)).toString()).toBe('bad\n')
  expect(await out.over).toMatchObject({ kind: 'ended', exit: { code: 4 } })
  expect(readFileSync(join(keeper.found.directory, 'stdout'), 'utf8')).toBe('300000\nnot a tty\n')
  expect(await codeOf(keeper.input(Buffer.from('x')))).toBe('keeper_state')
  expect(await codeOf(keeper.attach({ stream: 'terminal', from: 0 }))).toBe('keeper_state')
})

test('a second launch has the environment of the first, which is nowhere else', async () => {
  const { keeper } = await open()
  const secret = 'marked-secret-42'
  await keeper.launch(shell('exit 0', { SECRET: secret }))
  expect(await codeOf(keeper.release())).toBe('keeper_state')
  const first = await keeper.end(20_000)
  expect(first).toMatchObject({ launch: 1 })
  const { output, launch } = await keeper.launch({
    argv: ['sh', '-c', '[ "$SECRET" = marked-secret-42 ] && exit 7'],
    cwd: '/',
  })
  expect(launch).toBe(2)
  const view = await keeper.attach({ stream: 'terminal', from: output.terminal?.to ?? -1 })
  expect(await view.over).toMatchObject({ kind: 'ended', exit: { launch: 2, code: 7 } })
  const { directory, pid } = keeper.found
  for (const name of readdirSync(directory).filter((name) => statSync(join(directory, name)).isFile())) {
    const text = readFileSync(join(directory, name), 'utf8')
    for (const hidden of [secret, tokens.hookToken, tokens.telemetryToken]) expect(text).not.toContain(hidden)
    expect([name, (statSync(join(directory, name)).mode & 0o777).toString(8)]).toEqual([name, '600'])
  }
  expect(statSync(join(directory, 'keeper.sock')).mode & 0o777).toBe(0o600)
  expect(statSync(directory).mode & 0o777).toBe(0o700)
  for (const file of ['environ', 'cmdline'])
    for (const hidden of [secret, tokens.hookToken])
      expect(readFileSync(`/proc/${pid}/${file}`, 'utf8')).not.toContain(hidden)
})

test('what cannot be started is said, and the keeper stays ready', async () => {
  const { root, keeper } = await open()
  const order = { argv: ['true'], env, cwd: '/' }
  expect(await codeOf(keeper.launch({ ...order, argv: ['no-such-program'] }))).toBe('program_missing')
  expect(await codeOf(keeper.launch({ ...order, argv: ['/etc/passwd'] }))).toBe('program_missing')
  expect(await codeOf(keeper.launch({ ...order, argv: ['/tmp'] }))).toBe('program_missing')
  expect(await codeOf(keeper.launch({ ...order, argv: ['true', 'x'.repeat(200_000)] }))).toBe(
    'program_missing',
  )
  expect(await codeOf(keeper.launch({ ...order, cwd: join(root, 'none') }))).toBe('directory_missing')
  expect(await codeOf(keeper.signal('SIGINT'))).toBe('keeper_state')
  expect(await keeper.end(0)).toBe(null)
  const ended = new Promise((resolve) => keeper.onEnded(resolve))
  await keeper.launch(order)
  expect(await ended).toMatchObject({ launch: 1, code: 0 })
})

test('one keeper for a session; what is there is found and spoken to by pid and start time', async () => {
  const { root, keeper } = await open()
  expect(await codeOf(startKeeper({ program, opening: orderIn(root) }))).toBe('keeper_not_started')
  expect((await keeper.status()).state).toBe('opened')
  expect(await codeOf(reachKeeper({ ...keeper.found, started: 'another' }))).toBe('keeper_gone')
  const other = await reachKeeper(keeper.found)
  expect((await other.status()).card.pid).toBe(keeper.found.pid)
  other.close()
})

test('a keeper that cannot start says why', async () => {
  const opening = orderIn('/etc/passwd')
  await expect(startKeeper({ program, opening })).rejects.toThrow(
    /The keeper of coder could not start: .*ENOTDIR/,
  )
  await expect(startKeeper({ program: [process.execPath, '/no/such.js'], opening })).rejects.toThrow(
    /Cannot find module/,
  )
  await expect(startKeeper({ program: ['/no/such/node'], opening })).rejects.toThrow(/ENOENT/)
})

test('a spare waits for its opening, and goes when nobody needs it', async () => {
  const spare = await spareKeeper(program)
  mortal(identify(spare.pid))
  const keeper = await spare.open(orderIn(place()))
  onTestFinished(() => keeper.close())
  expect(keeper.found.pid).toBe(spare.pid)
  const other = await spareKeeper(program)
  const identity = identified(other.pid)
  mortal(identity)
  other.close()
  await until(() => !alive(identity), 'the other spare goes')
})

test('a keeper that is never launched goes after its time', async () => {
  const { root, keeper } = await open({ launchDeadline: 300 })
  await until(() => !alive(keeper.found), 'it goes')
  expect(await findKeepers(root)).toEqual([])
})

test('a keeper knows what another launch needs, of the launch that named it last', async () => {
  const { keeper } = await open()
  expect(await keeper.recall()).toEqual({ caller: null, ...tokens })
  await keeper.launch({ ...shell('exit 0'), caller: { WHO: 'me' } })
  await keeper.end(5_000)
  expect(await keeper.recall()).toEqual({ caller: { WHO: 'me' }, ...tokens })
  await keeper.launch(shell('exit 0'))
  await keeper.end(5_000)
  expect(await keeper.recall()).toEqual({ caller: { WHO: 'me' }, ...tokens })
  expect(readFileSync(join(keeper.found.directory, 'keeper.log'), 'utf8')).not.toContain('WHO')
})
