// What a terminal shows after these bytes. It is the client that paints: a keeper holds no screen, because one
// costs more memory than all the rest of it.
import { openFilter } from '../cli/attach/filter/rules.ts'
import type { Size } from './schema.ts'

export type Screen = {
  readonly lines: readonly string[]
  readonly cursor: { readonly column: number; readonly row: number }
  /** The full-screen buffer of an editor, say, which has no lines above it. */
  readonly alternate: boolean
}

/** Filtered first, whoever asks: a repetition of 2^31 would keep an emulator, and so a host, busy for hours. */
export const screenOf = async (bytes: Uint8Array, size: Size): Promise<Screen> => {
  const { columns, rows } = size
  const harmless = openFilter(undefined, size).pass(Buffer.from(bytes).toString('latin1'))
  // Loaded only where somebody looks.
  const { default: headless } = await import('@xterm/headless')
  const terminal = new headless.Terminal({ cols: columns, rows, scrollback: 0, allowProposedApi: true })
  try {
    await new Promise<void>((resolve) => terminal.write(Buffer.from(harmless, 'latin1'), resolve))
    const { active } = terminal.buffer
    const lines = Array.from(
      { length: rows },
      (_, row) => active.getLine(active.baseY + row)?.translateToString(true) ?? '',
    )
    return {
      lines,
      cursor: { column: active.cursorX, row: active.cursorY },
      alternate: active.type === 'alternate',
    }
  } finally {
    terminal.dispose()
  }
}
