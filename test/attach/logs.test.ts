// What an agent printed, as text: while it runs, after its end, and after its keeper's.
import { expect, test } from 'vitest'
import { alive } from '../../src/base/process/identity.ts'
import { world } from '../cli/kit.ts'
import { open, shell } from '../kit/keeper.ts'
import { person, program, stage, until } from './kit.ts'

const waited =
  'for n in 1 2 3; do echo line $n; done; printf "\\033[31mred\\033[0m and more"; read -r go; echo; exit 4'

test('logs and peek of a running agent', async () => {
  const { at } = await stage(waited)
  await until(async () => (await at.agency(['logs', 'coder'])).out.includes('more'), 'it has printed')
  expect((await at.agency(['logs', 'coder'])).out).toBe('line 1\nline 2\nline 3\nred and more\n')
  expect((await at.agency(['logs', 'coder', '--lines', '2'])).out).toBe('line 3\nred and more\n')
  expect((await at.agency(['peek', 'coder', '--lines', '1'])).out).toBe('red and more\n')
  expect(await at.json(['logs', 'coder'])).toEqual({
    agent: 'coder',
    lines: ['line 1', 'line 2', 'line 3', 'red and more'],
  })
  expect(await at.json(['peek', 'coder'])).toEqual({
    agent: 'coder',
    running: true,
    size: { columns: 80, rows: 24 },
    lines: ['line 1', 'line 2', 'line 3', 'red and more'],
    cursor: { column: 12, row: 3 },
    alternate: false,
  })
  expect((await at.agency(['logs', 'coder', '--raw'])).out).toContain('\u001b[31mred\u001b[0m')
})

test('an agent that has ended, with and without its keeper, and one whose keeper was killed', async () => {
  const { at, keeper } = await stage('echo all there was; exit 4')
  await until(async () => (await keeper.status()).state === 'ended', 'its end')
  expect((await at.agency(['logs', 'coder'])).out).toBe('all there was\n')
  const followed = await at.agency(['logs', 'coder', '-f'])
  expect([followed.code, followed.out]).toEqual([0, 'all there was\n'])
  expect(followed.err).toContain('"coder" ended with code 4.')
  await keeper.release()
  await until(() => !alive(keeper.found), 'the keeper goes')
  expect((await at.agency(['logs', 'coder'])).out).toBe('all there was\n')
  const peeked = await at.agency(['peek', 'coder'])
  expect(peeked.out).toBe('all there was\n')
  expect(peeked.err).toContain('ended with code 4')
  const one = person(at, `${program} attach coder`)
  expect(await one.left()).toBe('1')
  expect(one.got().replace(/\s+/g, ' ')).toContain('it ended with code 4')
  expect(one.got()).toContain('agency logs coder')
})

test('logs of one whose keeper was killed', async () => {
  const { at, keeper } = await stage('echo until then; read -r go')
  await until(async () => (await at.agency(['logs', 'coder'])).out === 'until then\n', 'it has printed')
  process.kill(keeper.found.pid, 'SIGKILL')
  await until(() => !alive(keeper.found), 'the keeper is gone')
  const said = await at.agency(['peek', 'coder'])
  expect(said.out).toBe('until then\n')
  expect(said.err).toContain('was lost with its keeper')
})

test('followed until the end, each line once, also the one that was half there', async () => {
  const { at, keeper } = await stage(
    'stty -echo; echo one; printf tw; read -r go; printf "o\\n"; for n in $(seq 500); do echo more $n; done; printf "10%%\\r100%%\\n"; exit 7',
  )
  await until(async () => (await at.agency(['logs', 'coder'])).out === 'one\ntw\n', 'it has printed')
  const child = at.start(['logs', 'coder', '--follow'])
  let [out, err] = ['', '']
  child.stdout?.on('data', (piece) => (out += piece))
  child.stderr?.on('data', (piece) => (err += piece))
  const code = new Promise((resolve) => child.once('close', resolve))
  await until(() => out.includes('one\n'), 'the first line')
  await until(async () => (await keeper.status()).attached > 0, 'it is attached')
  await keeper.input(Buffer.from('\n'))
  expect(await code).toBe(0)
  const more = Array.from({ length: 500 }, (_, n) => `more ${n + 1}\n`).join('')
  expect(out).toBe(`one\ntwo\n${more}100%\n`)
  expect(err).toContain('"coder" ended with code 7.')
})

test('a headless agent has logs, but no screen', async () => {
  const at = world()
  await at.agency(['init'])
  const { keeper } = await open({ terminal: null }, at.root)
  await keeper.launch(shell('echo \'{"type":"result"}\'; read -r go; exit 0'))
  await until(async () => (await at.agency(['logs', 'coder'])).out === '{"type":"result"}\n', 'its output')
  const said = await at.agency(['peek', 'coder'])
  expect(said.code).toBe(1)
  expect(said.err).toContain('works without one')
})

test.each([
  [['logs', 'coder', '--lines', '0'], '--lines'],
  [['peek', 'coder', '--lines', 'many'], '--lines'],
  [['logs', 'coder', '--follow', '--json'], '--json together with --follow'],
])('%j is refused with words', async (words, said) => {
  const at = world()
  await at.agency(['init'])
  const answer = await at.agency(words)
  expect(answer.code).toBe(2)
  expect(answer.out + answer.err).toContain(said)
})
