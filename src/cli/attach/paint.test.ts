import type { Terminal } from '@xterm/headless'
import { expect, test } from 'vitest'
import { emulate, historyLimit, paint } from './paint.ts'

const size = { columns: 20, rows: 5 }

/** Every cell of the screen with its colours, and the cursor. */
const seen = ({ buffer: { active } }: Terminal) => ({
  cells: Array.from({ length: size.rows }, (_, row) =>
    Array.from({ length: size.columns }, (_, column) => {
      const cell = active.getLine(active.baseY + row)?.getCell(column)
      if (cell === undefined) return ''
      const marks = [cell.isBold(), cell.isDim(), cell.isItalic(), cell.isUnderline(), cell.isInverse()]
      const text = cell.getChars() === ' ' ? '' : cell.getChars()
      return [text, cell.getFgColor(), cell.getBgColor(), ...marks.map((mark) => mark !== 0)].join()
    }),
  ),
  cursor: [active.cursorX, active.cursorY],
  type: active.type,
})

const shown = async (bytes: string) => {
  const { terminal, dispose } = await emulate(Buffer.from(bytes), size, 0)
  const found = seen(terminal)
  dispose()
  return found
}

const e = '\u001b'
test.each([
  ['plain\r\ntext'],
  [`${e}[1;31mbold red${e}[0m not ${e}[7mturned`],
  [`${e}[38;5;208m${e}[48;2;1;2;3mcolours${e}[K`],
  [`${e}[3;4;2mall at once`],
  ['\u4f60\u597d wide \u00e4\u0301'],
  [`1\r\n2\r\n3\r\n4\r\n5\r\n6\r\n7 scrolled`],
  [`below${e}[?1049h${e}[2;3Hin the ${e}[32meditor${e}[0m${e}[4;4H`],
  [`${e}[44m${e}[2J${e}[3;3Hpainted ground`],
  [''],
])('%j is painted as it was', async (bytes) => {
  const { screen, alternate, cursor, normalCursor } = await paint(Buffer.from(bytes), size, 100)
  const above = alternate === undefined ? '' : `${e}[?1049h${alternate}`
  expect(await shown(`${screen}${normalCursor}${above}${cursor}`)).toEqual(await shown(bytes))
})

test('the lines above come with it, as many as are asked for', async () => {
  const bytes = Buffer.from(Array.from({ length: 30 }, (_, n) => `line ${n + 1}`).join('\r\n'))
  const text = ({ history }: { history: readonly string[] }): string[] =>
    history.map((line) => line.replaceAll(`${e}[0m`, ''))
  expect(text(await paint(bytes, size, 100))).toEqual(Array.from({ length: 25 }, (_, n) => `line ${n + 1}`))
  expect(text(await paint(bytes, size, 3))).toEqual(['line 23', 'line 24', 'line 25'])
  expect(text(await paint(bytes, size, 0))).toEqual([])
  expect(historyLimit({ columns: 1000, rows: 10 })).toBe(4_000)
})
