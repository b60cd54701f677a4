import { expect, test } from 'vitest'
import type { StreamEvent } from '../../driver/schema.ts'
import { lastOf, logOf, mostLines } from './rules.ts'

const call = (id: string, tool: string, input: unknown): StreamEvent => ({
  kind: 'called',
  call: { id, tool, input },
})
const ended = (id: string, ok: boolean, ran: boolean): StreamEvent => ({
  kind: 'ended',
  ended: { call: id, ok, ran },
})
const total = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, costUsd: 0 }
const result = { session: 's', subtype: 'x', reason: '', turns: 2, denials: [], total }

test('each thing is a line, on which nothing can move the cursor', () => {
  const events: StreamEvent[] = [
    { kind: 'started', session: 's', model: 'opus', mode: 'default' },
    { kind: 'said', text: 'I \u001b[31mlook\u001b[0m\nat it.\u202e' },
    { kind: 'said', text: ' \n' },
    call('1', 'Bash', { description: 'lists', command: 'ls -la' }),
    ended('1', true, true),
    call('2', 'Odd', { depth: 2, on: [true] }),
    ended('2', false, true),
    call('3', 'Plain', 'text'),
    ended('3', false, false),
    { ...call('4', 'Read', { file_path: '/x' }), parent: '2' } as StreamEvent,
    ended('unknown', true, true),
    { kind: 'retrying', attempt: 2, of: 10, waitMs: 5, status: 529, error: 'overloaded' },
    { kind: 'limited', rejected: false },
    { kind: 'failed', error: 'server_error', text: 'the API said no' },
    { kind: 'prompt_blocked', reason: 'a hook' },
    { kind: 'interrupted' },
    { kind: 'compacted' },
    { kind: 'other', type: 'x' },
    { kind: 'noise', text: 'x', length: 1 },
    { kind: 'result', result: { ...result, isError: false, text: 'All is well.' } },
    { kind: 'result', result: { ...result, isError: true, text: 'No.' } },
  ]
  expect(logOf(events)).toEqual([
    'started with opus',
    'said: I look at it.',
    'called Bash: ls -la',
    'Bash done',
    'called Odd: {"depth":2,"on":[true]}',
    'Odd failed',
    'called Plain: text',
    'Plain refused',
    '  called Read: /x',
    'a call done',
    'tries the API again, 2 of 10: overloaded',
    'the API failed: the API said no',
    'the prompt was blocked: a hook',
    'was interrupted',
    'was compacted',
    'answered after 2 turns: All is well.',
    'failed after 2 turns: No.',
  ])
})

test('a line is short, and there are at most a thousand, the last ones', () => {
  const said = (text: string): StreamEvent => ({ kind: 'said', text })
  expect(logOf([said('x'.repeat(10_000))])[0]).toHaveLength(200)
  const lines = logOf(Array.from({ length: mostLines + 5 }, (_, index) => said(`${index}`)))
  expect([lines.length, lines[0], lines[1], lines.at(-1)]).toEqual([
    mostLines,
    '… 6 lines before',
    'said: 6',
    `said: ${mostLines + 4}`,
  ])
  expect(lastOf(['a', 'b'], 2)).toEqual(['a', 'b'])
})
