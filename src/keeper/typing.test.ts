// Messages typed into a real terminal: once each, whole, and never into what changed meanwhile.
import { randomBytes } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { env, hook, json, open, reading, shell, standIn, until } from '../../test/kit/keeper.ts'
import { codeOf } from '../../test/kit/stores.ts'
import { connect } from './connect.ts'
import { type Keeper, type Message, reachKeeper } from './reach.ts'
import type { Typed } from './schema.ts'

/** Prints what it reads, in hex, between two dots. */
const mirror = `
process.stdin.setRawMode(true)
process.stdin.on('data', (bytes) => process.stdout.write('.' + bytes.toString('hex') + '.'))
process.stdout.write('ready')
`
/** Reads nothing. */
const deaf = 'stty raw -echo; echo ready; while :; do sleep 1; done'

const input = { hook_event_name: 'PreToolUse', tool_name: 'Bash' }
const text = (words: string): Buffer => Buffer.from(words)
const hex = (words: string): string => text(words).toString('hex')

const launched = async (launch: Parameters<Keeper['launch']>[0], terminal = true) => {
  const { root, keeper } = await open(terminal ? {} : { terminal: null })
  const view = terminal ? await keeper.attach({ stream: 'terminal', from: 0 }) : undefined
  const seen = view === undefined ? () => '' : reading(view)
  await keeper.launch(launch)
  if (terminal) await until(() => seen().includes('ready'), 'it is up')
  const arrived = (): string =>
    seen()
      .replace(/^.*ready/s, '')
      .replaceAll('.', '')
  return { root, keeper, view: view as NonNullable<typeof view>, arrived }
}
const mirrored = () => launched({ argv: [process.execPath, '-e', mirror], env, cwd: '/' })

const message = async (keeper: Keeper, key: string, ...steps: Message['steps']): Promise<Message> => ({
  key,
  stamp: (await keeper.status()).stamp,
  steps,
})

test('a message is typed step by step, and never again under its key', async () => {
  const { keeper, arrived } = await mirrored()
  const first = await message(keeper, 'm-1', text('hello'), { pause: 20 }, text('\r'))
  expect(await keeper.type(first)).toEqual({ typed: 'now', stamp: first.stamp, hooksWaiting: 0 })
  expect(await keeper.type(first)).toEqual({ typed: 'before', stamp: first.stamp, hooksWaiting: 0 })
  expect(await keeper.type({ ...first, stamp: first.stamp + 9 })).toMatchObject({ typed: 'before' })
  expect(await keeper.type({ ...first, key: 'm-2', steps: [text('!')] })).toMatchObject({ typed: 'now' })
  expect(await keeper.typed(['m-2', 'm-3', 'm-1'])).toEqual(['m-2', 'm-1'])
  await until(() => arrived().endsWith(hex('!')), 'all of it arrives')
  expect(arrived()).toBe(hex('hello\r!'))
})

test('of two who type the same message at once exactly one does', async () => {
  const { keeper, arrived } = await mirrored()
  const other = await reachKeeper(keeper.found)
  onTestFinished(other.close)
  for (let round = 0; round < 10; round += 1) {
    const one = await message(keeper, `m-${round}`, text('a'), { pause: 5 }, text('b'))
    const answers = await Promise.all([keeper, other, keeper, other].map((way) => way.type(one)))
    expect(answers.map(({ typed }) => typed).sort()).toEqual(['before', 'before', 'before', 'now'])
  }
  await until(() => arrived().length === hex('ab').length * 10, 'ten times')
  expect(arrived()).toBe(hex('ab').repeat(10))
})

test('different messages at once do not mix', async () => {
  const { keeper, arrived } = await mirrored()
  const { stamp } = await keeper.status()
  const words = ['one', 'two', 'three', 'four']
  const answers = await Promise.all([
    ...words.map((word) =>
      keeper.type({ key: word, stamp, steps: [text(`${word}-`), { pause: 10 }, text(word)] }),
    ),
    keeper.input(text('plain')),
  ])
  expect(answers.slice(0, 4).map((answer) => answer?.typed)).toEqual(['now', 'now', 'now', 'now'])
  const whole = [...words.map((word) => `${word}-${word}`), 'plain'].map(hex).join('')
  await until(() => arrived().length === whole.length, 'all of it')
  expect(arrived()).toBe(whole)
})

test('what a person types in the middle of a message comes after it, and makes what is known old', async () => {
  const { keeper, view, arrived } = await mirrored()
  const one = await message(keeper, 'm-1', text('begin'), { pause: 1500 }, text('end'))
  const typing = keeper.type(one)
  await until(() => arrived().endsWith(hex('begin')), 'it has begun')
  view.input(text('person'))
  await until(async () => (await keeper.status()).stamp === one.stamp + 1, 'their keys have come')
  expect(await keeper.type({ ...one, key: 'm-2' })).toEqual({
    typed: 'refused',
    stamp: one.stamp + 1,
    hooksWaiting: 0,
  })
  expect(await typing).toEqual({ typed: 'now', stamp: one.stamp + 1, hooksWaiting: 0 })
  await until(() => arrived().endsWith(hex('person')), 'they arrive')
  expect(arrived()).toBe(hex('beginendperson'))
  expect(await keeper.typed(['m-1', 'm-2'])).toEqual(['m-1'])
})

