// A person at the terminal of an agent.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { alive } from '../../src/base/process/identity.ts'
import { world } from '../cli/kit.ts'
import { identified, open } from '../kit/keeper.ts'
import { firstRun } from '../twin/place.ts'
import { attach, detachKey, expectRestored, person, program, stage, until } from './kit.ts'

test('the screen is there at once, keys arrive, Ctrl-C is the agent’s, and the key detaches', async () => {
  const { at, keeper } = await stage(
    `trap 'echo got-int' INT; echo early; while :; do read -r line && echo "said <$line>"; done`,
  )
  const one = person(at, attach)
  await one.shows('early')
  one.type('hello\r')
  await one.shows('said <hello>')
  one.type('\u0003')
  await one.shows('got-int')
  await one.shows('Ctrl-\\ detaches')
  one.type(detachKey)
  expect(await one.left()).toBe('0')
  expect(one.rows().join('\n')).toContain('Detached: "coder" goes on.')
  expectRestored(one)
  expect((await keeper.status()).state).toBe('running')
})

test.each([
  ['exit 3', '"coder" ended with code 3.'],
  ['kill -KILL $$', '"coder" was ended by SIGKILL.'],
])('when the agent ends by `%s` it says so and exits 0', async (end, said) => {
  const { at } = await stage(`echo up; read -r go; echo last words; ${end}`)
  const one = person(at, attach)
  await one.shows('up')
  one.type('\r')
  expect(await one.left()).toBe('0')
  expect(one.everything()).toContain('last words')
  expect(one.everything()).toContain(said)
  expectRestored(one)
  // Its keeper still stands: its last screen is shown, and how it ended.
  const late = person(at, attach)
  expect(await late.left()).toBe('0')
  expect(late.everything()).toContain('last words')
  expect(late.everything()).toContain(said)
  expectRestored(late)
})

/** Everything a program can switch on, on the screen of an editor. */
const switched =
  "printf '\\033[?1049h\\033[?1h\\033=\\033[?1000h\\033[?1003h\\033[?1006h\\033[?1004h\\033[?2004h\\033[?25l\\033[?7l\\033[4h\\033[3;9r\\033[>1u\\033[>4;2m\\033[5 q\\033[31mswitched'"

const endings: [string, (pid: number, keeper: number) => unknown, string][] = [
  ['SIGTERM', (pid) => process.kill(pid, 'SIGTERM'), '143'],
  ['SIGHUP', (pid) => process.kill(pid, 'SIGHUP'), '129'],
  ['SIGINT', (pid) => process.kill(pid, 'SIGINT'), '130'],
  ['a second SIGTERM', (pid) => process.kill(pid, 'SIGTERM') && process.kill(pid, 'SIGTERM'), '143'],
  ['a keeper that is killed', (_, keeper) => process.kill(keeper, 'SIGKILL'), '1'],
]
test.each(endings)('%s leaves the terminal as it was', async (_, end, code) => {
  const { at, keeper } = await stage(`${switched}; read -r go`)
  const one = person(at, attach)
  await one.shows('switched')
  await one.shows('detaches')
  // Live, not only painted: the program was there before us.
  expect(one.terminal.modes).toMatchObject({ bracketedPasteMode: true, mouseTrackingMode: 'any' })
  expect(one.terminal.buffer.active.type).toBe('alternate')
  end(one.pid(), keeper.found.pid)
  expect(await one.left()).toBe(code)
  expectRestored(one)
  // What the emulator does not know of.
  for (const undone of ['\u001b[<1u', '\u001b[>4m', '\u001b[0 q', '\u001b[?1006l'])
    expect(one.got()).toContain(undone)
})

test('switched on while attached, and left by the key or by the agent’s end: the same', async () => {
  const { at } = await stage(`echo up; read -r go; ${switched}; stty -echo; read -r go`)
  const one = person(at, attach)
  await one.shows('up')
  one.type('\r')
  await one.shows('switched')
  expect(one.terminal.modes).toMatchObject({ bracketedPasteMode: true, sendFocusMode: true })
  // As the kitty protocol, which it asked for, has it.
  one.type('\u001b[92;5u')
  expect(await one.left()).toBe('0')
  expectRestored(one)
  const two = person(at, attach)
  await two.shows('switched')
  two.type('\r')
  expect(await two.left()).toBe('0')
  expectRestored(two)
})

