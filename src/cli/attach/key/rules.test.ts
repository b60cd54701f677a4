import { expect, test } from 'vitest'
import { defaultKey, findKey, keyCode } from './rules.ts'

test.each([
  [defaultKey, 0x1c],
  ['ctrl-]', 0x1d],
  ['Ctrl-Q', 0x11],
  ['ctrl-a', 1],
  ['ctrl-@', 0],
  // The agent could not be used without these.
  ['ctrl-c', undefined],
  ['ctrl-m', undefined],
  ['ctrl-j', undefined],
  ['ctrl-i', undefined],
  ['ctrl-h', undefined],
  ['ctrl-[', undefined],
  ['q', undefined],
  ['ctrl-ab', undefined],
  ['', undefined],
])('%j is the key %j', (text, code) => expect(keyCode(text)).toBe(code))

test.each([
  ['abc', -1],
  ['\u001c', 0],
  ['ab\u001ccd', 2],
  // kitty: pressed, with locks, with alternates, let go, with Shift as well, another key.
  ['x\u001b[92;5u', 1],
  ['\u001b[92;197u', 0],
  ['\u001b[92:124:92;5:1u', 0],
  ['\u001b[92;5:3u', -1],
  ['\u001b[92;6u', -1],
  ['\u001b[99;5u', -1],
  // xterm's modifyOtherKeys.
  ['\u001b[27;5;92~', 0],
  ['\u001b[27;5;99~', -1],
  ['\u001b[999999999999;5u', -1],
])('in %j Ctrl-\\ is at %j', (typed, at) => expect(findKey(typed, 0x1c)).toBe(at))

test('a letter is the key with and without Caps Lock', () => {
  expect([findKey('\u001b[113;5u', 0x11), findKey('\u001b[81;5u', 0x11)]).toEqual([0, 0])
})