test('what waited for its turn while something came is refused as well', async () => {
  const { keeper, view, arrived } = await mirrored()
  const { stamp } = await keeper.status()
  const first = keeper.type({ key: 'm-1', stamp, steps: [text('a'), { pause: 1500 }] })
  await until(() => arrived().endsWith(hex('a')), 'it has begun')
  const second = keeper.type({ key: 'm-2', stamp, steps: [text('b')] })
  // On the same line, so the second has come before it is answered; then a person types.
  await keeper.status()
  view.input(text('c'))
  expect([(await first).typed, (await second).typed]).toEqual(['now', 'refused'])
  await until(() => arrived().endsWith(hex('c')), 'the person')
  expect(arrived()).toBe(hex('ac'))
  expect(await keeper.type(await message(keeper, 'm-2', text('b')))).toMatchObject({ typed: 'now' })
})

test('the host itself may type without making what it knows old; a hook does', async () => {
  const { root, keeper } = await mirrored()
  await standIn(`${root}/host.sock`, (_, response) => void response.writeHead(204).end())
  const { stamp } = await keeper.status()
  await keeper.input(text('x'))
  expect((await keeper.status()).stamp).toBe(stamp)
  expect((await hook(keeper, input)).status).toBe(204)
  expect((await hook(keeper, 'no json')).status).toBe(400)
  expect((await hook(keeper, input, { token: 'somebody-elses-token' })).status).toBe(401)
  expect((await keeper.status()).stamp).toBe(stamp + 2)
  expect(await keeper.type({ key: 'm-1', stamp, steps: [text('x')] })).toEqual({
    typed: 'refused',
    stamp: stamp + 2,
    hooksWaiting: 0,
  })
})

test('while a hook waits for its answer nothing is typed', async () => {
  const { root, keeper, arrived } = await mirrored()
  const answer = hook(keeper, input)
  await until(async () => (await keeper.status()).hooksWaiting === 1, 'the hook waits')
  const one = await message(keeper, 'm-1', text('x'))
  expect(await keeper.type(one)).toEqual({ typed: 'refused', stamp: one.stamp, hooksWaiting: 1 })
  expect(await keeper.typed(['m-1'])).toEqual([])
  await standIn(`${root}/host.sock`, (_, response) => json(response, { decision: 'allow' }))
  expect((await answer).status).toBe(200)
  expect(await keeper.type(one)).toMatchObject({ typed: 'now' })
  await until(() => arrived() === hex('x'), 'it arrives')
})

test.each([
  ['allowed', 200, '{"decision":"allow"}'],
  ['let go', 204, ''],
])(
  'a hook that comes during a message reaches the host at once, and is %s after the last step',
  async (_, status, body) => {
    const { root, keeper, arrived } = await mirrored()
    const host = await standIn(
      `${root}/host.sock`,
      (_, response) => void response.writeHead(status).end(body === '' ? undefined : body),
    )
    const pause = 2000
    const one = await message(keeper, 'm-1', text('begin'), { pause }, text('end'))
    const began = performance.now()
    const typing = keeper.type(one)
    await until(() => arrived().endsWith(hex('begin')), 'it has begun')
    const asking = hook(keeper, input)
    await until(() => host.asked.length === 1, 'the host hears of it')
    expect(arrived()).toBe(hex('begin'))
    expect(await asking).toEqual({ status, text: body })
    expect(performance.now() - began).toBeGreaterThan(pause - 5)
    expect(await typing).toMatchObject({ typed: 'now', stamp: one.stamp + 1 })
    await until(() => arrived() === hex('beginend'), 'all of it')
    expect((await keeper.status()).hooksWaiting).toBe(0)
  },
)

test('a refusal by the keeper opens no dialog, and is not held back', async () => {
  const { keeper, arrived } = await mirrored()
  const one = await message(keeper, 'm-1', text('begin'), { pause: 5000 }, text('end'))
  let over = false
  const typing = keeper.type(one).then(() => {
    over = true
  })
  await until(() => arrived().endsWith(hex('begin')), 'it has begun')
  expect((await hook(keeper, { hook_event_name: 'Hasty' })).text).toContain('did not answer')
  expect(over).toBe(false)
  await typing
})

test('without a running child nothing is typed, and the key stays free', async () => {
  const { keeper, arrived } = await mirrored()
  const one = await message(keeper, 'm-1', text('x'))
  await keeper.end(20_000)
  expect(await keeper.type(one)).toMatchObject({ typed: 'refused' })
  expect(await keeper.typed(['m-1'])).toEqual([])
  await keeper.launch({ argv: [process.execPath, '-e', mirror], cwd: '/' })
  expect(await keeper.type(one)).toMatchObject({ typed: 'now' })
  expect(arrived()).not.toContain(hex('x'))
  const headless = await launched(shell('exec sleep 600'), false)
  expect(await codeOf(headless.keeper.type({ ...one, stamp: 0 }))).toBe('keeper_state')
})

