// Bash's grammar, down to the simple commands. What bash refuses is a problem, and reading goes on behind it.
import { type Assignment, limits, type Parts, type Reader, type Script, type Simple } from '../syntax/schema.ts'
import { makeWords, reader, step, tooMuch } from '../word/rules.ts'

const separators = /[;&|)\n]/
const closers = ['then', 'do', 'done', 'fi', 'elif', 'else', 'esac', '}']

/** The text of a word without any quote or expansion, the only form in which a keyword counts. */
const bare = (parts: Parts): string | undefined => {
  const [part] = parts
  return parts.length === 1 && part !== undefined && 'text' in part && !part.quoted ? part.text : undefined
}

const keyword = /(?:[a-z]+|[{}!]|\[\[)(?=[\s;&|<>()]|$)/y

/** The keyword here, if it can be one; reading it as a word would read what is in it twice. */
const peek = (r: Reader): string => {
  keyword.lastIndex = r.at
  return keyword.exec(r.text)?.[0] ?? ''
}

const taken = (r: Reader, name: string): boolean => {
  if (peek(r) !== name) return false
  r.at += name.length
  return true
}

const problem = (r: Reader, text: string): void => {
  r.script.problems.add(text)
}

const documents = (r: Reader): void => {
  for (const { end, tabs, quoted: literal, take } of r.pending.splice(0)) {
    let body = ''
    for (;;) {
      if (r.at >= r.text.length) break
      step(r)
      const stop = r.text.indexOf('\n', r.at)
      const whole = r.text.slice(r.at, stop < 0 ? undefined : stop)
      const line = tabs ? whole.replace(/^\t+/, '') : whole
      if (r.inner && line.startsWith(`${end})`)) {
        r.at += whole.length - line.length + end.length
        break
      }
      r.at = stop < 0 ? r.text.length : stop + 1
      if (line === end) break
      body += `${line}\n`
    }
    take(literal ? [{ text: body, quoted: true }] : quoted(reader(body, r)))
  }
}

/** Blanks and comments; with `lines`, the ends of lines too. */
const skip = (r: Reader, lines: boolean): void => {
  for (; r.at < r.text.length; ) {
    const c = r.text[r.at]
    if (c === ' ' || c === '\t' || c === '\r') r.at++
    else if (c === '\\' && r.text[r.at + 1] === '\n') r.at += 2
    else if (c === '#') {
      const end = r.text.indexOf('\n', r.at)
      r.at = end < 0 ? r.text.length : end
    } else if (c === '\n' && lines) {
      r.at++
      documents(r)
    } else break
  }
}

type Builder = { words: Parts[]; assignments: Assignment[]; writes: Parts[]; feed: Simple['feed'] }

const builder = (feed: Simple['feed']): Builder => ({ words: [], assignments: [], writes: [], feed })

const redirection = /(?:\d+|\{\w+\})?(&>>|&>|<<<|<<-|<<|<&|<>|<(?!\()|>>|>&|>\||>(?!\())/y

/** True when one was read. */
const redirect = (r: Reader, into: Builder): boolean => {
  redirection.lastIndex = r.at
  const [all, operator = ''] = redirection.exec(r.text) ?? []
  if (all === undefined) return false
  r.at += all.length
  skip(r, false)
  const start = r.at
  const target = word(r)
  if (operator === '<<' || operator === '<<-') {
    const raw = r.text.slice(start, r.at)
    const end = target.map((part) => ('text' in part ? part.text : '')).join('')
    const literal = /['"\\]/.test(raw)
    // `<<$x` ends at the text `$x`: nothing is expanded in a delimiter.
    const text = target.some((part) => 'hole' in part) && !literal ? raw : end
    const slot: { kind: 'text'; parts: Parts } = { kind: 'text', parts: [] }
    const take = (body: Parts) => {
      slot.parts = body
    }
    into.feed = slot
    r.pending.push({ end: text, tabs: operator === '<<-', quoted: literal, take })
    return true
  }
  if (target.length === 0) problem(r, 'a redirection has no target')
  const text = bare(target) ?? ''
  if (operator === '<<<') into.feed = { kind: 'text', parts: target }
  else if (operator === '<' || operator === '<>') into.feed = { kind: 'file', parts: target }
  if (operator.includes('>') && !(operator === '>&' && /^(?:\d+-?|-)$/.test(text))) into.writes.push(target)
  if (operator === '<&' && !/^(?:\d+-?|-)$/.test(text)) into.feed = { kind: 'file', parts: target }
  return true
}

/** What stands behind a compound command; its input is the input of every command inside that has none. */
const behind = (r: Reader, start: number): void => {
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

const parenthesis = (r: Reader): void => {
  const { depth, sure } = r
  Object.assign(r, { depth: depth + 1, sure: false })
  list(r, [])
  Object.assign(r, { depth, sure })
  if (r.text[r.at] !== ')') problem(r, 'a parenthesis is not closed')
  r.at++
}

/** A list up to one of these words; the one that was found. */
const upTo = (r: Reader, ends: readonly string[], sure = false): string | undefined => {
  const before = { depth: r.depth, sure: r.sure }
  Object.assign(r, { depth: r.depth + 1, sure: r.sure && sure })
  const end = list(r, ends)
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
    return body(r)
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
  if (!taken(r, 'in')) return problem(r, '"in" is missing')
  for (;;) {
    skip(r, true)
    if (r.at >= r.text.length) return problem(r, '"esac" is missing')
    if (r.text[r.at] === '(') r.at++
    else if (taken(r, 'esac')) return
    for (skip(r, true); r.at < r.text.length && r.text[r.at] !== ')'; skip(r, true)) {
      if (r.text[r.at] === '|') r.at++
      else if (word(r).length === 0) return problem(r, 'a pattern is not closed')
    }
    r.at++
    const { depth, sure } = r
    Object.assign(r, { depth: depth + 1, sure: false })
    const end = list(r, ['esac'])
    Object.assign(r, { depth, sure })
    if (end === 'esac') return
    if (end !== ';;') return problem(r, '"esac" is missing')
    r.at += /^(?:;;&|;;|;&|;\|)/.exec(r.text.slice(r.at, r.at + 3))?.[0].length ?? 1
  }
}

const test = (r: Reader): void => {
  for (;;) {
    skip(r, true)
    if (r.at >= r.text.length) return problem(r, '"]]" is missing')
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
    if (depth < 0 || (depth === 0 && /[\s;&]/.test(c))) return
    if (/[()|<>&;\s]/.test(c)) r.at++
    else word(r, /[()|<>&;\s]/)
  }
}

/** Bash evaluates a subscript although it was quoted: `read 'a[$(cmd)]'`. */
export const revive = (parts: Parts, r: Reader): void => {
  for (const part of parts) {
    if ('text' in part && part.quoted && /\[.*(?:\$\(|`)/s.test(part.text)) quoted(reader(part.text, r))
  }
}

const functionBody = (r: Reader): void => {
  const { sure, depth } = r
  Object.assign(r, { sure: false, depth: depth + 1 })
  skip(r, true)
  element(r)
  Object.assign(r, { sure, depth })
}

const keywords: Readonly<Record<string, (r: Reader) => void>> = {
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
    const empty = /\(\s*\)/y
    empty.lastIndex = r.at
    r.at += empty.exec(r.text)?.[0].length ?? 0
    functionBody(r)
  },
}

/** Words that only stand before a command. */
const prefixes = ['!', 'time', 'coproc']

const prefix = (r: Reader, name: string): void => {
  if (name === 'time') {
    for (;;) {
      skip(r, false)
      const option = /(?:-p|--)(?=\s)/y
      option.lastIndex = r.at
      const found = option.exec(r.text)?.[0]
      if (found === undefined) return
      r.at += found.length
    }
  }
  if (name !== 'coproc') return
  const named = /[ \t]+\w+(?=[ \t]+(?:[{(]|(?:while|until|for|if|case|select)\s))/y
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
    if (dynamic === null || !parts.some((part) => 'text' in part && /\]\+?=/.test(part.text))) return undefined
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
      const empty = /\(\s*\)/y
      empty.lastIndex = r.at
      const parentheses = empty.exec(r.text)?.[0]
      if (parentheses !== undefined && into.words.length === 1 && into.assignments.length === 0) {
        r.at += parentheses.length
        return functionBody(r)
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
    if (into.words.length + into.assignments.length === 0 && reserved(parts)) problem(r, 'a keyword is broken in two')
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
      if (arithmetic(r, '))')) return behind(r, start)
      r.at--
    }
    parenthesis(r)
    return behind(r, start)
  }
  if (r.text.startsWith('!(', r.at)) {
    r.at++
    return element(r)
  }
  const into = builder(r.feed)
  if (redirect(r, into)) return simple(r, into)
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
    if (bar > 0 || r.feed !== feed || (next[0] === '&' && next !== '&&')) for (const one of own) one.sure = false
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

const substitution = (r: Reader, close: ')' | '}'): void => {
  if (close === '}') {
    if (list(r, ['}']) === undefined) problem(r, 'a brace is not closed')
    return
  }
  list(r, [])
  // Code in backticks is a text of its own and ends with it.
  if (r.text[r.at] !== ')' && !(r.inner && r.at >= r.text.length)) problem(r, 'a parenthesis is not closed')
  r.at++
}

const { word, quoted, arithmetic } = makeWords(substitution)

const attempt = (text: string, read: (r: Reader) => void): Script => {
  const script: Script = { simples: [], problems: new Set(), steps: 0 }
  if (text.length > limits.length) {
    script.problems.add('the command is too long')
    return script
  }
  try {
    read({ text, at: 0, script, depth: 0, pending: [], feed: undefined, sure: true, inner: false })
  } catch (thrown) {
    if (thrown !== tooMuch) throw thrown
    script.problems.add('the command is too deep or too long')
  }
  return script
}

/** Never throws: what is too long or too deep is a problem. */
export const parse = (text: string): Script =>
  attempt(text, (r) => {
    for (list(r, []); r.at < text.length; list(r, [])) {
      problem(r, 'a parenthesis is closed that was not opened')
      r.at++
    }
  })

/** What a text runs when it is expanded like one in double quotes. */
export const parseText = (text: string): Script => attempt(text, (r) => void quoted(r))
