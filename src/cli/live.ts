// One line at the bottom of a terminal that says what goes on now, and is gone afterwards.
import { narrow } from '../base/text/rules.ts'
import type { Call } from './io.ts'

export type Live = {
  show(text: string): void
  /** A line that stays, above it. */
  print(text: string): void
  clear(): void
}

const erase = '\r\u001b[K'

/** Where it cannot be drawn only what stays is said. */
export const liveLine = ({ io, json, progress }: Pick<Call, 'io' | 'json' | 'progress'>): Live => {
  const { stderr, env } = io
  const drawn = stderr.isTTY === true && !json && env.TERM !== 'dumb'
  let shown = ''
  const show = (text: string): void => {
    // A line that fills its row makes some terminals go to the next.
    const line = narrow(text).slice(0, (stderr.columns || 80) - 1)
    if (!drawn || line === shown) return
    shown = line
    stderr.write(`${erase}${line}`)
  }
  const clear = (): void => {
    if (shown !== '') stderr.write(erase)
    shown = ''
  }
  return {
    show,
    print: (text) => {
      const under = shown
      clear()
      progress(text)
      show(under)
    },
    clear,
  }
}
