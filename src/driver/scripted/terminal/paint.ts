// What scrolls by, and below it a few lines that are drawn again and again: prompt, status, dialog.
export type Paint = {
  log: (text: string) => void
  footer: (lines: readonly string[]) => void
  end: () => void
}

/** Roughly: a line that is too long would wrap and leave its rest behind when wiped. */
const widthOf = (sign: string): number => ((sign.codePointAt(0) ?? 0) >= 0x1100 ? 2 : 1)

const crop = (line: string, columns: number): string => {
  let width = 0
  let text = ''
  for (const sign of line) {
    width += widthOf(sign)
    if (width >= columns) break
    text += sign
  }
  return text
}

export const openPaint = (out: NodeJS.WriteStream): Paint => {
  let lines: readonly string[] = []
  // A terminal that went away is told by SIGHUP, not by a failed write.
  out.on('error', () => undefined)
  const wipe = (): string => `\r${lines.length > 1 ? `\x1b[${lines.length - 1}A` : ''}\x1b[J`
  const draw = (): string => lines.map((line) => crop(line, out.columns || 80)).join('\n')
  out.write('\x1b[?2004h')
  return {
    log: (text) => out.write(`${wipe()}${text}\n${draw()}`),
    footer: (next) => {
      const gone = wipe()
      lines = next
      out.write(`${gone}${draw()}`)
    },
    end: () => {
      out.write(`${wipe()}\x1b[?2004l`)
      lines = []
    },
  }
}
