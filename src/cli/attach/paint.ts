// What a terminal shows after these bytes, as the shortest text that makes another terminal show it.
import type { IBuffer, IBufferCell, Terminal } from '@xterm/headless'
import type { Size } from '../../keeper/schema.ts'

const colour = (cell: IBufferCell, ground: 'fg' | 'bg'): string => {
  const [rgb, palette, value, base] =
    ground === 'fg'
      ? [cell.isFgRGB(), cell.isFgPalette(), cell.getFgColor(), 38]
      : [cell.isBgRGB(), cell.isBgPalette(), cell.getBgColor(), 48]
  if (rgb) return `;${base};2;${(value >> 16) & 255};${(value >> 8) & 255};${value & 255}`
  return palette ? `;${base};5;${value}` : ''
}

const look = (cell: IBufferCell): string => {
  const marks: readonly [number, number][] = [
    [1, cell.isBold()],
    [2, cell.isDim()],
    [3, cell.isItalic()],
    [4, cell.isUnderline()],
    [5, cell.isBlink()],
    [7, cell.isInverse()],
    [8, cell.isInvisible()],
    [9, cell.isStrikethrough()],
    [53, cell.isOverline()],
  ]
  const on = marks.flatMap(([mark, set]) => (set ? [`;${mark}`] : [])).join('')
  return `\u001b[0${on}${colour(cell, 'fg')}${colour(cell, 'bg')}m`
}

const plain = '\u001b[0m'

/** One row with its colours; nothing after the last cell that shows something. */
const rowOf = (buffer: IBuffer, at: number, columns: number): string => {
  const line = buffer.getLine(at)
  if (line === undefined) return ''
  const out: string[] = []
  let now = plain
  let shown = 0
  const cell = buffer.getNullCell()
  for (let column = 0; column < columns; column += 1) {
    const found = line.getCell(column, cell)
    // The second half of a wide character.
    if (found === undefined || found.getWidth() === 0) continue
    const next = found.isAttributeDefault() ? plain : look(found)
    if (next !== now) out.push(next)
    now = next
    const text = found.getChars()
    out.push(text === '' ? ' ' : text)
    if (text !== '' || next !== plain) shown = out.length
  }
  return `${out.slice(0, shown).join('')}${plain}`
}

const screenRows = (buffer: IBuffer, { columns, rows }: Size): string =>
  Array.from(
    { length: rows },
    (_, row) => `\u001b[${row + 1};1H${rowOf(buffer, buffer.baseY + row, columns)}`,
  ).join('')

const cursorOf = ({ cursorX, cursorY }: IBuffer): string => `\u001b[${cursorY + 1};${cursorX + 1}H`

export type Painting = {
  /** Lines above the screen, for the scrollback of whoever looks. */
  readonly history: readonly string[]
  readonly screen: string
  /** The full-screen buffer above it, where one is in use. */
  readonly alternate: string | undefined
  /** Where the next character goes; and where it would go without the full-screen buffer. */
  readonly cursor: string
  readonly normalCursor: string
}

export type Emulated = {
  readonly terminal: Terminal
  readonly dispose: () => void
}

const piece = 16 * 1024

/** Cells of the lines above the screen: some hundred megabytes would be needed for more. */
const cells = 4_000_000
export const historyLimit = ({ columns }: Size): number => Math.min(50_000, Math.floor(cells / columns))

/** `bytes` went through the filter before: a repetition of 2^31 would keep an emulator busy for hours. */
export const emulate = async (bytes: Uint8Array, size: Size, history: number): Promise<Emulated> => {
  // Loaded only where somebody looks.
  const { default: headless } = await import('@xterm/headless')
  const { columns, rows } = size
  const terminal = new headless.Terminal({ cols: columns, rows, scrollback: history, allowProposedApi: true })
  // Piece by piece: in between it lets others have a word.
  for (let at = 0; at < bytes.length; at += piece) terminal.write(bytes.subarray(at, at + piece))
  await new Promise<void>((resolve) => terminal.write('', resolve))
  return { terminal, dispose: () => terminal.dispose() }
}

export const paint = async (bytes: Uint8Array, size: Size, history: number): Promise<Painting> => {
  const { terminal, dispose } = await emulate(bytes, size, history)
  try {
    const { normal, alternate, active } = terminal.buffer
    return {
      history: Array.from({ length: normal.baseY }, (_, at) => rowOf(normal, at, size.columns)),
      screen: screenRows(normal, size),
      alternate: active.type === 'alternate' ? screenRows(alternate, size) : undefined,
      cursor: cursorOf(active),
      normalCursor: cursorOf(normal),
    }
  } finally {
    dispose()
  }
}
