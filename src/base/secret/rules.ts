// Secrets that must not be written, in whatever spelling they come.
import { type CodeAt, finderOf } from './find/rules.ts'
import { base64, hex, json, jsonDialects, percent } from './spelling/rules.ts'

/**
 * Shorter ones are not masked. Whoever wants them tries them all; and words like `result` or `true`, which people put
 * into variables too, would go from every line, and each gap would say what the secret is.
 */
export const shortest = 8
/** A single line of a longer secret is one by itself: keys are printed with something before each line. */
const shortestLine = 16

const usual = '[redacted]'

/** What curl and browsers, forms, Python, and those who spare a path leave as it is. */
const plains = [/[\w.~!'()*-]/, /[\w.~-]/, /[\w.*-]/, /[\w.~/-]/, /[\w.~!'()*;,/?:@&=+$#-]/]

const lowerCase = (text: string): string => text.replace(/%../g, (digits) => digits.toLowerCase())

const urls = (text: string): readonly string[] =>
  // Most tokens: nobody changes anything in them.
  /^[\w.-]*$/.test(text)
    ? []
    : plains
        .map((plain) => percent(text, plain))
        .flatMap((each) => [each, each.replaceAll('%20', '+')])
        .flatMap((each) => [each, lowerCase(each)])

/** A longer secret has too many pieces to look for each. */
const longestPieced = 1024
/** `base64` and `openssl` break their lines at these lengths; a rest too short to be found again is no secret. */
const wraps = [64, 76]
const wrapped = (text: string): readonly string[] =>
  wraps
    .flatMap((width) => text.match(new RegExp(`.{1,${width}}`, 'g')) ?? [])
    .filter((line) => line.length >= shortestLine)

/** Every piece that is so long: it may stand behind anything, and lines are broken anywhere. */
const pieces = (text: string, length: number, step: number): readonly string[] => {
  const starts = Array.from({ length: Math.ceil((text.length - length) / step) }, (_, index) => index * step)
  return [...starts.map((at) => text.slice(at, at + length)), text.slice(-length)]
}

const inPieces = (text: string, length: number, step: number): readonly string[] => {
  if (text.length <= length) return [text]
  return text.length > 2 * longestPieced ? [text, ...wrapped(text)] : pieces(text, length, step)
}

const base64s = (text: string): readonly string[] =>
  ([0, 1, 2] as const)
    .map((before) => base64(text, before))
    .flatMap((each) => [...new Set([each, each.replaceAll('+', '-').replaceAll('/', '_')])])
    .flatMap((each) => inPieces(each, 12, 1))

const hexes = (text: string): readonly string[] =>
  [hex(text), hex(text).toUpperCase()].flatMap((each) => inPieces(each, 2 * shortest, 2))

/** As one program writes it into a string of JSON, and others that into theirs. */
const jsons = (text: string): readonly string[] =>
  jsonDialects.map((spell) => spell(text)).flatMap((once) => [once, json(once), json(json(once))])

const spellings = (text: string): readonly string[] => [
  text,
  ...jsons(text),
  ...urls(text),
  ...base64s(text),
  ...hexes(text),
]

/** All spellings of a secret that must not be written; none for one that is too short. */
export const formsOf = (value: string): readonly string[] => {
  const whole = value.trim()
  if (whole.length < shortest) return []
  const lines = whole.split(/\s*\n\s*/).filter((line) => line.length >= shortestLine)
  return [...new Set([whole, ...lines].flatMap(spellings))]
}

/** Laid over each other in some way, they agree: beside its neighbours the mark would spell the form again. */
const meet = (form: string, mark: string): boolean => {
  // Without its first and its last character it can only stand inside.
  if (!form.includes(mark.charAt(0)) && !form.includes(mark.slice(-1))) return mark.includes(form)
  for (let shift = 1 - form.length; shift < mark.length; shift += 1) {
    const length = Math.min(mark.length, shift + form.length) - Math.max(0, shift)
    if (mark.startsWith(form.slice(Math.max(0, -shift), Math.max(0, -shift) + length), Math.max(0, shift)))
      return true
  }
  return false
}

/** What is written instead: valid inside of a JSON string, and never itself a part of a secret. */
export const markOf = (forms: readonly string[]): string => {
  if (!forms.some((form) => meet(form, usual))) return usual
  let code = 0x25a0
  while (forms.some((form) => form.includes(String.fromCharCode(code)))) code += 1
  return String.fromCharCode(code).repeat(3)
}

const unitAt: CodeAt<string> = (text, at) => text.charCodeAt(at)

export type Mask = (text: string) => string

/** What is looked for, and what is written instead. */
export type Sought = { readonly forms: readonly string[]; readonly mark: string }

export const soughtOf = (secrets: readonly string[]): Sought => {
  const forms = [...new Set(secrets.flatMap(formsOf))]
  return { forms, mark: markOf(forms) }
}

/** Every character that is part of a spelling goes; what touches becomes one mark. */
export const maskFor = ({ forms, mark }: Sought): Mask => {
  if (forms.length === 0) return (text) => text
  const find = finderOf(forms, unitAt)
  return (text) => {
    const spans = find(text)
    if (spans.length === 0) return text
    let [left, at] = ['', 0]
    for (const { from, to } of spans) {
      if (from > at || (from === 0 && at === 0)) left += text.slice(at, from) + mark
      at = Math.max(at, to)
    }
    return left + text.slice(at)
  }
}

export const maskOf = (secrets: readonly string[]): Mask => maskFor(soughtOf(secrets))

export const mask = (text: string, secrets: readonly string[]): string => maskOf(secrets)(text)
