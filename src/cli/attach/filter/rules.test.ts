import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openFilter } from './rules.ts'

const e = '\u001b'
const st = `${e}\\`

// [what the agent prints, what the terminal gets]
const table: readonly (readonly [string, string])[] = [
  ['plain \r\n\t\u0007text', 'plain \r\n\t\u0007text'],
  [`${e}[1;31mred${e}[0m`, `${e}[1;31mred${e}[0m`],
  [`${e}[38;2;1;2;3m${e}[4:3m`, `${e}[38;2;1;2;3m${e}[4:3m`],
  // The clipboard, in every spelling.
  [`a${e}]52;c;aGk=\u0007b`, 'ab'],
  [`a${e}]52;c;aGk=${st}b`, 'ab'],
  [`a${e}]5\n2;c;aGk=\u0007b`, 'ab'],
  [`a${e}]052;c;aGk=\u0007b`, 'ab'],
  ['a\u00c2\u009d52;c;aGk=\u0007b', 'a52;c;aGk=\u0007b'],
  [`a${e}]0;${e}]52;c;aGk=\u0007b`, 'ab'],
  [`a${e}P${e}]52;c;aGk=\u0007b`, 'ab'],
  [`a${e}Ptmux;${e}${e}]52;c;aGk=\u0007${st}b`, 'ab'],
  [`a${e}[1${e}]52;c;aGk=\u0007b`, 'a1b'],
  // Titles may be set, not told or stacked.
  [`${e}]0;title\u0007`, `${e}]0;title${st}`],
  [`${e}]2;ti\ntle\u0007`, ''],
  [`${e}[21t${e}[22;0t${e}[23t${e}[8;1;1t${e}[14t`, `${e}[14t`],
  // Links and questions.
  [`${e}]8;;https://x.y${st}here${e}]8;;${st}`, `${e}]8;;https://x.y${st}here${e}]8;;${st}`],
  [`${e}]11;?\u0007${e}]4;1;?\u0007`, `${e}]11;?${st}${e}]4;1;?${st}`],
  [`${e}]11;red\u0007${e}]4;1;red\u0007${e}]4;1;?;2;red\u0007`, ''],
  [`${e}[c${e}[>c${e}[6n${e}[?u${e}[>q${e}[?2004$p`, `${e}[c${e}[>c${e}[6n${e}[?u${e}[>q${e}[?2004$p`],
  [`${e}P$qm${st}${e}P+q544e${st}`, `${e}P$qm${st}${e}P+q544e${st}`],
  [`${e}P0;1q#0!5~${st}x`, `${e}P0;1q#0!5~${st}x`],
  [`${e}P0;1q#0${e}[31mx`, `${e}P0;1q#0${st}${e}[31mx`],
  // Keys, printers, pictures from files, iTerm's files, screen's title.
  [`${e}P1;1|17/41${st}x`, 'x'],
  [`${e}[5i${e}[?5i${e}[4ix`, 'x'],
  [`${e}_Gt=f;L2V0Yy9wYXNzd2Q=${st}x`, 'x'],
  [`${e}]1337;File=name=eA==:eA==\u0007x`, 'x'],
  [`${e}ktitle${st}x`, 'x'],
  // Another way of reading.
  [`${e}%@${e} G${e}[?2l${e}[?38h${e}[?3h${e}[2h${e}[12lx`, 'x'],
  [`${e}%G`, `${e}%G`],
  [`${e}[?1;3;25h`, `${e}[?1;25h`],
  // A count that no screen has.
  [`x${e}[2147483647b${e}[2147483647S`, `x${e}[1000b${e}[1000S`],
  [`${e}[2147483647;5H`, `${e}[9999;5H`],
  // Broken off.
  [`${e}[31\u0018m`, '31\u0018m'],
  [`${e}]0;a\u0018b`, 'b'],
  [`${e}\u0001x`, '\u0001x'],
]
test.each(table)('%j → %j', (printed, shown) => expect(openFilter().pass(printed)).toBe(shown))