test('two people see the same, and both may type', async () => {
  const { at, keeper } = await stage('echo up; while read -r line; do echo "said <$line>"; done')
  const [one, two] = [person(at, attach), person(at, attach)]
  await Promise.all([one.shows('up'), two.shows('up')])
  one.type('first\r')
  await Promise.all([one.shows('said <first>'), two.shows('said <first>')])
  two.type('second\r')
  await Promise.all([one.shows('said <second>'), two.shows('said <second>')])
  one.type(detachKey)
  expect(await one.left()).toBe('0')
  two.type('third\r')
  await two.shows('said <third>')
  expect((await keeper.status()).attached).toBe(1)
})

test('a resized window resizes the agent, which has all of it but the bar', async () => {
  const { at } = await stage(`trap 'stty size' WINCH; echo up; while :; do read -r line; done`)
  const one = person(at, attach)
  await one.shows('up')
  await one.shows('detaches')
  one.resize({ columns: 100, rows: 40 })
  await one.shows('39 100')
  await until(() => one.rows().at(-1)?.includes('detaches'), 'the bar on the new last row')
  expect(one.rows().filter((row) => row.includes('detaches'))).toHaveLength(1)
  one.resize({ columns: 60, rows: 12 })
  await one.shows('11 60')
  await until(() => one.rows().at(-1)?.includes('detaches'), 'the bar on the last row again')
  one.type(detachKey)
  expect(await one.left()).toBe('0')
  expectRestored(one)
  const bare = person(at, `${attach} --no-bar`, { columns: 90, rows: 30 })
  await bare.shows('30 90')
  expect(bare.rows().join('')).not.toContain('detaches')
  bare.type(detachKey)
  expect(await bare.left()).toBe('0')
  expectRestored(bare)
})

