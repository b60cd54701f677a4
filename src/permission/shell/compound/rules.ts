// Compound commands: conditionals, loops, choices, tests, functions.
import type { Parts, Reader } from '../syntax/schema.ts'
import { bare, builder, closers, peek, problem, redirect, separators, skip, taken } from '../token/rules.ts'
import { arithmetic, quoted, reader, word } from '../word/rules.ts'

/** What stands behind a compound command; its input is the input of every command inside that has none. */
export const behind = (r: Reader, start: number): void => {
  const into = builder(undefined)
  skip(r, false)
  while (redirect(r, into)) skip(r, false)
  if (into.writes.length > 0) r.script.simples.push({ ...into, sure: false })
  if (into.feed !== undefined) {
    for (const simple of r.script.simples.slice(start)) simple.feed ??= into.feed
  }
  const c = r.text[r.at]
  if (c === undefined || separators.test(c)) return
  if (!closers.includes(peek(r))) problem(r, 'words follow a compound command')
}

export const parenthesis = (r: Reader): void => {
  const { depth, sure } = r
  Object.assign(r, { depth: depth + 1, sure: false })
  r.grammar.list(r, [])
  Object.assign(r, { depth, sure })
  if (r.text[r.at] !== ')') problem(r, 'a parenthesis is not closed')
  r.at++
}

/** A list up to one of these words; the one that was found. */
const upTo = (r: Reader, ends: readonly string[], sure = false): string | undefined => {
  const before = { depth: r.depth, sure: r.sure }
  Object.assign(r, { depth: r.depth + 1, sure: r.sure && sure })
  const end = r.grammar.list(r, ends)
  Object.assign(r, before)
  if (end === undefined) problem(r, `"${ends.at(-1)}" is missing`)
  return end
}

const conditional = (r: Reader): void => {
  upTo(r, ['then'], true)
  for (;;) {
    const end = upTo(r, ['elif', 'else', 'fi'])
    if (end === 'elif') upTo(r, ['then'])
    else if (end !== 'else') return
  }
}

const body = (r: Reader): void => {
  skip(r, true)
  if (r.text[r.at] === ';') r.at++
  skip(r, true)
  if (taken(r, 'do')) upTo(r, ['done'])
  else if (taken(r, '{')) upTo(r, ['}'])
  else problem(r, '"do" is missing')
}

const loop = (r: Reader, kind: string): void => {
  skip(r, false)
  if (r.text.startsWith('((', r.at)) {
    r.at += 2
    if (!arithmetic(r, '))')) problem(r, 'an arithmetic expression is not closed')
    body(r)
    return
  }
  const name = bare(word(r)) ?? ''
  skip(r, true)
  const values: (Parts | undefined)[] = []
  if (taken(r, 'in')) {
    for (skip(r, false); r.at < r.text.length && !/[;\n&|()]/.test(r.text[r.at] ?? ''); skip(r, false)) {
      values.push(word(r))
    }
  } else values.push(undefined)
  const assignments = values.map((value) => ({ name, value: kind === 'select' ? undefined : value }))
  r.script.simples.push({ words: [], assignments, writes: [], feed: undefined, sure: values.length > 0 })
  body(r)
}

const choice = (r: Reader): void => {
  skip(r, false)
  word(r)
  skip(r, true)
  if (!taken(r, 'in')) {
    problem(r, '"in" is missing')
    return
  }
  for (;;) {
    skip(r, true)
    if (r.at >= r.text.length) {
      problem(r, '"esac" is missing')
      return
    }
    if (r.text[r.at] === '(') r.at++
    else if (taken(r, 'esac')) return
    for (skip(r, true); r.at < r.text.length && r.text[r.at] !== ')'; skip(r, true)) {
      if (r.text[r.at] === '|') r.at++
      else if (word(r).length === 0) {
        problem(r, 'a pattern is not closed')
        return
      }
    }
    r.at++
    const { depth, sure } = r
    Object.assign(r, { depth: depth + 1, sure: false })
    const end = r.grammar.list(r, ['esac'])
    Object.assign(r, { depth, sure })
    if (end === 'esac') return
    if (end !== ';;') {
      problem(r, '"esac" is missing')
      return
    }
    r.at += /^(?:;;&|;;|;&|;\|)/.exec(r.text.slice(r.at, r.at + 3))?.[0].length ?? 1
  }
}

const test = (r: Reader): void => {
  for (;;) {
    skip(r, true)
    if (r.at >= r.text.length) {
      problem(r, '"]]" is missing')
      return
    }
    if (/[()<>&|;]/.test(r.text[r.at] ?? '')) {
      r.at++
      continue
    }
    const parts = word(r)
    if (bare(parts) === ']]') return
    if (bare(parts) === '=~') {
      skip(r, true)
      regex(r)
    }
    revive(parts, r)
  }
}

/** An operand of `=~`: parentheses and bars are its own. */
const regex = (r: Reader): void => {
  let depth = 0
  for (; r.at < r.text.length; ) {
    const c = r.text[r.at] ?? ''
    if (c === '(') depth++
    else if (c === ')') depth--
    if (depth < 0 || (depth === 0 && /[ \t\n;&]/.test(c))) return
    if (/[()|<>&; \t\n]/.test(c)) r.at++
    else word(r, /[()|<>&; \t\n]/)
  }
}

/** Bash evaluates a subscript although it was quoted: `read 'a[$(cmd)]'`. */
const revive = (parts: Parts, r: Reader): void => {
  for (const part of parts) {
    if ('text' in part && part.quoted && /\[.*(?:\$\(|`)/s.test(part.text)) quoted(reader(part.text, r))
  }
}

export const functionBody = (r: Reader): void => {
  const { sure, depth } = r
  Object.assign(r, { sure: false, depth: depth + 1 })
  skip(r, true)
  r.grammar.element(r)
  Object.assign(r, { sure, depth })
}

export const keywords: Readonly<Record<string, (r: Reader) => void>> = {
  '{': (r) => void upTo(r, ['}'], true),
  if: conditional,
  while: (r) => {
    upTo(r, ['do'], true)
    upTo(r, ['done'])
  },
  until: (r) => {
    upTo(r, ['do'], true)
    upTo(r, ['done'])
  },
  for: (r) => loop(r, 'for'),
  select: (r) => loop(r, 'select'),
  case: choice,
  '[[': test,
  function: (r) => {
    skip(r, false)
    word(r)
    skip(r, false)
    const empty = /\([ \t\n]*\)/y
    empty.lastIndex = r.at
    r.at += empty.exec(r.text)?.[0].length ?? 0
    functionBody(r)
  },
}
