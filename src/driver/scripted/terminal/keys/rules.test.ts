import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { feed, type Key, settle } from './rules.ts'

const all = (...pieces: string[]): Key[] => {
  let reading = { rest: '' }
  const keys: Key[] = []
  for (const piece of pieces) {
    const read = feed(reading, piece)
    reading = read.reading
    keys.push(...read.keys)
  }
  return [...keys, ...settle(reading).keys]
}
/** Text that came in several pieces is still one text. */
const joined = (keys: Key[]): Key[] =>
  keys.reduce<Key[]>((sum, key) => {
    const last = sum.at(-1)
    if (key.kind === 'text' && last?.kind === 'text')
      sum[sum.length - 1] = { kind: 'text', text: last.text + key.text }
    else sum.push(key)
    return sum
  }, [])

test.each<[string, Key[]]>([
  ['hi\r', [{ kind: 'text', text: 'hi' }, { kind: 'enter' }]],
  ['a\nb', [{ kind: 'text', text: 'a\nb' }]],
  ['\x1b', [{ kind: 'escape' }]],
  ['\x1b[A\x1bOB', [{ kind: 'up' }, { kind: 'down' }]],
  ['\x1b[1;5C', [{ kind: 'other' }]],
  ['\x03\x04\x7f\x15', [{ kind: 'interrupt' }, { kind: 'eof' }, { kind: 'backspace' }, { kind: 'clear' }]],
  ['\x1b[200~a\r\nb\rc\x1b[A\x1b[201~\r', [{ kind: 'paste', text: 'a\nb\nc\x1b[A' }, { kind: 'enter' }]],
  ['\x1b[200~\x1b[201~', [{ kind: 'paste', text: '' }]],
  ['\x1bx', [{ kind: 'escape' }, { kind: 'text', text: 'x' }]],
  ['😀é', [{ kind: 'text', text: '😀é' }]],
  ['\x07', []],
])('%j', (typed, keys) => expect(all(typed)).toEqual(keys))

test('where the terminal cuts its output makes no difference', () => {
  const part = fc.constantFrom('a', 'b\n', '\r', '\x1b[A', '\x1b[200~', '\x1b[201~', '\x03', 'é', 'x y')
  fc.assert(
    fc.property(fc.array(part, { maxLength: 20 }), fc.array(fc.nat(60), { maxLength: 10 }), (parts, cuts) => {
      const typed = parts.join('')
      const at = [0, ...cuts.filter((cut) => cut <= typed.length).sort((a, b) => a - b), typed.length]
      const pieces = at.slice(1).map((end, i) => typed.slice(at[i], end))
      expect(joined(all(...pieces))).toEqual(joined(all(typed)))
    }),
  )
})