test.each([
  ['before its last bytes', [text('end')]],
  ['after them', []],
])(
  'a child that ends in the middle, %s, is an error, and the message is not typed to the next',
  async (_, rest) => {
    const { keeper, arrived } = await mirrored()
    const one = await message(keeper, 'm-1', text('begin'), { pause: 3000 }, ...rest)
    const typing = expect(keeper.type(one)).rejects.toThrow(/only in part: it ended meanwhile/)
    await until(() => arrived().endsWith(hex('begin')), 'it has begun')
    await keeper.end(20_000)
    const { output } = await keeper.launch({ argv: [process.execPath, '-e', mirror], cwd: '/' })
    const next = reading(await keeper.attach({ stream: 'terminal', from: output.terminal?.to ?? -1 }))
    await typing
    expect(await keeper.type(one)).toMatchObject({ typed: 'before' })
    await until(() => next().includes('ready'), 'the next is up')
    await keeper.input(text('other'))
    await until(() => next().includes(hex('other')), 'the next reads')
    expect(next()).not.toContain(hex('end'))
  },
)

test('a child that reads nothing is an error after a while; hooks are answered then, and persons have their turn', async () => {
  const { root, keeper, view } = await launched(shell(deaf))
  await standIn(`${root}/host.sock`, (_, response) => void response.writeHead(204).end())
  const typing = codeOf(keeper.type(await message(keeper, 'm-1', randomBytes(40_000), text('end'))))
  const asking = hook(keeper, input)
  view.input(text('person'))
  expect(await typing).toBe('typing_stopped')
  expect((await asking).status).toBe(204)
  expect(await keeper.type(await message(keeper, 'm-1', text('x')))).toMatchObject({ typed: 'before' })
  await keeper.end(20_000)
}, 120_000)

test('behind what nobody reads there is no turn', async () => {
  const { keeper, view } = await launched(shell(deaf))
  view.input(randomBytes(40_000))
  await until(async () => (await keeper.status()).stamp === 1, 'a long paste')
  expect(await keeper.type(await message(keeper, 'm-1', text('x')))).toMatchObject({ typed: 'refused' })
  expect(await keeper.typed(['m-1'])).toEqual([])
  await keeper.end(20_000)
}, 120_000)

test('more than a terminal takes is refused before it is begun', async () => {
  const { keeper } = await mirrored()
  const one = await message(keeper, 'm-1', Buffer.alloc(2_000_000))
  expect(await codeOf(keeper.type(one))).toBe('input_full')
  expect(await keeper.typed(['m-1'])).toEqual([])
})

test('whoever is not attached hears that a person typed, and what', async () => {
  const { keeper, view, arrived } = await mirrored()
  const heard: Typed[] = []
  keeper.onTyped((typed) => heard.push(typed))
  for (const keys of ['a', '\u001b[A', '\r', '\u001b', '\u0003', '\u001b[200~x\ry\u001b[201~'])
    view.input(text(keys))
  await keeper.input(text('by the host\r'))
  await until(() => arrived().endsWith(hex('by the host\r')), 'all of it')
  expect((await keeper.status()).stamp).toBe(6)
  expect(heard).toEqual(['text', 'submit', 'escape', 'escape', 'text'])
})

test('what could not be written was not typed, and its author hears so', async () => {
  const { keeper } = await launched(shell(deaf))
  const heard: Typed[] = []
  keeper.onTyped((typed) => heard.push(typed))
  const told: boolean[] = []
  const view = await keeper.attach({ stream: 'terminal', from: 0, full: (full) => told.push(full) })
  for (const _ of [1, 2]) view.input(Buffer.alloc(2_000_000, 'x'))
  view.input(text('\r'))
  await until(() => heard.length > 0 && told.length > 1, 'the key that follows is taken')
  expect([told, heard]).toEqual([[true, false], ['submit']])
})

test('who is attached types by frames, who is not by requests', async () => {
  const { keeper } = await mirrored()
  const line = await connect(keeper.found)
  onTestFinished(line.close)
  await line.ask({ do: 'attach', stream: 'terminal', from: 0 })
  expect(await codeOf(line.ask({ do: 'input', base64: 'eA==' }))).toBe('keeper_state')
  let closed = false
  const other = await connect(keeper.found, {
    closed: () => {
      closed = true
    },
  })
  other.type(text('x'))
  await until(() => closed, 'it is shown out')
  expect((await keeper.status()).stamp).toBe(0)
})

test('only so many keys are remembered, the newest', async () => {
  const { keeper } = await launched(shell('stty raw -echo; echo ready; exec cat >/dev/null'))
  const { stamp } = await keeper.status()
  for (let from = 0; from < 10_050; from += 50)
    await Promise.all(
      Array.from({ length: 50 }, (_, n) => keeper.type({ key: `m-${from + n}`, stamp, steps: [text('x')] })),
    )
  expect(await keeper.typed(['m-0', 'm-49', 'm-50', 'm-10049'])).toEqual(['m-50', 'm-10049'])
}, 120_000)
