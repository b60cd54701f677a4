import { expect, test } from 'vitest'
import type { Outcome, StreamEvent } from '../../../driver/schema.ts'
import { limits } from '../schema.ts'
import { answerIn, type Printed, printedAnswer, telling, withSecond } from './rules.ts'

const good = { verdict: 'COMPLETE', summary: 'Fine.' }
const ok = (structured: unknown, text = ''): Outcome => ({
  ok: true,
  text,
  structured,
  turns: 1,
  denials: [],
})
const call = (input: unknown, parent?: string): StreamEvent => ({
  kind: 'called',
  call: { id: 'c', tool: 'StructuredOutput', input },
  ...(parent !== undefined && { parent }),
})
const printed = (more: Partial<Printed>): Printed => ({
  outcome: ok(good),
  events: [call(good)],
  exit: { code: 0, signal: null, stderr: '' },
  text: '',
  ...more,
})
const read: readonly [string, Partial<Printed>, object][] = [
  ['in shape', {}, { answer: good }],
  ['with more than was asked for', { outcome: ok({ ...good, extra: 1 }) }, { answer: good }],
  [
    'ISSUES',
    {
      outcome: ok({ verdict: 'ISSUES', summary: 's', message: 'm\u001b[2J' }),
      events: [call({ verdict: 'ISSUES', summary: 's' })],
    },
    { answer: { verdict: 'ISSUES', summary: 's', message: 'm' } },
  ],
  ['after one that did not fit', { events: [call({ verdict: 'MAYBE' }), call(good)] }, { answer: good }],
  [
    'prose',
    { outcome: ok(undefined, 'COMPLETE') },
    { failed: 'it gave no answer that can be read: COMPLETE' },
  ],
  ['JSON as a text', { outcome: ok(JSON.stringify(good)) }, { failed: 'it gave no answer that can be read' }],
  [
    'another word',
    { outcome: ok({ ...good, verdict: 'complete' }) },
    { failed: 'it gave no answer that can be read' },
  ],
  [
    'nothing to say',
    { outcome: ok({ ...good, summary: '\n' }) },
    { failed: 'it gave no answer that can be read' },
  ],
  [
    'two answers',
    { events: [call({ ...good, verdict: 'ISSUES' }), call(good)] },
    { failed: 'it answered more than once' },
  ],
  ['no call', { events: [] }, { failed: 'its answer did not come through the tool for it' }],
  [
    'another call',
    { events: [call({ ...good, verdict: 'ISSUES' })] },
    { failed: 'its answer did not come through the tool for it' },
  ],
  [
    'the call of another',
    { events: [call(good, 'p')] },
    { failed: 'its answer did not come through the tool for it' },
  ],
  [
    'a failure, with what was printed',
    {
      outcome: { ok: false, class: 'fatal', message: 'exit 1', turns: 0, denials: [] },
      events: [{ kind: 'noise', text: 'Segmentation\nfault', length: 1 }],
    },
    { failed: 'exit 1: Segmentation fault' },
  ],
]
test.each(read)('an answer: %s', (_, more, expected) => expect(answerIn(printed(more))).toEqual(expected))

test('long answers are cut', () => {
  const long = { verdict: 'ISSUES', summary: 's'.repeat(99_999), message: 'm'.repeat(99_999) }
  const said = answerIn(printed({ outcome: ok(long), events: [call(long)] }))
  expect('answer' in said && [said.answer.summary.length, said.answer.message?.length]).toEqual([
    limits.summary,
    limits.message,
  ])
})

test.each<[string, object]>([
  [' {"verdict":"ISSUES","summary":"s"}\n', { answer: { verdict: 'ISSUES', summary: 's' } }],
  ['COMPLETE', { failed: 'it printed no verdict: COMPLETE' }],
  ['', { failed: 'it printed no verdict' }],
  ['{"verdict":"COMPLETE"}', { failed: 'it printed no verdict: {"verdict":"COMPLETE"}' }],
  [
    '{"verdict":"COMPLETE","summary":"a"}\n{"verdict":"ISSUES","summary":"b"}',
    { failed: expect.any(String) },
  ],
  ['[{"verdict":"COMPLETE","summary":"a"}]', { failed: expect.any(String) }],
])('a command that prints %j', (text, expected) => expect(printedAnswer(text)).toEqual(expected))

const first = { verdict: 'COMPLETE', summary: 'Fine.' } as const
test.each<[object, object]>([
  [{ answer: { verdict: 'COMPLETE', summary: 'Yes.' } }, { ...first, opinions: 'gpt: COMPLETE. Yes.' }],
  [
    { answer: { verdict: 'ISSUES', summary: 'No.' } },
    {
      verdict: 'ISSUES',
      summary: 'second opinion: No.',
      message: 'second opinion: No.',
      opinions: 'gpt: ISSUES. No.',
    },
  ],
  [
    { failed: 'no key' },
    {
      verdict: 'ISSUES',
      summary: 'second opinion: gpt could not be asked: no key',
      message: 'second opinion: gpt could not be asked: no key. Finish again, and it is asked again.',
      opinions: 'second opinion: gpt could not be asked: no key',
    },
  ],
])('a second opinion %j', (second, expected) => {
  expect(withSecond(first, 'gpt', second as Parameters<typeof withSecond>[2])).toEqual(expected)
})

test('of what it prints only what tells anything is kept', () => {
  const events: StreamEvent[] = [
    { kind: 'said', text: 'x' },
    { kind: 'called', call: { id: 'r', tool: 'Read', input: {} } },
    { kind: 'ended', ended: { call: 'r', ok: true, ran: true } },
    call(good),
    { kind: 'other', type: 'x' },
  ]
  expect(events.filter(telling).map(({ kind }) => kind)).toEqual(['called', 'other'])
})
