// The options of a program, as far as it matters where its own words end.
import { codeOf, head, type Item, literal } from '../expand/rules.ts'

export type Options = {
  readonly short?: string
  readonly long?: string
  readonly code?: string
  readonly assigns?: true
}

/** `at` = the first word that is no option; `codes` = the values of options that hold code. */
export type Walk = {
  readonly at: number
  readonly codes: readonly Item[]
  readonly assigned: readonly Item[]
  readonly seen: readonly string[]
}

/** The end of a word from this character of its known start. */
export const tail = (word: Item, from: number): Item => {
  const [first, ...rest] = word.pieces
  return { ...word, pieces: [(first ?? '').slice(from), ...rest] }
}

const listed = (list: string | undefined, name: string): boolean => (list ?? '').split(' ').includes(name)

export const assigns = (word: Item | undefined): boolean => /^[A-Za-z_][\w%()]*=/.test(head(word))

export const walk = (words: readonly Item[], start: number, options: Options): Walk => {
  const codes: Item[] = []
  const assigned: Item[] = []
  const seen: string[] = []
  let at = start
  const value = (word: Item, from: number, isCode: boolean): void => {
    const attached = codeOf(word).length > from
    const found = attached ? tail(word, from) : words[at + 1]
    if (isCode && found !== undefined) codes.push(found)
    at += attached ? 1 : 2
  }
  for (let word = words[at]; word !== undefined; word = words[at]) {
    const text = head(word)
    if (options.assigns && assigns(word)) {
      assigned.push(word)
      at++
    } else if (text === '--' && literal(word) === '--') {
      at++
      break
    } else if (text.startsWith('--')) {
      const [name = ''] = text.split('=', 1)
      seen.push(name)
      const isCode = listed(options.code, name)
      if (isCode || listed(options.long, name.slice(2))) {
        value(word, text.includes('=') ? name.length + 1 : codeOf(word).length, isCode)
      } else at++
    } else if (/^-./.test(text)) {
      seen.push(text)
      const whole = listed(options.code, text)
      const letter = [...text.slice(1)].findIndex(
        (one) => options.short?.includes(one) || listed(options.code, `-${one}`),
      )
      if (whole && text.length > 2) value(word, text.length, true)
      else if (letter < 0) at++
      else value(word, letter + 2, listed(options.code, `-${text[letter + 1]}`))
    } else if (text === '-' && literal(word) === '-' && options.assigns) at++
    else break
  }
  return { at, codes, assigned, seen }
}

/** Every value of these options, wherever they stand, also after other words. */
export const valuesOf = (words: readonly Item[], names: string): Item[] => {
  const wanted = names.split(' ').filter((name) => name !== '')
  return words.flatMap((word, index) => {
    const text = head(word)
    if (!text.startsWith('-')) return []
    if (wanted.includes(literal(word) ?? '')) return words[index + 1] ?? []
    const [name = ''] = text.split('=', 1)
    if (text.includes('=') && wanted.includes(name)) return tail(word, name.length + 1)
    // `-xCODE`, and `-pe CODE` where letters are put together
    const letters = wanted.filter((one) => /^-\w$/.test(one)).map((one) => one[1] as string)
    if (!/^-\w/.test(text) || text.startsWith('--')) return []
    const letter = [...text.slice(1)].findIndex((one) => letters.includes(one))
    if (letter < 0) return []
    return codeOf(word).length > letter + 2
      ? [tail(word, letter + 2), ...words.slice(index + 1, index + 2)]
      : (words[index + 1] ?? [])
  })
}
