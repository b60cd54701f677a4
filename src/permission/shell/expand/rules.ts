// Words as a program gets them, as far as that is known: braces, values of variables, patterns of file names.
import { gap, type Hole, limits, type Parts, type Text } from '../syntax/schema.ts'

/** A word on its way into a reading; every part of it that is not known is one null. */
export type Item = {
  readonly pieces: readonly (string | null)[]
  /** not quoted: it may become several words, or none */
  readonly split: boolean
  /** holds text that whoever wrote the line, or its input, chose */
  readonly wild: boolean
  /** holds the output of a command */
  readonly output: boolean
}

export const item = (text: string): Item => ({ pieces: [text], split: false, wild: false, output: false })

export const unknown: Item = { pieces: [null], split: true, wild: true, output: false }

/** The whole text, when all of it is known. */
export const literal = (word: Item | undefined): string | undefined => {
  if (word === undefined || word.pieces.includes(null)) return undefined
  return word.pieces.join('')
}

/** What is known at its start. */
export const head = (word: Item | undefined): string => word?.pieces[0] ?? ''

export const codeOf = (word: Item): string => word.pieces.map((piece) => piece ?? gap).join('')

/** Words as one text with blanks between, the way `eval`, `ssh` and `watch` put them together. */
export const joined = (words: readonly Item[]): Item => ({
  pieces: words.flatMap((word, index) => (index > 0 ? [' ', ...word.pieces] : word.pieces)),
  split: words.some(({ split }) => split),
  wild: words.some(({ wild }) => wild),
  output: words.some(({ output }) => output),
})

/** Values of the shell itself: nobody can hide code in them. */
const harmless = new Set(
  'HOME PWD OLDPWD USER LOGNAME UID EUID HOSTNAME TMPDIR RANDOM SECONDS LINENO PPID ? $ ! # -'.split(' '),
)

type Token = string | Hole | Text
type Tokens = readonly Token[]

const tokens = (parts: Parts): Token[] =>
  parts.flatMap((part): Token[] => ('text' in part && !part.quoted ? [...part.text] : [part]))

const together = (list: Tokens): Parts => {
  const parts: (Text | Hole)[] = []
  let text = ''
  for (const token of list) {
    if (typeof token === 'string') {
      text += token
      continue
    }
    if (text !== '') parts.push({ text, quoted: false })
    text = ''
    parts.push(token)
  }
  if (text !== '') parts.push({ text, quoted: false })
  return parts
}

/** The end and the commas of the brace that opens at `open`. */
const brace = (
  list: Tokens,
  open: number,
): { readonly end: number; readonly commas: number[] } | undefined => {
  const commas: number[] = []
  let depth = 0
  for (let at = open; at < list.length; at++) {
    if (list[at] === '{') depth++
    else if (list[at] === '}') {
      depth--
      if (depth === 0) return { end: at, commas }
    } else if (list[at] === ',' && depth === 1) commas.push(at)
  }
  return undefined
}

const sequence = (list: Tokens): Tokens[] | undefined => {
  const text = list.every((token) => typeof token === 'string') ? list.join('') : ''
  if (!/^(?:-?\d+\.\.-?\d+|[A-Za-z]\.\.[A-Za-z])(?:\.\.-?\d+)?$/.test(text)) return undefined
  const [from = '', to = '', by = '1'] = text.split('..')
  const number = /\d/.test(from)
  const [a, b] = number ? [Number(from), Number(to)] : [from.charCodeAt(0), to.charCodeAt(0)]
  const step = Math.max(1, Math.abs(Number(by)))
  if (Math.abs(b - a) / step > limits.words) return [[{ hole: '?', quoted: false, many: true }]]
  const values: Tokens[] = []
  for (let at = a; a <= b ? at <= b : at >= b; at += a <= b ? step : -step) {
    values.push([{ text: number ? `${at}` : String.fromCharCode(at), quoted: true }])
  }
  return values
}

