// What lies between words: blanks, comments, keywords, redirections, here-documents.
import type { Assignment, Parts, Reader, Simple } from '../syntax/schema.ts'
import { quoted, reader, step, word } from '../word/rules.ts'

export const separators = /[;&|)\n]/
export const closers = ['then', 'do', 'done', 'fi', 'elif', 'else', 'esac', '}']

/** The text of a word without any quote or expansion, the only form in which a keyword counts. */
export const bare = (parts: Parts): string | undefined => {
  const [part] = parts
  return parts.length === 1 && part !== undefined && 'text' in part && !part.quoted ? part.text : undefined
}

const keyword = /(?:[a-z]+|[{}!]|\[\[)(?=[ \t\n;&|<>()]|$)/y

/** The keyword here, if it can be one; reading it as a word would read what is in it twice. */
export const peek = (r: Reader): string => {
  keyword.lastIndex = r.at
  return keyword.exec(r.text)?.[0] ?? ''
}

export const taken = (r: Reader, name: string): boolean => {
  if (peek(r) !== name) return false
  r.at += name.length
  return true
}

export const problem = (r: Reader, text: string): void => {
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
export const skip = (r: Reader, lines: boolean): void => {
  for (; r.at < r.text.length; ) {
    const c = r.text[r.at]
    if (c === ' ' || c === '\t') r.at++
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

export type Builder = { words: Parts[]; assignments: Assignment[]; writes: Parts[]; feed: Simple['feed'] }

export const builder = (feed: Simple['feed']): Builder => ({ words: [], assignments: [], writes: [], feed })

const redirection = /(?:\d+|\{\w+\})?(&>>|&>|<<<|<<-|<<|<&|<>|<(?!\()|>>|>&|>\||>(?!\())/y

/** True when one was read. */
export const redirect = (r: Reader, into: Builder): boolean => {
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
