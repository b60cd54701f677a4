// The loop of `npm run soak -- --only messages` can fail: what it judges, and that it catches what is broken.
import { expect, test } from 'vitest'
import { chance } from '../soak/chance.ts'
import { type Evidence, judge, type Line } from '../soak/message/judge.ts'
import { type Letter, planRound } from '../soak/message/plan.ts'
import type { Stage } from '../soak/message/stage.ts'
import { deliver } from '../soak/messages.ts'
import type { Event } from '../src/journal/schema.ts'

test('a seed plans the same rounds every time', () => {
  const draw = (seed: number) => planRound(chance(seed), 'r01')
  expect(draw(7)).toEqual(draw(7))
  expect(draw(7)).not.toEqual(draw(8))
})

test('15 rounds of 20 messages to an agent in every state: each once, whole, in order, and told truly', async () => {
  const done = await deliver({ seed: 11, rounds: 15 })
  expect([done.rounds, done.sent, done.typed + done.queued + done.absorbed]).toEqual([15, 300, 300])
  const { dialogs, hosts, keepers, resumed, compacted, queued, absorbed } = done
  for (const count of [dialogs, hosts, keepers, resumed, compacted, queued, absorbed])
    expect(count).toBeGreaterThan(0)
}, 900_000)

const caught = (sabotage: (stage: Stage) => Promise<void>): Promise<string> =>
  deliver({ seed: 3, rounds: 1, stages: 1, count: 3, sabotage }).then(
    () => 'not caught',
    (error: Error) => error.message,
  )

test('a keeper that types a message twice is caught', async () => {
  const again = async (stage: Stage): Promise<void> => {
    const keeper = await stage.keeper()
    await keeper?.input(Buffer.from('\u001b[200~[agency r01m00 from ann]\nagain\u001b[201~'))
    await stage.shows('again')
    await keeper?.input(Buffer.from('\r'))
    keeper?.close()
  }
  expect(await caught(again)).toMatch(/^seed 3, the end: r01m00 entered 2 turns/)
}, 300_000)

test('a delivery that does not look before it presses Enter is caught: it answers a dialog', async () => {
  const blindly = async (stage: Stage): Promise<void> => {
    const keeper = await stage.keeper()
    await keeper?.input(Buffer.from('\u001b[200~[agency r01m99 from ann]\nplease sabotage\u001b[201~'))
    await stage.shows('please sabotage')
    await keeper?.input(Buffer.from('\r'))
    await stage.shows('Do you want to proceed')
    while (/Do you want to proceed/.test(await stage.screen())) await keeper?.input(Buffer.from('\r'))
    keeper?.close()
  }
  expect(await caught(blindly)).toMatch(/^seed 3, the end: a call ran that nobody allowed: sabotage/)
}, 300_000)

const letter = (id: string, more: Partial<Letter> = {}): Letter => ({
  id,
  from: { kind: 'person', name: 'ann' },
  lane: 'normal',
  text: id,
  arrives: id,
  job: 'none',
  yes: false,
  takes: 0,
  ...more,
})
const at = (second: number): string => new Date(second * 1000).toISOString()
const prompt = (id: string, second: number, promptSource = 'typed', text = id): Line => ({
  type: 'user',
  promptSource,
  timestamp: at(second),
  message: { content: `[agency ${id} from ann]\n${text}` },
})
const said = (text: string, second: number): Line => ({
  type: 'assistant',
  timestamp: at(second),
  message: { content: [{ type: 'text', text }] },
})
const cut = (second: number): Line => ({
  type: 'user',
  timestamp: at(second),
  message: { content: [{ type: 'text', text: '[Request interrupted by user]' }] },
})
const lived = (id: string, second: number, life: string, more: object = {}): Event => ({
  seq: second,
  at: at(second),
  kind: 'state',
  type: life === 'queued' ? 'message.queued' : 'message.changed',
  subject: `message:${id}`,
  data: { life, ...more },
})
const life = (id: string, from: number, more: object = {}): readonly Event[] => [
  lived(id, from, 'queued'),
  lived(id, from + 1, 'sent', { sentAt: (from + 1) * 1000 }),
  lived(id, from + 2, 'started'),
  lived(id, from + 4, 'ended', more),
]
const evidence = (more: Partial<Evidence>): Evidence => ({
  letters: [letter('a')],
  lines: [prompt('a', 12), said('Done a.', 13)],
  events: life('a', 10),
  file: () => undefined,
  ...more,
})

