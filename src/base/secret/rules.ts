// Secrets that must not be written, in whatever spelling they come.
import { asciiJson, base64, hex, json, percent } from './spelling/rules.ts'

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
  plains
    .map((plain) => percent(text, plain))
    .flatMap((each) => [each, each.replaceAll('%20', '+')])
    .flatMap((each) => [each, lowerCase(each)])

/** `base64` and `openssl` break their lines at these lengths; a rest too short to be found again is no secret. */
const wraps = [64, 76]
const wrapped = (text: string): readonly string[] =>
  wraps
    .filter((width) => text.length > width)
    .flatMap((width) => text.match(new RegExp(`.{1,${width}}`, 'g')) ?? [])
    .filter((line) => line.length >= shortestLine)

const base64s = (text: string): readonly string[] =>
  ([0, 1, 2] as const)
    .flatMap((before) => [base64(text, before), ...(before === 0 ? wrapped(base64(text, 0)) : [])])
    .flatMap((each) => [each, each.replaceAll('+', '-').replaceAll('/', '_')])

const spellings = (text: string): readonly string[] => [
  text,
  json(text),
  asciiJson(text),
  json(json(text)),
  ...urls(text),
  ...base64s(text),
  hex(text),
  hex(text).toUpperCase(),
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

type Span = { readonly from: number; readonly to: number }

const hits = (text: string, form: string): readonly Span[] => {
  const found: Span[] = []
  for (let from = text.indexOf(form); from !== -1; from = text.indexOf(form, from + 1))
    found.push({ from, to: from + form.length })
  return found
}

export type Mask = (text: string) => string

/** Every character that is part of a spelling goes; what touches becomes one mark. */
export const maskOf = (secrets: readonly string[]): Mask => {
  const forms = [...new Set(secrets.flatMap(formsOf))]
  const mark = markOf(forms)
  return (text) => {
    const spans = forms.flatMap((form) => hits(text, form)).sort((one, other) => one.from - other.from)
    let [left, at] = ['', 0]
    for (const { from, to } of spans) {
      if (from > at || (from === 0 && at === 0)) left += text.slice(at, from) + mark
      at = Math.max(at, to)
    }
    return left + text.slice(at)
  }
}

export const mask = (text: string, secrets: readonly string[]): string => maskOf(secrets)(text)
