import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Typed } from '../schema.ts'
import { heardOf, nothingTyped } from './rules.ts'

const esc = '\u001b'

test.each<[string, string, Typed[]]>([
  ['nothing', '', []],
  ['a letter', 'a', ['text']],
  ['two bytes of one letter', '\u00c3\u00a4', ['text']],
  ['Backspace', '\u007f', ['text']],
  ['Ctrl-U', '\u0015', ['text']],
  ['Tab', '\t', ['text']],
  ['Enter', '\r', ['submit']],
  ['Ctrl-J', '\n', ['submit']],
  ['a line', 'yes\r', ['submit']],
  ['a line and the begin of the next', 'yes\rno', ['submit', 'text']],
  ['Alt-Enter, which begins a new line', `${esc}\r`, ['text']],
  ['Escape', esc, ['escape']],
  ['Escape twice', esc + esc, ['escape']],
  ['text and Escape', `ab${esc}`, ['text', 'escape']],
  ['Ctrl-C', '\u0003', ['escape']],
  ['Ctrl-C and a line', '\u0003go\r', ['escape', 'submit']],
  ['Alt with a letter', `${esc}b`, ['text']],
  ['Alt-]', `${esc}]`, ['text']],
  ['an arrow', `${esc}[A`, []],
  ['an arrow of the keypad', `${esc}OB`, []],
  ['Ctrl with an arrow', `${esc}[1;5C`, []],
  ['Alt with an arrow, the old way', `${esc}${esc}[D`, []],
  ['arrows and a letter', `${esc}[A${esc}[Bx`, ['text']],
  ['an arrow and Escape', `${esc}[A${esc}`, ['escape']],
  ['Shift-Tab', `${esc}[Z`, []],
  ['Home, Page up, F5', `${esc}[1~${esc}[5~${esc}[15~`, []],
  ['Delete', `${esc}[3~`, ['text']],
  ['focus in and out', `${esc}[I${esc}[O`, []],
  ['where the cursor is', `${esc}[24;80R`, []],
  ['what the terminal is', `${esc}[?62;22c${esc}[>1;10;0c`, []],
  ['whether a mode is set', `${esc}[?2026;2$y`, []],
  ['a colour', `${esc}]11;rgb:0000/0000/0000${esc}\\`, []],
  ['a colour, ended by BEL', `${esc}]11;rgb:0000/0000/0000\u0007`, []],
  ['a name and version', `${esc}P>|xterm(390)${esc}\\`, []],
  ['the mouse', `${esc}[<0;10;20M${esc}[<0;10;20m`, []],
  ['the mouse, the old way, at a place that looks like Enter', `${esc}[M \r\r`, []],
  ['a paste', `${esc}[200~one\rtwo\u0003${esc}[201~`, ['text']],
  ['an empty paste', `${esc}[200~${esc}[201~`, ['text']],
  ['a paste and Enter', `${esc}[200~one\r${esc}[201~\r`, ['submit']],
  ['keys by number: Enter', `${esc}[13u`, ['submit']],
  ['Enter pressed and released', `${esc}[13;1:1u${esc}[13;1:3u`, ['submit']],
  ['Enter of the keypad', `${esc}[57414u`, ['submit']],
  ['Shift-Enter', `${esc}[13;2u`, ['text']],
  ['Escape', `${esc}[27u`, ['escape']],
  ['Ctrl-C', `${esc}[99;5u`, ['escape']],
  ['Ctrl-C with Caps Lock', `${esc}[99;69u`, ['escape']],
  ['c', `${esc}[99u`, ['text']],
  ['Shift by itself', `${esc}[57441;2u`, []],
  ['which of it is on', `${esc}[?1u`, []],
  ['the other way by number: Ctrl-C', `${esc}[27;5;99~`, ['escape']],
  ['Shift-Enter', `${esc}[27;2;13~`, ['text']],
])('%s: %j is %j', (_, text, said) => expect(heardOf(nothingTyped, text, 1000).said).toEqual(said))

const told = (pieces: readonly (readonly [number, string])[]): readonly (readonly Typed[])[] => {
  let heard = nothingTyped
  return pieces.map(([now, text]) => {
    heard = heardOf(heard, text, now)
    return heard.said
  })
}

test.each<[string, readonly (readonly [number, string])[], readonly (readonly Typed[])[]]>([
  [
    'a paste in pieces, its marks cut',
    [
      [1000, `${esc}[20`],
      [2000, '0~one\r'],
      [3000, `two\r${esc}`],
      [4000, '[201'],
      [5000, '~'],
      [6000, '\r'],
    ],
    [[], ['text'], ['text'], ['text'], ['text'], ['submit']],
  ],
  [
    'an arrow in pieces',
    [
      [1000, `${esc}[`],
      [1000, 'A'],
    ],
    [[], []],
  ],
  [
    'text four times a second, and at once after anything else',
    [
      [1000, 'a'],
      [1100, 'b'],
      [1249, 'c'],
      [1250, 'd'],
      [1260, '\r'],
      [1261, 'e'],
      [1262, esc],
      [1263, esc],
      [1264, 'f'],
      [1265, 'g'],
    ],
    [['text'], [], [], ['text'], ['submit'], ['text'], ['escape'], ['escape'], ['text'], []],
  ],
])('%s', (_, pieces, said) => expect(told(pieces)).toEqual(said))

test('any bytes, cut anywhere, end and leave little behind', () =>
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: fc.constantFrom(...`${esc}[200~1;:<?M$]\\\u0007\r\u0003xO`) })),
      (pieces) => {
        let heard = nothingTyped
        for (const piece of pieces) heard = heardOf(heard, piece, 1000)
        expect(heard.rest.length).toBeLessThanOrEqual(64)
      },
    ),
  ))

test('a sequence without an end is text, and so is what follows', () => {
  const heard = heardOf(nothingTyped, `${esc}[${'1;'.repeat(1000)}`, 1000)
  expect(heard).toEqual({ said: ['text'], pasting: false, rest: '', known: 1250 })
  expect(heardOf(heard, '\r', 1000).said).toEqual(['submit'])
})

test('many pastes in one piece are read one after the other', () =>
  expect(heardOf(nothingTyped, `${esc}[200~x${esc}[201~`.repeat(50_000), 1000).said).toEqual(['text']))
