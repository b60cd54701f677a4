// What a person's bytes mean to somebody who only wants to know: were keys typed, was a line sent, was the agent
// interrupted. What the terminal reports by itself, and what only moves about, means nothing.
import type { Typed } from '../schema.ts'

export type Heard = {
  /** To be told now. */
  readonly said: readonly Typed[]
  /** In a paste, which may come in many pieces: no key in it is one. */
  readonly pasting: boolean
  /** A sequence that was cut. */
  readonly rest: string
  /** Until then more text is no news. */
  readonly known: number
}

export const nothingTyped: Heard = { said: [], pasting: false, rest: '', known: 0 }

const interval = 250
/** Nothing that is longer is a key or a report of a terminal. */
const longest = 64

const esc = '\u001b'
const pasteEnd = '\u001b[201~'

const forms: Readonly<Record<string, string>> = {
  text: String.raw`[^\u001b\r\n\u0003]+`,
  submit: String.raw`[\r\n]`,
  interrupt: String.raw`\u0003`,
  report: String.raw`\u001b[\]P_^X][^\u0007\u001b]+(?:\u0007|\u001b\\)`,
  mouse: String.raw`\u001b\[M[^]{3}`,
  cut: String.raw`\u001b\[(?:[<-?]?[\d;:]*[ -\/]*|M[^]{0,2})$`,
  sequence: String.raw`\u001b\[(?<mark>[<-?]?)(?<numbers>[\d;:]*)[ -\/]*(?<last>[@-~])`,
  // Some terminals put an ESC before an arrow for Alt.
  moved: String.raw`\u001bO[@-~]|\u001b(?=\u001b[\[O])`,
  alt: String.raw`\u001b[^\u001b]`,
  escape: esc,
}
const token = new RegExp(
  Object.entries(forms)
    .map(([name, form]) => `(?<${name}>${form})`)
    .join('|'),
  'y',
)

const codes = { enter: [13, 57414], escape: 27, c: 99 }

/** A key by its number, as newer terminals report it. */
const keyOf = (code: number, modifiers: string): Typed | undefined => {
  const [held = '', kind = ''] = modifiers.split(':')
  const control = ((Number(held || 1) - 1) & 4) !== 0
  // Let go again.
  if (kind === '3') return undefined
  if (codes.enter.includes(code)) return Number(held) > 1 ? 'text' : 'submit'
  if (code === codes.escape || (control && code === codes.c)) return 'escape'
  // Shift by itself, and others without a sign.
  return code >= 57344 && code <= 63743 ? undefined : 'text'
}

const meaning = (mark: string, numbers: string, last: string): Typed | undefined => {
  const [first = '', second = '', third = ''] = numbers.split(';')
  if (mark !== '') return undefined
  if (last === 'u') return keyOf(Number(first.split(':')[0]), second)
  if (last !== '~') return undefined
  if (first === '27' && third !== '') return keyOf(Number(third), second)
  // Delete.
  return first === '3' ? 'text' : undefined
}

const wordOf = (found: Readonly<Record<string, string | undefined>>): Typed | undefined => {
  if (found.submit !== undefined) return 'submit'
  if (found.interrupt !== undefined || found.escape !== undefined) return 'escape'
  if (found.sequence !== undefined) return meaning(found.mark ?? '', found.numbers ?? '', found.last ?? '')
  return found.text !== undefined || found.alt !== undefined || found.cut !== undefined ? 'text' : undefined
}

/** The end of a paste may itself be cut. */
const cutEnd = (text: string): string => {
  const at = text.lastIndexOf(esc)
  return at >= 0 && pasteEnd.startsWith(text.slice(at)) ? text.slice(at) : ''
}

type Read = Pick<Heard, 'pasting' | 'rest'> & { readonly words: readonly Typed[] }

const read = (text: string, before: boolean): Read => {
  const words: Typed[] = []
  let pasting = before
  const add = (word: Typed | undefined): void => {
    if (word !== undefined && words.at(-1) !== word) words.push(word)
  }
  for (let at = 0; at < text.length; ) {
    if (pasting) {
      add('text')
      const end = text.indexOf(pasteEnd, at)
      if (end < 0) return { words, pasting, rest: cutEnd(text.slice(at)) }
      pasting = false
      at = end + pasteEnd.length
    } else {
      token.lastIndex = at
      const found = token.exec(text)?.groups ?? {}
      if (found.cut !== undefined && found.cut.length <= longest) return { words, pasting, rest: found.cut }
      add(wordOf(found))
      pasting = found.sequence === '\u001b[200~'
      at = token.lastIndex
    }
  }
  return { words, pasting, rest: '' }
}

const plain = /^[ -~]+$/

/** `text` is one byte a character; `now` in milliseconds. */
export const heardOf = (before: Heard, text: string, now: number): Heard => {
  // Nearly every key, and the agent's echo waits meanwhile.
  if (now < before.known && !before.pasting && before.rest === '' && plain.test(text))
    return before.said.length === 0 ? before : { ...before, said: [] }
  const { words, pasting, rest } = read(before.rest + text, before.pasting)
  const said: Typed[] = []
  let { known } = before
  for (const [at, word] of words.entries()) {
    // What was sent is told by the sending.
    if (word === 'text' && (now < known || words[at + 1] === 'submit')) continue
    said.push(word)
    known = word === 'text' ? now + interval : 0
  }
  return { said, pasting, rest, known }
}