test.each<[string, Partial<Evidence>, readonly string[]]>([
  ['all is well', {}, []],
  ['lost', { lines: [] }, ['a entered 0 turns']],
  ['twice', { lines: [prompt('a', 12), prompt('a', 12), said('Done a.', 13)] }, ['a entered 2 turns']],
  ['cut', { lines: [prompt('a', 12, 'typed', 'b'), said('Done.', 13)] }, ['a did not arrive whole']],
  [
    'the wrong file',
    { letters: [{ ...letter('a'), text: 'long' } as Letter].map(({ arrives: _, ...rest }) => rest) },
    ['the file of a is not its text'],
  ],
  [
    'out of order',
    {
      letters: [letter('a'), letter('b')],
      lines: [prompt('b', 12), said('Done.', 12), prompt('a', 12), said('Done.', 13)],
      events: [...life('a', 10), ...life('b', 10)],
    },
    ['b came in the place of a in the lane normal'],
  ],
  [
    'put behind a turn, though for an idle agent',
    { letters: [letter('a', { lane: 'idle' })], lines: [prompt('a', 12, 'queued'), said('Done.', 13)] },
    ['a was for an idle agent: queued'],
  ],
  ['left open', { events: life('a', 10).slice(0, 3) }, ['a is left started: queued, sent, started']],
  [
    'backwards',
    { events: [...life('a', 10), lived('a', 15, 'queued')] },
    ['a lived queued, sent, started, ended, queued'],
  ],
  [
    'before one that is more urgent',
    {
      letters: [letter('a'), letter('b', { lane: 'interrupt' })],
      lines: [prompt('b', 12), said('Done.', 12), prompt('a', 13), said('Done.', 13)],
      events: [lived('b', 1, 'queued'), ...life('a', 10), ...life('b', 20).slice(1)],
    },
    ['a was sent before b'],
  ],
  ['ended too early', { lines: [prompt('a', 12), said('Done a.', 20)] }, ['a had ended before its turn did']],
  [
    'nothing: cut before a word was said to it',
    {
      lines: [prompt('a', 12, 'queued'), cut(12), prompt('b', 13, 'queued'), said('Done b.', 20)],
      letters: [letter('a'), letter('b')],
      events: [...life('a', 10, { reason: 'the turn was interrupted' }), ...life('b', 17)],
    },
    [],
  ],
  [
    'nothing: cut, and the line of that stands behind the prompt that was queued',
    {
      lines: [prompt('a', 12), prompt('b', 13, 'queued'), cut(13), said('Done b.', 20)],
      letters: [letter('a'), letter('b')],
      events: [...life('a', 10, { reason: 'the turn was interrupted' }), ...life('b', 17)],
    },
    [],
  ],
  [
    'ended too early, in one turn with another',
    {
      lines: [prompt('a', 12, 'queued'), prompt('b', 12, 'queued'), said('Done b.', 20)],
      letters: [letter('a'), letter('b')],
      events: [...life('a', 10), ...life('b', 17)],
    },
    ['a had ended before its turn did'],
  ],
  [
    'ended too early, behind the line of the turn before',
    { lines: [prompt('a', 12, 'queued'), cut(12), said('Done a.', 20)] },
    ['a had ended before its turn did'],
  ],
  [
    'not interrupted at all',
    { events: life('a', 10, { reason: 'the turn was interrupted' }) },
    ['a is said to be interrupted, but was answered'],
  ],
])('the judge sees what is wrong: %s', (_, more, faults) => {
  expect(judge(evidence(more))).toEqual(faults)
})