// [rows of the agent, printed, shown]
const confined: readonly (readonly [string, string])[] = [
  [`${e}[r`, `${e}[1;23r`],
  [`${e}[5r`, `${e}[5;23r`],
  [`${e}[2;50r`, `${e}[2;23r`],
  [`${e}[2;9r`, `${e}[2;9r`],
  [`${e}[24;5H`, `${e}[23;5H`],
  [`${e}[999;999f`, `${e}[23;999f`],
  [`${e}[24d`, `${e}[23d`],
  [`${e}[H${e}[23;1H`, `${e}[H${e}[23;1H`],
  [`${e}[5e`, `${e}[5B`],
  [`${e}[?1049h`, `${e}[?1049h${e}7${e}[1;23r${e}8`],
  [`${e}[!p`, `${e}[!p${e}7${e}[1;23r${e}8`],
]
test.each(confined)('above a bar %j → %j', (printed, shown) =>
  expect(openFilter(23).pass(printed)).toBe(shown),
)

test('nothing is repeated or scrolled beyond the window', () => {
  const filter = openFilter(undefined, { columns: 80, rows: 24 })
  const printed = `${e}[100b${e}[100@${e}[100S${e}[100L${e}[20b${e}[5;100r`
  expect(filter.pass(printed)).toBe(`${e}[80b${e}[80@${e}[24S${e}[24L${e}[20b${e}[5;100r`)
})

test('the beginning of a sequence or character waits for its end', () => {
  const filter = openFilter()
  expect([filter.pass(`a${e}[3`), filter.calm()]).toEqual(['a', false])
  expect([filter.pass('1mb'), filter.calm()]).toEqual([`${e}[31mb`, true])
  expect([filter.pass('\u00e4\u00bd'), filter.calm()]).toEqual(['', false])
  expect([filter.pass('\u00a0'), filter.calm()]).toEqual(['\u00e4\u00bd\u00a0', true])
})

test('a string without end is neither kept nor shown', () => {
  const filter = openFilter()
  for (let n = 0; n < 100; n += 1) expect(filter.pass(n === 0 ? `${e}]0;` : 'x'.repeat(1000))).toBe('')
  expect(filter.pass('\u0007after')).toBe('after')
})

test('while the program relies on the cursor it saved, nobody else saves one', () => {
  const filter = openFilter(23)
  const calmAfter = (text: string): boolean => {
    filter.pass(text)
    return filter.calm()
  }
  const steps: [string, boolean][] = [
    ['x', true],
    [`${e}7`, false],
    ['y', false],
    [`${e}8`, true],
    [`${e}8`, false],
    [`${e}[?1049h`, true],
  ]
  for (const [text, calm] of steps) expect([text, calmAfter(text)]).toEqual([text, calm])
})

test('what wipes the last row is told once', () => {
  const filter = openFilter(23)
  filter.pass(`${e}[K`)
  expect(filter.wiped()).toBe(false)
  filter.pass(`${e}[J`)
  expect([filter.wiped(), filter.wiped()]).toEqual([true, false])
})

const nasty = fc
  .array(
    fc.constantFrom(
      ...[
        e,
        `${e}[`,
        `${e}]`,
        `${e}P`,
        `${e}_`,
        st,
        '\u0007',
        '\u0018',
        '\u00c2',
        '\u009b',
        '\u009d',
        '5',
        '2',
        '52',
      ],
      ...[';', '?', '>', '$', 'q', 'c', 'h', 'H', 'r', 'm', '%', '@', 'G', '0;', '1049', 'x', '\n', '\u00e2'],
    ),
    { maxLength: 40 },
  )
  .map((parts) => parts.join(''))

test('wherever it is cut, the same comes out', () => {
  fc.assert(
    fc.property(nasty, fc.array(fc.nat(60), { maxLength: 5 }), (text, cuts) => {
      const filter = openFilter(23)
      const at = [0, ...cuts.map((cut) => Math.min(cut, text.length)).sort((a, b) => a - b), text.length]
      const pieces = at.slice(1).map((to, n) => filter.pass(text.slice(at[n], to)))
      expect(pieces.join('')).toBe(openFilter(23).pass(text))
    }),
    { numRuns: 2_000 },
  )
})

test('what came out goes in again unchanged: nothing is put together that would be dropped', () => {
  fc.assert(
    fc.property(nasty, (text) => {
      const shown = openFilter().pass(text)
      expect(openFilter().pass(`${shown}z`)).toBe(`${shown}z`)
      expect(shown).not.toMatch(/\u001b\]0*52;|\u001b_|\u00c2[\u0080-\u009f]|\u001b%@/)
    }),
    { numRuns: 2_000 },
  )
})
