// Programs that run a command for each of many things.
import { head, type Item, joined, literal, unknown } from '../expand/rules.ts'
import { fed, silent } from '../interpret/rules.ts'
import { walk } from '../option/rules.ts'
import type { Input, Sink } from '../run/schema.ts'

export const runFind = (sink: Sink, words: readonly Item[], input: Input): void => {
  for (let at = 1; at < words.length; at++) {
    if (!/^-(?:exec|execdir|ok|okdir)$/.test(literal(words[at]) ?? '')) continue
    let end = at + 1
    while (end < words.length && ![';', '+'].includes(literal(words[end]) ?? '')) end++
    const inner = words.slice(at + 1, end).map((word) => filled(word, '{}', false))
    sink.run(inner, { ...input, feed: undefined, open: false })
    at = end
  }
}

/** The word with a placeholder replaced by what nobody knows. */
export const filled = (word: Item, mark: string, wild: boolean): Item => {
  if (mark === '' || !word.pieces.some((piece) => piece?.includes(mark))) return word
  const pieces = word.pieces.flatMap((piece) =>
    piece === null ? [null] : piece.split(mark).flatMap((part, index) => (index > 0 ? [null, part] : [part])),
  )
  return { ...word, pieces: pieces.filter((piece) => piece !== ''), wild: word.wild || wild }
}

export const runXargs = (sink: Sink, words: readonly Item[], input: Input): void => {
  const options = {
    short: 'aEILnPsdRJS',
    long: 'arg-file delimiter max-args max-procs max-lines max-chars process-slot-var',
  }
  const { at } = walk(words, 1, options)
  let mark = ''
  for (const [index, word] of words.slice(1, at).entries()) {
    const text = head(word)
    const [, short] = /^-(?:\w*[^aELnPsd\W])?[IiJ](.*)$/.exec(text) ?? []
    const [, long] = /^--replace(?:=(.*))?$/.exec(text) ?? []
    if (/^-\w*I$|^-J$/.test(text)) mark = literal(words[index + 2]) ?? '{}'
    else if (short !== undefined) mark = short || '{}'
    else if (/^--replace/.test(text)) mark = long || '{}'
  }
  const inner = words.slice(at).map((word) => filled(word, mark, true))
  sink.run(inner, { ...input, feed: undefined, open: mark === '' })
}

export const runParallel = (sink: Sink, words: readonly Item[], input: Input): void => {
  const long =
    'jobs max-args max-replace-args max-lines delay joblog results tmpdir timeout retries workdir wd arg-file sshlogin sshloginfile basefile tagstring colsep delimiter env load memfree nice'
  const { at } = walk(words, 1, { short: 'jNnLPISaCds', long })
  const rest = words.slice(at)
  const cut = rest.findIndex((word) => /^:::+\+?$/.test(literal(word) ?? ''))
  const command = cut < 0 ? rest : rest.slice(0, cut)
  if (command.length > 0) {
    const words = command.map((word) => filled(word, '{}', false))
    sink.code(joined([...words, unknown]), input, true)
    return
  }
  if (cut < 0) {
    fed(sink, { ...input, open: true }, (code) => sink.code(code, silent), false)
    return
  }
  for (const code of rest.slice(cut + 1)) sink.code(code, input)
}
