// The agent's screen in the person's window, with the bar below it.
import type { Size } from '../../keeper/schema.ts'
import { drawnBar, type Facts, type Shown } from './bar/rules.ts'
import { openFilter } from './filter/rules.ts'
import { replayed, restored } from './modes/rules.ts'
import { paint } from './paint.ts'
import { recent } from './recent.ts'

export type Screen = {
  /** The part of the window that is the agent's. */
  size(): Size
  /** Shows what these bytes lead to, from nothing; with the lines above it where they are new to the window. */
  replay(pieces: readonly Buffer[], history: boolean): Promise<void>
  live(bytes: Buffer): void
  tell(facts: Facts | undefined): void
  notice(text: string | undefined): void
  /** What leaves the window as it was before. */
  last(): string
}

export type Setting = {
  readonly agent: string
  readonly key: string
  readonly bar: boolean
  readonly window: () => Size
  readonly write: (bytes: Uint8Array | string) => void
}

/** Below this a bar would take too much. */
const smallest = 4
/** Lines above the screen that a new window gets to scroll back to. */
const historyLines = 1_000

const keepTitle = '\u001b[22;0t'
const giveTitle = '\u001b[23;0t'

export const openScreen = ({ agent, key, bar, window, write }: Setting): Screen => {
  let filter = openFilter()
  let shown: Shown = { agent, key, facts: undefined }
  let due = false
  let painted = false

  const barred = (): boolean => bar && window().rows >= smallest
  const size = (): Size => {
    const { columns, rows } = window()
    return { columns, rows: barred() ? rows - 1 : rows }
  }
  /** Never in the middle of a sequence, and never while the program relies on the cursor it saved. */
  const barNow = (): string => {
    if (!due || !barred() || !filter.calm()) return ''
    due = false
    return Buffer.from(drawnBar(shown, window())).toString('latin1')
  }
  const redraw = (): void => {
    due = true
    if (painted) write(Buffer.from(barNow(), 'latin1'))
  }

  const makeRoom = (history: readonly string[], rows: number): string => {
    const below = window().rows
    // What the person had on the screen goes up, out of sight but not away.
    const up = `\u001b[${below};1H${'\n'.repeat(below)}`
    const lines = history.map((line) => `${line}\r\n`).join('')
    const off = `\u001b[${rows};1H${'\n'.repeat(Math.min(history.length, rows))}`
    return `${up}\u001b[1;${rows}r\u001b[H${lines}${off}`
  }

  const replay = async (pieces: readonly Buffer[], history: boolean): Promise<void> => {
    const before = restored(filter.modes())
    const area = size()
    const { bytes, filter: next } = recent(pieces, area)
    const picture = await paint(bytes, area, history ? historyLines : 0)
    filter = next
    filter.fit(barred() ? area.rows : undefined)
    const modes = filter.modes()
    const confined = `\u001b[1;${area.rows}r`
    // The region homes the cursor, so the cursor comes after it.
    const region = modes.region === '' ? '' : filter.region(modes.region)
    write(
      [
        painted ? '' : keepTitle,
        before,
        history ? makeRoom(picture.history, area.rows) : '\u001b[H\u001b[2J',
        confined,
        picture.screen,
        picture.normalCursor,
        picture.alternate === undefined ? '' : `\u001b[?1049h${confined}\u001b[2J${picture.alternate}`,
        region,
        picture.cursor,
        replayed(modes),
      ].join(''),
    )
    painted = true
    redraw()
  }

  return {
    size,
    replay,
    live: (bytes) => {
      const text = bytes.toString('latin1')
      const out = filter.pass(text)
      due = filter.wiped() || due
      const all = out + barNow()
      write(all === text ? bytes : Buffer.from(all, 'latin1'))
    },
    tell: (facts) => {
      shown = { ...shown, facts }
      redraw()
    },
    notice: (text) => {
      if (text === shown.notice) return
      shown = { ...shown, notice: text }
      redraw()
    },
    last: () => {
      if (!painted) return ''
      const { rows } = window()
      // Whatever sequence was on its way is called off.
      return `\u0018${restored(filter.modes())}\u001b[${rows};1H${barred() ? '\u001b[2K' : '\r\n'}${giveTitle}`
    },
  }
}
