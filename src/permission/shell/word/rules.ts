// One word: quotes, escapes, expansions. Substitutions are read as scripts on the way.

import { decode } from '../escape/rules.ts'
import { type Hole, limits, type Parts, type Reader, type Text } from '../syntax/schema.ts'

/** Ends the reading as a whole; caught where it began. */
export const tooMuch = new Error('too much')

export const step = (r: Reader): void => {
  r.script.steps++
  if (r.script.steps > limits.steps || r.depth > limits.depth) throw tooMuch
}

const hole = (name: string, quoted: boolean, many = false): Hole => ({ hole: name, quoted, many })

/** What means only itself, in one go: a step for every character would be slow. */
const plainIn = { word: /[\w\-./,:=%{}[\]~^]+/y, quotes: /[^"\\$`]+/y }

const run = (r: Reader, what: keyof typeof plainIn): string => {
  plainIn[what].lastIndex = r.at
  const text = plainIn[what].exec(r.text)?.[0] ?? r.text[r.at] ?? ''
  r.at += text.length
  return text
}

/** Bash's blanks only: another blank, or a carriage return, is a letter like any other. */
const metacharacter = /[ \t\n;&|<>()]/
const defaults = /^:?[-=+?]/

/** `$\<newline>(` is `$(`: bash removes the pair before it looks. */
const skipJoint = (r: Reader): void => {
  while (r.text.startsWith('\\\n', r.at)) r.at += 2
}

export const reader = (text: string, from: Reader): Reader => ({
  text,
  at: 0,
  script: from.script,
  depth: from.depth + 1,
  pending: [],
  feed: undefined,
  sure: false,
  inner: true,
  grammar: from.grammar,
})

const nested = (r: Reader, close: ')' | '}'): void => {
  if (close === '}') {
    if (r.grammar.list(r, ['}']) === undefined) r.script.problems.add('a brace is not closed')
    return
  }
  r.grammar.list(r, [])
  // Code in backticks is a text of its own and ends with it.
  if (r.text[r.at] !== ')' && !(r.inner && r.at >= r.text.length)) {
    r.script.problems.add('a parenthesis is not closed')
  }
  r.at++
}

const substitution = (r: Reader, close: ')' | '}'): void => {
  const { feed, sure, depth } = r
  Object.assign(r, { feed: undefined, sure: false, depth: depth + 1 })
  step(r)
  nested(r, close)
  Object.assign(r, { feed, sure, depth })
}

const backticks = (r: Reader, quoted: boolean): Hole => {
  let code = ''
  r.at++
  while (r.at < r.text.length && r.text[r.at] !== '`') {
    step(r)
    const next = r.text[r.at + 1] ?? ''
    if (r.text[r.at] === '\\' && ('`\\$'.includes(next) || (quoted && next === '"'))) r.at++
    code += r.text[r.at] ?? ''
    r.at++
  }
  if (r.at >= r.text.length) r.script.problems.add('a backtick is not closed')
  r.at++
  substitution(reader(code, r), ')')
  return hole('', quoted)
}

const single = (r: Reader): string => {
  const end = r.text.indexOf("'", r.at + 1)
  if (end < 0) r.script.problems.add('a quote is not closed')
  const text = r.text.slice(r.at + 1, end < 0 ? undefined : end)
  r.at = end < 0 ? r.text.length : end + 1
  return text
}

/** A text whose `$( )` counts although it is quoted, as in subscripts and arithmetic. */
const revived = (text: string, r: Reader): void => {
  if (/\$\(|\$\{|`/.test(text)) quoted(reader(text, r))
}

/** False = it was no arithmetic; the reader stands where it stood. */
export const arithmetic = (r: Reader, end: '))' | ']'): boolean => {
  const start = r.at
  const known = r.script.simples.length
  let depth = 0
  r.depth++
  for (; r.at < r.text.length; ) {
    step(r)
    const c = r.text[r.at]
    if (c === "'") revived(single(r), r)
    else if (c === '"') {
      r.at++
      for (const part of quoted(r, '"')) if ('text' in part) revived(part.text, r)
    } else if (c === '$') dollar(r, false)
    else if (c === '`') backticks(r, false)
    else if (c === '\\') r.at += 2
    else if (c === (end === ']' ? '[' : '(')) {
      depth++
      r.at++
    } else if (c === (end === ']' ? ']' : ')')) {
      if (depth === 0 && r.text.startsWith(end, r.at)) {
        r.at += end.length
        r.depth--
        return true
      }
      if (depth === 0) break
      depth--
      r.at++
    } else r.at++
  }
  r.depth--
  if (end === ']') {
    r.script.problems.add('an arithmetic expression is not closed')
    return true
  }
  r.at = start
  r.script.simples.length = known
  return false
}

/** `${name…}` from after the brace to after its end. */
const parameter = (r: Reader, inQuotes: boolean): Hole => {
  if (/[ \t\n|]/.test(r.text[r.at] ?? '')) {
    r.at++
    substitution(r, '}')
    return hole('', inQuotes)
  }
  if (r.text[r.at] === '(') r.script.problems.add('an expansion has flags of zsh')
  const rest = r.text.slice(r.at, r.at + 300)
  const [, sigil = '', name = ''] = /^([!#=~^]?)([A-Za-z_]\w*|\d+|[@*#?$!-])?/.exec(rest) ?? []
  r.at += sigil.length + name.length
  const after = r.text.slice(r.at, r.at + 4)
  const literal = inQuotes && defaults.test(after)
  if (/^:{0,2}=/.test(after)) r.script.simples.push(told(name))
  if (/^@P/.test(after)) r.script.problems.add('a value is expanded as a prompt')
  const many = /^[@*]$/.test(name) || /^\[[@*]\]/.test(after) || /[=~^]/.test(sigil)
  const plain = sigil === '' && after.startsWith('}')
  r.depth++
  for (; r.at < r.text.length && r.text[r.at] !== '}'; ) {
    step(r)
    const c = r.text[r.at]
    if (c === '\\') r.at += 2
    else if (c === "'" && !literal) revived(single(r), r)
    else if (c === '"') {
      r.at++
      quoted(r, '"')
    } else if (c === '$') dollar(r, inQuotes)
    else if (c === '`') backticks(r, inQuotes)
    else if ((c === '<' || c === '>') && r.text[r.at + 1] === '(') {
      r.at += 2
      substitution(r, ')')
    } else r.at++
  }
  r.depth--
  if (r.at >= r.text.length) r.script.problems.add('a brace is not closed')
  r.at++
  return hole(plain ? name : '', inQuotes, many)
}

const dollar = (r: Reader, inQuotes: boolean): Text | Hole => {
  step(r)
  r.at++
  skipJoint(r)
  const c = r.text[r.at] ?? ''
  if (c === '(') {
    r.at++
    skipJoint(r)
    if (r.text[r.at] === '(') {
      r.at++
      if (arithmetic(r, '))')) return hole('?', inQuotes)
      r.at--
    }
    substitution(r, ')')
    return hole('', inQuotes)
  }
  if (c === '{') {
    r.at++
    return parameter(r, inQuotes)
  }
  if (c === '[') {
    r.at++
    arithmetic(r, ']')
    return hole('?', inQuotes)
  }
  if (c === "'" && !inQuotes) {
    const { text, end } = decode(r.text, r.at + 1)
    if (end > r.text.length) r.script.problems.add('a quote is not closed')
    r.at = end
    return { text, quoted: true }
  }
  if (c === '"' && !inQuotes) return { text: '', quoted: true }
  const name = /^(?:[A-Za-z_]\w*|[\d@*#?$!-])/.exec(r.text.slice(r.at, r.at + 200))?.[0]
  if (name !== undefined) {
    r.at += name.length
    return hole(name, inQuotes, name === '@' || name === '*')
  }
  if (/^[=~^+]\w/.test(r.text.slice(r.at, r.at + 2))) {
    r.at++
    return dollarless(r, inQuotes)
  }
  return { text: '$', quoted: inQuotes }
}

/** zsh: `$=x` splits the value into words. */
const dollarless = (r: Reader, inQuotes: boolean): Hole => {
  while (/\w/.test(r.text[r.at] ?? '')) r.at++
  return hole('', inQuotes, true)
}

/** The body of a here-document, or of whatever else is expanded like text in double quotes. */
export const quoted = (r: Reader, end?: '"'): Parts => {
  const parts: (Text | Hole)[] = []
  let text = ''
  const flush = () => {
    if (text !== '') parts.push({ text, quoted: true })
    text = ''
  }
  for (; r.at < r.text.length; ) {
    step(r)
    const c = r.text[r.at] as string
    if (c === end) {
      r.at++
      flush()
      return parts.length === 0 ? [{ text: '', quoted: true }] : parts
    }
    if (c === '\\') {
      const next = r.text[r.at + 1] ?? ''
      if (next !== '\n') text += '$`\\'.includes(next) || next === end ? next : c + next
      r.at += 2
    } else if (c === '$') {
      flush()
      parts.push(dollar(r, true))
    } else if (c === '`') {
      flush()
      parts.push(backticks(r, true))
    } else text += run(r, 'quotes')
  }
  if (end !== undefined) r.script.problems.add('a quote is not closed')
  flush()
  return parts
}

/** `@(a|b)`: a pattern; what it runs inside counts, its text is any file name. */
const group = (r: Reader): Hole => {
  const start = r.at
  r.at++
  r.depth++
  for (; r.at < r.text.length && r.text[r.at] !== ')'; ) {
    step(r)
    if (r.text[r.at] === '(') group(r)
    else if (r.text[r.at] === '|' || r.text[r.at] === '\n') r.at++
    else word(r, /[()|\n]/)
  }
  r.depth--
  if (r.at >= r.text.length) r.script.problems.add('a pattern is not closed')
  r.at++
  if (/^\((?:e\W|\+)/.test(r.text.slice(start, start + 4)))
    r.script.problems.add('a pattern of zsh runs code')
  return hole('', false, true)
}

export const word = (r: Reader, stop = metacharacter): Parts => {
  const parts: (Text | Hole)[] = []
  let text = ''
  const flush = () => {
    if (text !== '') parts.push({ text, quoted: false })
    text = ''
  }
  const add = (...more: Parts) => {
    flush()
    parts.push(...more)
  }
  for (; r.at < r.text.length; ) {
    step(r)
    const c = r.text[r.at] as string
    if ((c === '<' || c === '>') && r.text[r.at + 1] === '(') {
      r.at += 2
      substitution(r, ')')
      add(hole('', true))
    } else if (c === '(' && /[?*+@!]$/.test(text)) add(group(r))
    else if (stop.test(c)) break
    else if (c === '\\') {
      if (r.text[r.at + 1] !== '\n') add({ text: r.text[r.at + 1] ?? '\\', quoted: true })
      r.at += 2
    } else if (c === "'") add({ text: single(r), quoted: true })
    else if (c === '"') {
      r.at++
      add(...quoted(r, '"'))
    } else if (c === '$') add(dollar(r, false))
    else if (c === '`') add(backticks(r, false))
    else text += run(r, 'word')
  }
  flush()
  return parts
}

/** A name that gets a value which the text does not show. */
export const told = (name: string) => ({
  words: [],
  assignments: [{ name, value: undefined }],
  writes: [],
  feed: undefined,
  sure: false,
})
