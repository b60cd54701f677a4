import { expect, test } from 'vitest'
import { queuedOf, requestOf, secondsOf, waitsInQueue } from './rules.ts'

const env = { TOKEN: 's3cret', GONE: undefined, EMPTY: '' }
type Typed = Parameters<typeof requestOf>[0]
const typed = (more: Partial<Typed> = {}): Typed => ({ values: {}, lists: {}, flags: new Set(), ...more })
const setHere = 'NAME=VALUE, or the NAME of a variable that is set here'
const aName = 'NAME=VALUE, or the NAME of a variable of yours'

test.each<[Typed, object]>([
  [typed(), {}],
  [
    typed({
      values: { model: 'opus', session: 'u', timeout: '1h30m', project: 'app=Use = signs.' },
      lists: { env: ['A=1=2', 'TOKEN', 'EMPTY', 'B=', 'expected=x'] },
      flags: new Set(['keep-open', 'resumable', 'wait']),
    }),
    {
      model: 'opus',
      session_id: 'u',
      timeout_seconds: 5400,
      project: { name: 'app', prompt: 'Use = signs.' },
      env: { A: '1=2', TOKEN: 's3cret', EMPTY: '', B: '', expected: 'x' },
      keep_open: true,
      resumable: true,
    },
  ],
  [typed({ values: { project: 'app' } }), { value: 'app', what: '--project', expected: 'NAME=PROMPT' }],
  [typed({ values: { project: '=x' } }), { value: '=x', what: '--project', expected: 'NAME=PROMPT' }],
  [typed({ lists: { env: ['MISSING'] } }), { value: 'MISSING', what: '--env', expected: setHere }],
  [typed({ lists: { env: ['GONE'] } }), { value: 'GONE', what: '--env', expected: setHere }],
  [typed({ lists: { env: ['toString'] } }), { value: 'toString', what: '--env', expected: setHere }],
  [typed({ lists: { env: ['a b=s3cret'] } }), { value: 'a b', what: '--env', expected: aName }],
  [typed({ lists: { env: ['=s3cret'] } }), { value: '', what: '--env', expected: aName }],
  [typed({ lists: { env: ['A=1', 'A=2'] } }), { value: 'A', what: '--env', expected: 'each name once' }],
])('%# what was typed is asked for, or told wrong without its secrets', (line, expected) => {
  expect(requestOf(line, env)).toEqual(expected)
})

const wrong = (value: string) => ({
  value,
  what: '--timeout',
  expected: 'a time from 1s to 168h, such as 30m',
})
test.each([
  ['30m', 1800],
  ['1500ms', 2],
  ['168h', 604_800],
  ['168h1s', wrong('168h1s')],
  ['0s', wrong('0s')],
  ['30', wrong('30')],
  ['-5m', wrong('-5m')],
  ['soon', wrong('soon')],
])('a timeout of %s', (text, expected) => expect(secondsOf(text)).toEqual(expected))

const clock = {
  now: 1000,
  parse: (text: string) => (text.includes('13-01') ? Number.NaN : 5000),
  iso: String,
}
const priority = 'a whole number from -1000 to 1000'
const when = 'a time such as 2026-12-24T18:00, or 10m'
const bad = (what: string, expected: string, value: string) => ({ value, what, expected })
test.each<[Typed['values'], Typed['lists'], object]>([
  [{}, {}, {}],
  [{ agent: 'a' }, {}, { select: { agent: 'a' } }],
  [
    { role: 'r', pod: 'p', priority: '-5', 'not-before': '10m' },
    { label: ['x', 'y'] },
    { select: { role: 'r', pod: 'p', labels: ['x', 'y'] }, priority: -5, not_before: '601000' },
  ],
  [{ 'not-before': '2026-12-24T18:00' }, {}, { not_before: '5000' }],
  [{ 'not-before': '2026-13-01T00:00' }, {}, bad('--not-before', when, '2026-13-01T00:00')],
  [{ 'not-before': 'tomorrow' }, {}, bad('--not-before', when, 'tomorrow')],
  [{ 'not-before': '0s' }, {}, bad('--not-before', when, '0s')],
  [{ 'not-before': '99999999h' }, {}, bad('--not-before', when, '99999999h')],
  [{ priority: '1001' }, {}, bad('--priority', priority, '1001')],
  [{ priority: 'high' }, {}, bad('--priority', priority, 'high')],
])('%# for whom and when: %j', (values, lists, expected) => {
  expect(queuedOf({ values, lists }, clock)).toEqual(expected)
})

test.each<[Typed['values'], readonly string[], boolean]>([
  [{}, [], true],
  [{ role: 'r' }, [], true],
  [{ agent: 'a' }, [], false],
  [{ agent: 'a' }, ['queue'], true],
  [{ agent: 'a', priority: '1' }, [], true],
  [{ agent: 'a', 'not-before': '1h' }, [], true],
])('%j %j may wait: %s', (values, flags, expected) => {
  expect(waitsInQueue({ values, flags: new Set(flags) })).toBe(expected)
})
