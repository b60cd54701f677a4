// Shells and the interpreters of other languages: where their code comes from.
import { codeOf, head, type Item, literal } from '../expand/rules.ts'
import { assigns, tail, valuesOf, walk } from '../option/rules.ts'
import { interpreters } from '../program/schema.ts'
import type { Input, Sink } from '../run/schema.ts'

export const standardInput = /^(?:-|\/dev\/stdin|\/(?:dev|proc\/self)\/fd\/\d+)$/

/** What was read as code is no input any more. */
export const silent: Input = { feed: undefined, open: false }

/** Code that comes in on standard input. */
export const fed = (
  sink: Sink,
  { feed, open }: Input,
  read: (code: Item) => void,
  terminal: boolean,
): void => {
  if (feed === undefined) {
    if (open) sink.doubt('its code comes from elsewhere')
    else if (!terminal) sink.effects.unknown = true
  } else if (feed.kind === 'text') read(feed.word)
  else if (feed.kind === 'doubt') sink.doubt('code comes from a pipe')
  else sink.file(feed.word)
}

export const runShell = (sink: Sink, words: readonly Item[], input: Input): void => {
  let at = 1
  let code = false
  for (let word = words[at]; word !== undefined; word = words[at]) {
    const text = head(word)
    if (!/^[-+]./.test(text)) break
    at++
    if (text === '--') break
    if (text.startsWith('--')) {
      if (text === '--command') code = true
      else if (text.startsWith('--command=')) {
        sink.code(tail(word, 10), input)
        return
      } else if (/^--(?:rcfile|init-file|init-command)/.test(text)) {
        const value = text.includes('=') ? tail(word, text.indexOf('=') + 1) : words[at]
        if (text.startsWith('--init-c') && value !== undefined) sink.code(value, input)
        else if (value !== undefined) sink.file(value)
        if (!text.includes('=')) at++
      }
      continue
    }
    if (text.startsWith('-') && text.includes('c')) code = true
    if (/^[-+]\w*[oO]$/.test(text)) at++
    if (text.startsWith('-') && text.includes('s') && !code) {
      fed(sink, input, (one) => sink.code(one, silent), false)
      return
    }
  }
  const first = words[at]
  if (code) {
    if (first !== undefined) sink.code(first, input)
    else if (input.open) sink.doubt('its code comes from elsewhere')
    return
  }
  if (first === undefined || standardInput.test(literal(first) ?? '')) {
    fed(sink, input, (one) => sink.code(one, silent), first === undefined)
    return
  }
  sink.file(first)
}

/** Their first word is a program to run; that of an editor or a database is not. */
const runsFiles =
  /^(?:python|pypy|perl|ruby|node|nodejs|php|lua|luajit|deno|bun|tsx|ts-node|Rscript|tclsh|expect|pwsh)$/

export const runForeign = (sink: Sink, name: string, words: readonly Item[], input: Input): void => {
  const rest = words.slice(1)
  const options = interpreters[name] ?? ''
  const codes = valuesOf(rest, options)
  for (const code of codes) sink.foreign(code)
  if (options === 'eval' && literal(rest[0]) === 'eval') for (const code of rest.slice(1)) sink.foreign(code)
  sink.effects.unknown = true
  for (const word of rest) if (assigns(word)) sink.assign(word)
  const plain = rest.filter((word) => !head(word).startsWith('-'))
  // With a script of its own, standard input is only data. After an option it may be the option's value instead.
  const [first] = rest
  const own = literal(first) === '-m' || (first === plain[0] && !standardInput.test(literal(first) ?? '-'))
  const data = own && runsFiles.test(name)
  if (input.feed?.kind === 'text' && !data) sink.foreign(input.feed.word)
  else if (
    input.feed?.kind === 'doubt' &&
    codes.length === 0 &&
    rest.every((word) => /^-/.test(head(word)))
  ) {
    sink.doubt('code comes from a pipe')
  } else if (input.feed?.kind === 'file') sink.file(input.feed.word)
  if (codes.length === 0 && plain[0] !== undefined && runsFiles.test(name)) sink.file(plain[0])
  for (const word of plain) sink.mention(word)
  for (const word of rest) {
    // `psql -c '\! cmd'`, `sqlite3 db '.shell cmd'`, `socat EXEC:cmd`
    if (/^(?:psql|mysql|sqlite3|socat|ed|ex|vim?|nvim|lftp|m4|ansible)$/.test(name)) {
      if (/\\!|\.(?:shell|system)|EXEC:|SYSTEM:|!/.test(codeOf(word))) sink.foreign(word)
    }
  }
  if (input.open && codes.length === 0) sink.doubt('its code comes from elsewhere')
}

/** awk runs what `system`, a pipe or a command of gawk names; the rest of its program is only text. */
export const runAwk = (sink: Sink, words: readonly Item[]): void => {
  const { at, codes } = walk(words, 1, {
    short: 'Fvfi',
    long: 'field-separator assign file include',
    code: '-e --source',
  })
  const program = codes.length > 0 ? codes : words.slice(at, at + 1)
  for (const code of program) {
    if (/system\s*\(|\||getline|@/.test(codeOf(code))) sink.foreign(code)
    if (code.wild && code.pieces.join('').trim() === '') sink.doubt('a program comes from elsewhere')
  }
}

/** sed runs commands by `e`, alone or as a flag of `s`. */
export const runSed = (sink: Sink, words: readonly Item[]): void => {
  const { at, codes } = walk(words, 1, { short: 'fl', long: 'file line-length', code: '-e --expression' })
  for (const code of codes.length > 0 ? codes : words.slice(at, at + 1)) {
    const text = codeOf(code)
    if (
      /(?:^|[;\n{}]|^[^a-z]*?)\s*(?:\d+|\$|\/[^/]*\/)?[,\d$!\s]*e\s*(?:\s\S|$)/.test(text) ||
      /s(\W).*?\1.*?\1\w*e/s.test(text)
    ) {
      sink.foreign(code)
      sink.effects.unknown = true
    }
  }
}
