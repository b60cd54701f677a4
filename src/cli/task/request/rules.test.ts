import { expect, test } from 'vitest'
import { requestOf, secondsOf } from './rules.ts'

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
