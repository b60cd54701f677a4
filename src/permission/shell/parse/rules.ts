// Bash's grammar, down to the simple commands. What bash refuses is a problem, and reading goes on behind it.
import { behind, functionBody, keywords, parenthesis } from '../compound/rules.ts'
import {
  type Assignment,
  type Grammar,
  limits,
  type Parts,
  type Reader,
  type Script,
} from '../syntax/schema.ts'
import {
  type Builder,
  bare,
  builder,
  closers,
  peek,
  problem,
  redirect,
  separators,
  skip,
} from '../token/rules.ts'
import { arithmetic, quoted, step, tooMuch, word } from '../word/rules.ts'

/** Words that only stand before a command. */
const prefixes = ['!', 'time', 'coproc']

const prefix = (r: Reader, name: string): void => {
  if (name === 'time') {
    for (;;) {
      skip(r, false)
      const option = /(?:-p|--)(?=[ \t\n])/y
      option.lastIndex = r.at
      const found = option.exec(r.text)?.[0]
      if (found === undefined) return
      r.at += found.length
    }
  }
  if (name !== 'coproc') return
  const named = /[ \t]+\w+(?=[ \t]+(?:[{(]|(?:while|until|for|if|case|select)[ \t\n]))/y
  named.lastIndex = r.at
  r.at += named.exec(r.text)?.[0].length ?? 0
}

const assignment = /^([A-Za-z_]\w*)(\[[\s\S]*\])?\+?=/

/** `name=(…)`: the elements are words; nobody follows what becomes of them. */
const array = (r: Reader): void => {
  r.at++
  r.depth++
  for (skip(r, true); r.at < r.text.length && r.text[r.at] !== ')'; skip(r, true)) {
    if (word(r).length > 0) continue
    problem(r, 'a list of values is not closed')
    break
  }
  r.depth--
  r.at++
}

const assigned = (r: Reader, parts: Parts): Assignment | undefined => {
  const [first] = parts
  if (first === undefined || !('text' in first) || first.quoted) return undefined
  // A subscript with an expansion in it is cut into several parts.
  const dynamic = /^([A-Za-z_]\w*)\[/.exec(first.text)
  const [all, name = '', index] = assignment.exec(first.text) ?? []
  if (all === undefined) {
    if (dynamic === null || !parts.some((part) => 'text' in part && /\]\+?=/.test(part.text)))
      return undefined
    return { name: dynamic[1] ?? '', value: undefined }
  }
  if (parts.length === 1 && first.text === all && r.text[r.at] === '(') {
    array(r)
    return { name, value: undefined }
  }
  const value = [{ text: first.text.slice(all.length), quoted: false }, ...parts.slice(1)]
  return { name, value: index !== undefined || all.endsWith('+=') ? undefined : value }
}

const reserved = (parts: Parts): boolean => {
  const name = bare(parts) ?? ''
  return closers.includes(name) || prefixes.includes(name) || Object.hasOwn(keywords, name)
}

const declares = ['declare', 'typeset', 'local', 'export', 'readonly']

const simple = (r: Reader, into: Builder): void => {
  for (skip(r, false); r.at < r.text.length; skip(r, false)) {
    const c = r.text[r.at] ?? ''
    if (redirect(r, into)) continue
    if (c === '(') {
      const empty = /\([ \t\n]*\)/y
      empty.lastIndex = r.at
      const parentheses = empty.exec(r.text)?.[0]
      if (parentheses !== undefined && into.words.length === 1 && into.assignments.length === 0) {
        r.at += parentheses.length
        functionBody(r)
        return
      }
      problem(r, 'a parenthesis stands where none may')
      r.at++
      parenthesis(r)
      continue
    }
    if (separators.test(c)) break
    const parts = word(r)
    if (parts.length === 0) {
      // `\<newline>` alone, or a character that no word may hold.
      if (r.text[r.at] === c) r.at++
      continue
    }
    if (into.words.length + into.assignments.length === 0 && reserved(parts))
      problem(r, 'a keyword is broken in two')
    const declaring = into.words.length > 0 && declares.includes(bare(into.words[0] ?? []) ?? '')
    const value = into.words.length === 0 || declaring ? assigned(r, parts) : undefined
    if (value !== undefined) into.assignments.push(value)
    if (value === undefined || declaring) into.words.push(parts)
  }
  const { sure } = r
  if (into.words.length + into.assignments.length + into.writes.length > 0 || into.feed !== r.feed) {
    r.script.simples.push(Object.assign(into, { sure }))
  }
}

/** One command of a pipeline. */
const element = (r: Reader): void => {
  step(r)
  const start = r.script.simples.length
  const c = r.text[r.at]
  if (c === '(') {
    r.at++
    if (r.text[r.at] === '(') {
      r.at++
      if (arithmetic(r, '))')) {
        behind(r, start)
        return
      }
      r.at--
    }
    parenthesis(r)
    behind(r, start)
    return
  }
  if (r.text.startsWith('!(', r.at)) {
    r.at++
    element(r)
    return
  }
  const into = builder(r.feed)
  if (redirect(r, into)) {
    simple(r, into)
    return
  }
  const name = peek(r)
  const compound = Object.hasOwn(keywords, name) ? keywords[name] : undefined
  if (compound !== undefined) {
    r.at += name.length
    compound(r)
    if (name !== 'function') behind(r, start)
    return
  }
  if (prefixes.includes(name)) {
    r.at += name.length
    prefix(r, name)
    skip(r, false)
    r.depth++
    if (r.at < r.text.length && !separators.test(r.text[r.at] ?? '')) element(r)
    r.depth--
    return
  }
  if (closers.includes(name)) problem(r, `"${name}" stands where no command may`)
  simple(r, into)
}

const pipeline = (r: Reader): void => {
  const { feed } = r
  for (;;) {
    const from = r.script.simples.length
    element(r)
    skip(r, false)
    const next = r.text.slice(r.at, r.at + 2)
    const bar = next === '|&' ? 2 : next[0] === '|' && next !== '||' ? 1 : 0
    const own = r.script.simples.slice(from)
    // What runs in a pipeline or in the background is in a shell of its own.
    if (bar > 0 || r.feed !== feed || (next[0] === '&' && next !== '&&'))
      for (const one of own) one.sure = false
    if (bar === 0) break
    r.at += bar
    r.feed = { kind: 'pipe', from: own }
    skip(r, true)
  }
  r.feed = feed
}

/** Commands up to the end, a closing parenthesis (not taken), `;;` (not taken) or one of these words (taken). */
const list = (r: Reader, ends: readonly string[]): string | undefined => {
  const { sure } = r
  for (;;) {
    step(r)
    skip(r, true)
    const c = r.text[r.at]
    if (c === undefined || c === ')') break
    const two = r.text.slice(r.at, r.at + 2)
    if (two === ';;' || two === ';&' || two === ';|') {
      r.sure = sure
      return ';;'
    }
    if (two === '&&' || two === '||') {
      r.sure = false
      r.at += 2
      continue
    }
    if (/[;&|]/.test(c) && two !== '&>') {
      r.sure = sure
      r.at++
      continue
    }
    if (r.text[r.at - 1] === '\n') r.sure = sure
    const at = r.at
    const name = peek(r)
    if (ends.includes(name)) {
      r.at += name.length
      r.sure = sure
      return name
    }
    pipeline(r)
    // Whatever could not be read must not be read again for ever.
    if (r.at === at) r.at++
  }
  r.sure = sure
  return undefined
}

const grammar: Grammar = { list, element }

const attempt = (text: string, steps: number, read: (r: Reader) => void): Script => {
  const script: Script = { simples: [], problems: new Set(), steps }
  if (text.length > limits.length) {
    script.problems.add('the command is too long')
    return script
  }
  try {
    read({ text, at: 0, script, depth: 0, pending: [], feed: undefined, sure: true, inner: false, grammar })
  } catch (thrown) {
    if (thrown !== tooMuch) throw thrown
    script.problems.add('the command is too deep or too long')
  }
  return script
}

/** Never throws: what is too long or too deep is a problem. `steps` were taken before, for the same line. */
export const parse = (text: string, steps = 0): Script =>
  attempt(text, steps, (r) => {
    for (list(r, []); r.at < text.length; list(r, [])) {
      problem(r, 'a parenthesis is closed that was not opened')
      r.at++
    }
  })

/** What a text runs when it is expanded like one in double quotes. */
export const parseText = (text: string, steps = 0): Script => attempt(text, steps, (r) => void quoted(r))