const braces = (list: Tokens): Tokens[] => {
  for (let open = list.indexOf('{'); open >= 0; open = list.indexOf('{', open + 1)) {
    const found = brace(list, open)
    if (found === undefined) continue
    const { end, commas } = found
    const cuts = [open, ...commas, end]
    const inside =
      commas.length > 0
        ? cuts.slice(1).flatMap((cut, index) => braces(list.slice((cuts[index] ?? 0) + 1, cut)))
        : sequence(list.slice(open + 1, end))
    if (inside === undefined) continue
    const before = list.slice(0, open)
    const after = braces(list.slice(end + 1))
    return inside
      .flatMap((one) => after.map((rest) => [...before, ...one, ...rest]))
      .slice(0, 4 * limits.words)
  }
  return [list]
}

const anything: Parts = [{ hole: '', quoted: false, many: true }]

export const expandBraces = (parts: Parts): readonly Parts[] => {
  if (!parts.some((part) => 'text' in part && !part.quoted && part.text.includes('{'))) return [parts]
  const text = parts.map((part) => ('text' in part && !part.quoted ? part.text : '')).join('')
  const opening = text.split('{').length - 1
  if (opening === 0 || !/,|\.\./.test(text)) return [parts]
  if (opening > 12) return [anything]
  const all = braces(tokens(parts))
  return all.length > limits.words ? [anything] : all.map(together)
}

type Draft = { pieces: (string | null)[]; split: boolean; wild: boolean; output: boolean }

const draft = (): Draft => ({ pieces: [], split: false, wild: false, output: false })

const put = (word: Draft, piece: string | null): void => {
  const last = word.pieces.length - 1
  const before = word.pieces[last]
  if (piece === null ? before === null && word.pieces.length > 0 : piece === '' && word.pieces.length > 0)
    return
  if (typeof piece === 'string' && typeof before === 'string') word.pieces[last] = before + piece
  else word.pieces.push(piece)
}

const pattern = /[*?]|\[[^\]]*\]/g

/** Patterns longer than this are any text: looking for their brackets takes longer than in proportion. */
const longest = 1000

/** Text that may hold gaps of an outer reading, and, not quoted, patterns of file names. */
const putText = (word: Draft, text: string, quoted: boolean): void => {
  for (const [index, known] of text.split(gap).entries()) {
    if (index > 0) {
      put(word, null)
      word.split ||= !quoted
      word.wild = true
    }
    if (quoted || !/[*?[]/.test(known)) put(word, known)
    else if (known.length > longest) {
      put(word, null)
      word.split = true
    } else {
      for (const [turn, piece] of known.split(pattern).entries()) {
        if (turn > 0) put(word, null)
        word.split ||= turn > 0
        if (piece !== '') put(word, piece)
      }
    }
  }
}

const special = new RegExp(`[*?[${gap}]`)

export type Values = ReadonlyMap<string, string>

/**
 * One word of the text as the words it becomes when these variables have these values. `set` = names that the
 * line changes, so that their usual values cannot be trusted; '*' = it may change any.
 */
export const expand = (parts: Parts, values: Values, set: ReadonlySet<string>): Item[] => {
  const [only] = parts
  if (parts.length === 1 && only !== undefined && 'text' in only && !special.test(only.text))
    return [item(only.text)]
  const done: Draft[] = []
  let word = draft()
  let begun = false
  for (const part of parts) {
    if ('text' in part) {
      putText(word, part.text, part.quoted)
      begun = true
      continue
    }
    const value = values.get(part.hole)
    if (value !== undefined && part.quoted) {
      putText(word, value, true)
      begun = true
    } else if (value !== undefined) {
      const fields = value.split(/[ \t\n]+/)
      for (const [index, field] of fields.entries()) {
        if (index > 0 && begun) {
          done.push(word)
          word = draft()
          begun = false
        }
        if (field === '') continue
        putText(word, field, false)
        begun = true
      }
    } else {
      const usual = harmless.has(part.hole) && !set.has(part.hole) && !set.has('*')
      if (part.hole === 'HOME' && usual && !begun) put(word, '~')
      else put(word, null)
      begun = true
      word.split ||= part.many || (!part.quoted && !usual)
      word.wild ||= !usual
      word.output ||= part.hole === ''
    }
  }
  if (begun) done.push(word)
  return done
}
