import fc from 'fast-check'
import { expect, test } from 'vitest'
import { lines, mangled, values } from '../../../../test/samples/read.ts'
import type { TranscriptEvent } from '../../schema.ts'
import { readTranscript, transcriptPath } from './rules.ts'

const long = `/home/user/${Array.from({ length: 12 }, (_, index) => `directory-number-${index}-äö.x`).join('/')}`

test.each([
  ['/home/user/my project.v2', '-home-user-my-project-v2'],
  ['/', '-'],
  // As the real CLI named it.
  [
    long,
    '-home-user-directory-number-0----x-directory-number-1----x-directory-number-2----x-directory-number-3----x-directory-number-4----x-directory-number-5----x-directory-number-6----x-directory-number-7----x6eup6',
  ],
])('the transcript of a session in %s', (cwd, folder) => {
  expect(transcriptPath('/config', cwd, 's')).toBe(`/config/projects/${folder}/s.jsonl`)
})

test.each([
  ['', []],
  ['{"type":"user","mess', []],
  ['7', []],
  ['{"type":"new-thing"}', [{ kind: 'other', type: 'new-thing' }]],
  ['{"type":"queue-operation","operation":"enqueue","content":"hi"}', [{ kind: 'queued', text: 'hi' }]],
  ['{"type":"queue-operation","operation":"dequeue"}', [{ kind: 'unqueued', entered: false }]],
  [
    '{"type":"queue-operation","operation":"remove","content":"hi","reason":"absorbed_mid_turn"}',
    [{ kind: 'unqueued', entered: true, text: 'hi' }],
  ],
  [
    '{"type":"queue-operation","operation":"remove","content":"hi","reason":"edited"}',
    [{ kind: 'unqueued', entered: false, text: 'hi' }],
  ],
  [
    '{"type":"user","message":{"content":[{"type":"text","text":"[Request interrupted by user]"}]}}',
    [{ kind: 'interrupted' }],
  ],
  [
    '{"type":"user","isSidechain":true,"agentId":"a","message":{"content":[{"type":"text","text":"[Request interrupted by user]"}]}}',
    [],
  ],
  // A person may write the same words.
  [
    '{"type":"user","promptSource":"typed","message":{"content":[{"type":"text","text":"[Request interrupted by user]"}]}}',
    [{ kind: 'prompted', text: '[Request interrupted by user]', origin: 'person' }],
  ],
  ['{"type":"user","isSidechain":true,"agentId":"a","promptSource":"sdk","message":{"content":"go"}}', []],
  ['{"type":"user","isMeta":true,"message":{"content":"<local-command-caveat>"}}', []],
])('%j', (text, events) => {
  expect(readTranscript(text)).toEqual(events)
})

const short = (event: TranscriptEvent): string => {
  if (event.kind === 'ended') return `ended:${event.ended.ok}:${event.ended.ran}`
  if (event.kind === 'prompted' || event.kind === 'queued') return `${event.kind}:${event.header?.id ?? '-'}`
  if (event.kind === 'unqueued') return `unqueued:${event.header?.id ?? '-'}:${event.entered}`
  return event.kind
}
const told = (name: string): string =>
  lines(`transcript/${name}.jsonl`)
    .flatMap(readTranscript)
    .filter((event) => event.kind !== 'other')
    .map(short)
    .join(' ')

test.each([
  [
    'terminal',
    'prompted:m1 called queued:m2 ended:true:true unqueued:m2:true said ' +
      'prompted:m3 queued:m4 said unqueued:-:false prompted:m4 said ' +
      'prompted:m5 called ended:true:true said ' +
      'prompted:m6 called ended:false:false interrupted ' +
      'prompted:m7 said prompted:m8 said total total',
  ],
  [
    'tools',
    'queued:- unqueued:-:false prompted:- said called called ended:true:true ended:true:true ' +
      'called called ended:false:false called ended:false:true ended:false:true called ended:false:false said total ' +
      'queued:- unqueued:-:false prompted:- said total queued:- unqueued:-:false compacted total',
  ],
  ['subagent', 'called ended:true:true said'],
  ['interrupt', 'queued:- unqueued:-:false prompted:- called ended:false:false interrupted total'],
  ['error', 'queued:- unqueued:-:false prompted:- retrying failed total'],
])('the recorded transcript "%s"', (name, expected) => {
  expect(told(name)).toBe(expected)
})

test('the end of a background task is no prompt of a person', () => {
  const origins = lines('transcript/background.jsonl')
    .flatMap(readTranscript)
    .flatMap((event) => (event.kind === 'prompted' ? [event.origin] : []))
  expect(origins).toEqual(['person', 'notification'])
})

test('totals and errors carry their numbers', () => {
  const events = [...lines('transcript/error.jsonl'), ...lines('transcript/tools.jsonl')].flatMap(
    readTranscript,
  )
  expect(events.find((event) => event.kind === 'failed')).toMatchObject({
    error: 'server_error',
    status: 529,
  })
  expect(events.find((event) => event.kind === 'retrying')).toEqual({
    kind: 'retrying',
    attempt: 1,
    of: 1,
    status: 529,
  })
  expect(events.filter((event) => event.kind === 'total').at(-1)).toEqual({
    kind: 'total',
    total: { input: 700, output: 140, cacheRead: 0, cacheWrite: 0, costUsd: 0.0028000000000000004 },
  })
})

test('a line with anything else in any place is read without an error', () => {
  const recorded = ['terminal', 'tools', 'error'].flatMap((name) => values(`transcript/${name}.jsonl`))
  fc.assert(
    fc.property(mangled(recorded), (value) => {
      expect(readTranscript(JSON.stringify(value))).toBeInstanceOf(Array)
    }),
  )
})
