// Where a text stops being JSON, and what of JSON is refused. `JSON.parse` decides; this finds what to name.
// Strings are searched, not matched: a pattern that repeats over a long one overflows the stack.

const space = /[ \t\n\r]*/y
const atom = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y
const escaped = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})|([\\\u0000-\u001f])/g

const skip = (pattern: RegExp, text: string, at: number): number => {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : at
}

/** The place of the quote that closes the string opened at `from`. */
const closing = (text: string, from: number): number => {
  for (let at = text.indexOf('"', from + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let escapes = 0
    while (text[at - 1 - escapes] === '\\') escapes += 1
    if (escapes % 2 === 0) return at
  }
  return text.length
}

/** Behind a string, or at what does not belong into it. */
const afterString = (text: string, from: number): { at: number; broken: boolean } => {
  const end = closing(text, from)
  escaped.lastIndex = from + 1
  for (let found = escaped.exec(text); found && found.index < end; found = escaped.exec(text)) {
    if (found[1] !== undefined) return { at: found.index, broken: true }
  }
  return { at: Math.min(end + 1, text.length), broken: end === text.length }
}

const afterAtom = (text: string, from: number): { at: number; broken: boolean } => {
  if (text[from] === '"') return afterString(text, from)
  const at = skip(atom, text, from)
  return { at, broken: at === from }
}

type Wanted = 'value' | 'first value' | 'key' | 'first key' | 'colon' | 'comma' | 'end'

/** The offset of the first character that cannot belong to JSON; the length if the text only ends too soon. */
export const brokenAt = (text: string): number => {
  const open: string[] = []
  let wanted: Wanted = 'value'
  const after = (): Wanted => (open.length === 0 ? 'end' : 'comma')
  for (let at = skip(space, text, 0); at < text.length; at = skip(space, text, at)) {
    const sign = text[at] ?? ''
    const inObject = open.at(-1) === '}'
    if (wanted === 'colon' ? sign === ':' : wanted === 'comma' && sign === ',') {
      wanted = wanted === 'comma' && inObject ? 'key' : 'value'
      at += 1
    } else if (sign === open.at(-1) && ['comma', 'first key', 'first value'].includes(wanted)) {
      open.pop()
      wanted = after()
      at += 1
    } else if (wanted.endsWith('value') && (sign === '{' || sign === '[')) {
      open.push(sign === '{' ? '}' : ']')
      wanted = sign === '{' ? 'first key' : 'first value'
      at += 1
    } else if (wanted.endsWith('value') || (wanted.endsWith('key') && sign === '"')) {
      const next = afterAtom(text, at)
      if (next.broken) return next.at
      wanted = wanted.endsWith('key') ? 'colon' : after()
      at = next.at
    } else return at
  }
  return text.length
}

const signs = { quote: 0x22, list: 0x5b, listEnd: 0x5d, object: 0x7b, objectEnd: 0x7d }

/** How deep brackets nest outside strings. Deep input is refused before anything recursive walks it. */
export const depthOf = (text: string): number => {
  let depth = 0
  let deepest = 0
  for (let at = 0; at < text.length; at += 1) {
    const sign = text.charCodeAt(at)
    if (sign === signs.quote) at = closing(text, at)
    else if (sign === signs.list || sign === signs.object) deepest = Math.max(deepest, ++depth)
    else if (sign === signs.listEnd || sign === signs.objectEnd) depth -= 1
  }
  return deepest
}

/** Of a text that is JSON: a field that one object has twice. Which of them counts is anybody's guess. */
export const repeatedIn = (text: string): string | undefined => {
  const open: (Set<string> | undefined)[] = []
  let isName = false
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at]
    if (sign === '{' || sign === '[') open.push(sign === '{' ? new Set() : undefined)
    else if (sign === '}' || sign === ']') open.pop()
    else if (sign === '"') {
      const end = closing(text, at)
      const names = open.at(-1)
      if (isName && names) {
        const name = JSON.parse(text.slice(at, end + 1)) as string
        if (names.has(name)) return name
        names.add(name)
      }
      at = end
    }
    if (sign === '{' || sign === ',') isName = open.at(-1) !== undefined
    else if (sign === ':' || sign === '[') isName = false
  }
  return undefined
}

const unwritable = /[\0\p{Surrogate}]/u
const escapesOfThem = /\\u(?:0000|d[89a-f])/i

/** Of a text that is JSON: the field with NUL or half of a surrogate pair, which neither a file nor a program takes. */
export const unwritableIn = (text: string): string | undefined => {
  if (!escapesOfThem.test(text)) return undefined
  let found: string | undefined
  JSON.parse(text, (name, value: unknown) => {
    if (unwritable.test(name) || (typeof value === 'string' && unwritable.test(value))) found ??= name
    return value
  })
  return found
}

const mayHave = /__proto__|\\u005f/i

/** Of a text that is JSON: whether some object has a field that would be dropped, or taken for what it inherits. */
export const inheritsIn = (text: string): boolean => {
  if (!mayHave.test(text)) return false
  let found = false
  JSON.parse(text, (name, value: unknown) => {
    found ||= name === '__proto__'
    return value
  })
  return found
}
