import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import type { Call } from '../io.ts'
import { readSecret, typed } from './secret.ts'

const cases: [string, string, ReturnType<typeof typed>][] = [
  ['', 'abc', { text: 'abc', end: 'no' }],
  ['ab', 'c\r', { text: 'abc', end: 'yes' }],
  ['ab', '\u0004', { text: 'ab', end: 'yes' }],
  ['ab', '\u007fx\r', { text: 'ax', end: 'yes' }],
  ['ab', '\u0015x\n', { text: 'x', end: 'yes' }],
  ['', '\u001b[200~pasted\u001b[201~', { text: 'pasted', end: 'no' }],
  ['ab', 'c\u0003', { text: '', end: 'interrupt' }],
]
test.each(cases)('%j then %j', (text, keys, expected) => expect(typed(text, keys)).toEqual(expected))

const piped = (text: string): Call => ({ io: { stdin: Readable.from([text]) } }) as unknown as Call

test('a pipe is read whole, without its last line break', async () => {
  expect(await readSecret(piped('abc\n'), '?')).toBe('abc')
  expect(await readSecret(piped('a b\r\n'), '?')).toBe('a b')
  await expect(readSecret(piped('x'.repeat(70_000)), '?')).rejects.toThrow('longer than 64 KB')
})
