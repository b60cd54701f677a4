// Whether a program takes pastes: what is typed before it reads its input line may be thrown away.

export type Pasting = {
  readonly on: boolean
  /** The end of what was printed, where a sequence may be cut in two. */
  readonly rest: string
}

export const notPasting: Pasting = { on: false, rest: '' }

const modes = /\x1b\[\?([\d;]{1,30})([hl])/g
const unfinished = /\x1b(?:\[(?:\?[\d;]{0,30})?)?$/

export const hearPasting = (before: Pasting, printed: Buffer): Pasting => {
  // Most of what is printed has nothing of it: that must cost nothing.
  if (before.rest === '' && !printed.includes(0x1b)) return before
  const text = before.rest + printed.toString('latin1')
  let { on } = before
  for (const [, numbers = '', word] of text.matchAll(modes))
    if (numbers.split(';').includes('2004')) on = word === 'h'
  return { on, rest: unfinished.exec(text.slice(-40))?.[0] ?? '' }
}