test('the bar survives whatever the program does to the screen', async () => {
  const acts = [
    "for n in $(seq 60); do echo line $n; done; printf 'scrolled'",
    "printf '\\033[2J\\033[H cleared'",
    "printf '\\033[999;1H bottom'",
    "printf '\\033[r\\033[999;1H\\n\\n\\n unconfined'",
    "printf '\\033[?1049h\\033[H\\033[Jeditor'; printf '\\033[99d\\r last'",
    "printf '\\033[?1049l back'",
    "printf '\\033c reset'",
    "printf '\\033[!p soft'",
    "printf '\\033#8\\033[H aligned'",
  ]
  const words = acts.map((act) => /([a-z]+)'$/.exec(act)?.[1] ?? '')
  const { at } = await stage(
    `stty -echo; echo up; ${acts.map((act) => `read -r go; ${act}`).join('; ')}; read -r go`,
  )
  const one = person(at, attach)
  await one.shows('up')
  for (const word of words) {
    one.type('\r')
    await one.shows(word)
    await until(
      () => one.rows().at(-1)?.startsWith(' coder | host away'),
      `the bar after ${word}\n${one.rows().join('\n')}`,
    )
    expect(one.rows().filter((row) => row.includes('detaches'))).toHaveLength(1)
  }
  one.type(detachKey)
  expect(await one.left()).toBe('0')
  expectRestored(one)
})

test('who comes late can scroll back, and finds what was on the screen before above it', async () => {
  const { at } = await stage('for n in $(seq 200); do echo line $n of many; done; echo up; read -r go')
  const one = person(at, attach)
  await one.shows('up')
  await one.shows('detaches')
  const all = one.everything().split('\n')
  const lines = all.filter((line) => line.endsWith('of many'))
  expect(lines).toEqual(Array.from({ length: 200 }, (_, n) => `line ${n + 1} of many`))
  expect(all.indexOf('before')).toBeGreaterThanOrEqual(0)
  expect(all.indexOf('before')).toBeLessThan(all.indexOf('line 1 of many'))
})

test('one that was stopped while much was printed is cut, comes back by itself and sees what is there', async () => {
  const flood = "head -c 7000000 /dev/zero | tr '\\0' x; printf '\\033[2J\\033[Hflooded'"
  const { at, keeper } = await stage(
    `stty -echo; echo up; read -r go; ${flood}; while read -r line; do echo "said <$line>"; done`,
  )
  const one = person(at, attach)
  await one.shows('up')
  const pid = one.pid()
  process.kill(pid, 'SIGSTOP')
  const watching = await keeper.attach({ stream: 'terminal', from: 'end' })
  let seen = ''
  void (async () => {
    for await (const piece of watching.output) seen = (seen + piece.toString('latin1')).slice(-100)
  })()
  await keeper.input(Buffer.from('\n'))
  await until(() => seen.includes('flooded'), 'the flood is over, though one client is stopped')
  process.kill(pid, 'SIGCONT')
  await until(() => one.rows()[0]?.startsWith('flooded'), 'the screen as it is')
  one.type('still here\r')
  await one.shows('said <still here>')
  one.type(detachKey)
  expect(await one.left()).toBe('0')
  expectRestored(one)
})

test('without a terminal it says what to use instead', async () => {
  const { at } = await stage('echo up; read -r go')
  const said = await at.agency(['attach', 'coder'])
  expect(said.code).toBe(2)
  expect(said.err).toContain('needs a terminal')
  expect(said.err).toContain('agency peek coder')
  expect(said.err).toContain('agency logs coder --follow')
})

test.each([
  [`${attach} --detach-key ctrl-c`, '2', 'always go to the agent'],
  [`${program} attach codr`, '1', 'Did you mean "coder"?'],
  [`${program} attach ../x`, '2', 'agent name'],
  [`AGENCY_ACTOR=other ${attach}`, '1', 'Only a person'],
])('%s is refused, and the terminal not touched', async (command, code, words) => {
  const { at } = await stage('echo up; read -r go')
  const one = person(at, command)
  expect(await one.left()).toBe(code)
  expect(one.got()).toContain(words)
  expect(one.got()).not.toContain('\u001b[?')
})

test('the key may be set for the root', async () => {
  const { at } = await stage('echo up; read -r go')
  expect((await at.agency(['config', 'set', 'attach.detach_key', 'ctrl-c'])).code).toBe(2)
  expect((await at.agency(['config', 'set', 'attach.detach_key', 'ctrl-]'])).code).toBe(0)
  const one = person(at, attach)
  await one.shows('Ctrl-] detaches')
  one.type('\u001d')
  expect(await one.left()).toBe('0')
})

test('another key may detach; then Ctrl-\\ is the agent’s', async () => {
  const { at } = await stage(`trap 'echo got-quit' QUIT; echo up; while :; do read -r line; done`)
  const one = person(at, `${attach} --detach-key ctrl-]`)
  await one.shows('Ctrl-] detaches')
  one.type(detachKey)
  await one.shows('got-quit')
  one.type('\u001d')
  expect(await one.left()).toBe('0')
  expectRestored(one)
})

test('whoever closes the window leaves the agent at work', async () => {
  const { at, keeper } = await stage('echo up; read -r go; exit 5')
  const one = person(at, attach)
  await one.shows('up')
  await until(async () => (await keeper.status()).attached === 1, 'it is attached')
  const seated = identified(one.pid())
  one.close()
  await until(() => !alive(seated), 'the command ends with its window')
  await until(async () => (await keeper.status()).attached === 0, 'nobody is attached')
  expect((await keeper.status()).state).toBe('running')
})

test('one that was stopped and is continued takes the terminal again', async () => {
  const { at } = await stage('while read -r line; do echo "said <$line>"; done')
  const one = person(at, attach)
  await one.shows('detaches')
  const pid = one.pid()
  process.kill(pid, 'SIGSTOP')
  await until(() => readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') T '), 'it is stopped')
  one.terminal.write('\u001b[Hscribbled')
  process.kill(pid, 'SIGCONT')
  await until(() => !one.rows().join('').includes('scribbled'), 'the screen as it was')
  one.type('hello\r')
  await one.shows('said <hello>')
})

test('the scripted agent: a prompt is typed, its answer is seen, /exit ends it', async () => {
  const at = world()
  await at.agency(['init'])
  const [scenario, config] = [join(at.folder, 'scenario.json'), join(at.folder, 'config')]
  writeFileSync(scenario, JSON.stringify({ scripts: [{ replies: [{ text: 'as you wish' }] }] }))
  mkdirSync(config)
  writeFileSync(join(config, '.claude.json'), JSON.stringify(firstRun(at.cwd)))
  const { keeper } = await open({}, at.root)
  await keeper.launch({
    argv: [resolve('bin/scripted')],
    env: {
      PATH: process.env.PATH ?? '',
      HOME: at.home,
      AGENCY_SCENARIO: scenario,
      CLAUDE_CONFIG_DIR: config,
    },
    cwd: at.cwd,
  })
  const one = person(at, attach)
  await one.shows('detaches')
  // Before that it would take the paste for keys.
  await until(() => one.terminal.modes.bracketedPasteMode, 'it asks for pastes in brackets')
  one.type('\u001b[200~do it\u001b[201~\r')
  await one.shows('as you wish')
  one.type('/exit\r')
  expect(await one.left()).toBe('0')
  expect(one.everything()).toContain('"coder" ended with code 0.')
  expectRestored(one)
})
