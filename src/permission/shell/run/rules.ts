// Every command that a line may run: wrappers are taken off, code in words is read like the line itself.
import { assigns, tail, valuesOf, walk } from '../option/rules.ts'
import {
  codeWords,
  containers,
  containerValues,
  hooks,
  interpreters,
  launchers,
  quiet,
  shells,
  wrappers,
} from '../program/schema.ts'
import { codeOf, head, type Item, item, joined, literal, unknown } from '../expand/rules.ts'
import { gap } from '../syntax/schema.ts'
import { runGit, runGh } from '../git/rules.ts'
import type { Input, Sink } from './schema.ts'

/** The name of a program: without its directories, and without the `=` by which zsh looks it up. */
export const nameOf = (word: Item): Item => {
  const whole = codeOf(word)
  const cut = whole.lastIndexOf('/') + 1
  const text = whole.slice(cut).replace(/^=(?=.)/, '')
  return { ...word, pieces: text.split(gap).flatMap((piece, index) => (index > 0 ? [null, piece] : [piece])), split: cut === 0 && word.split }
}

const standardInput = /^(?:-|\/dev\/stdin|\/dev\/fd\/0|\/proc\/self\/fd\/0)$/

/** What was read as code is no input any more. */
const silent: Input = { feed: undefined, open: false }

/** Code that comes in on standard input. */
const fed = (sink: Sink, { feed, open }: Input, read: (code: Item) => void, terminal: boolean): void => {
  if (feed === undefined) {
    if (open) sink.doubt('its code comes from elsewhere')
    else if (!terminal) sink.effects.unknown = true
  } else if (feed.kind === 'text') read(feed.word)
  else if (feed.kind === 'doubt') sink.doubt('code comes from a pipe')
  else sink.file(feed.word)
}

const runShell = (sink: Sink, words: readonly Item[], input: Input): void => {
  let at = 1
  let code = false
  for (let word = words[at]; word !== undefined; word = words[at]) {
    const text = head(word)
    if (!/^[-+]./.test(text)) break
    at++
    if (text === '--') break
    if (text.startsWith('--')) {
      if (text === '--command') code = true
      else if (text.startsWith('--command=')) return sink.code(tail(word, 10), input)
      else if (/^--(?:rcfile|init-file|init-command)/.test(text)) {
        const value = text.includes('=') ? tail(word, text.indexOf('=') + 1) : words[at]
        if (text.startsWith('--init-c') && value !== undefined) sink.code(value, input)
        else if (value !== undefined) sink.file(value)
        if (!text.includes('=')) at++
      }
      continue
    }
    if (text.startsWith('-') && text.includes('c')) code = true
    if (/^[-+]\w*[oO]$/.test(text)) at++
    if (text.startsWith('-') && text.includes('s') && !code) return fed(sink, input, (one) => sink.code(one, silent), false)
  }
  const first = words[at]
  if (code) {
    if (first === undefined) return input.open ? sink.doubt('its code comes from elsewhere') : undefined
    return sink.code(first, input)
  }
  if (first === undefined || standardInput.test(literal(first) ?? '')) {
    return fed(sink, input, (one) => sink.code(one, silent), first === undefined)
  }
  sink.file(first)
}

const runForeign = (sink: Sink, name: string, words: readonly Item[], input: Input): void => {
  const rest = words.slice(1)
  const options = interpreters[name] ?? ''
  const codes = valuesOf(rest, options)
  for (const code of codes) sink.foreign(code)
  if (options === 'eval' && literal(rest[0]) === 'eval') for (const code of rest.slice(1)) sink.foreign(code)
  sink.effects.unknown = true
  for (const word of rest) if (assigns(word)) sink.assign(word)
  if (input.feed?.kind === 'text') sink.foreign(input.feed.word)
  else if (input.feed?.kind === 'doubt' && codes.length === 0 && rest.every((word) => /^-/.test(head(word)))) {
    sink.doubt('code comes from a pipe')
  } else if (input.feed?.kind === 'file') sink.file(input.feed.word)
  for (const word of rest) {
    if (!head(word).startsWith('-')) sink.file(word)
    // `psql -c '\! cmd'`, `sqlite3 db '.shell cmd'`, `socat EXEC:cmd`
    if (/^(?:psql|mysql|sqlite3|socat|ed|ex|vim?|nvim|lftp|m4|ansible)$/.test(name)) {
      if (/\\!|\.(?:shell|system)|EXEC:|SYSTEM:|!/.test(codeOf(word))) sink.foreign(word)
    }
  }
  if (input.open && codes.length === 0) sink.doubt('its code comes from elsewhere')
}

/** awk runs what `system`, a pipe or a command of gawk names; the rest of its program is only text. */
const runAwk = (sink: Sink, words: readonly Item[]): void => {
  const { at, codes } = walk(words, 1, { short: 'Fvfi', long: 'field-separator assign file include', code: '-e --source' })
  const program = codes.length > 0 ? codes : words.slice(at, at + 1)
  for (const code of program) {
    if (/system\s*\(|\||getline|@/.test(codeOf(code))) sink.foreign(code)
    if (code.wild && code.pieces.join('').trim() === '') sink.doubt('a program comes from elsewhere')
  }
}

/** sed runs commands by `e`, alone or as a flag of `s`. */
const runSed = (sink: Sink, words: readonly Item[]): void => {
  const { at, codes } = walk(words, 1, { short: 'fl', long: 'file line-length', code: '-e --expression' })
  for (const code of codes.length > 0 ? codes : words.slice(at, at + 1)) {
    const text = codeOf(code)
    if (/(?:^|[;\n{}]|^[^a-z]*?)\s*(?:\d+|\$|\/[^/]*\/)?[,\d$!\s]*e\s*(?:\s\S|$)/.test(text) || /s(\W).*?\1.*?\1\w*e/s.test(text)) {
      sink.foreign(code)
      sink.effects.unknown = true
    }
  }
}

const runFind = (sink: Sink, words: readonly Item[], input: Input): void => {
  for (let at = 1; at < words.length; at++) {
    if (!/^-(?:exec|execdir|ok|okdir)$/.test(literal(words[at]) ?? '')) continue
    const end = words.findIndex((word, index) => index > at && [';', '+'].includes(literal(word) ?? ''))
    const inner = words.slice(at + 1, end < 0 ? undefined : end).map((word) => filled(word, '{}', false))
    sink.run(inner, { ...input, feed: undefined, open: false })
    if (end < 0) break
    at = end
  }
}

/** The word with a placeholder replaced by what nobody knows. */
const filled = (word: Item, mark: string, wild: boolean): Item => {
  if (mark === '' || !word.pieces.some((piece) => piece?.includes(mark))) return word
  const pieces = word.pieces.flatMap((piece) =>
    piece === null ? [null] : piece.split(mark).flatMap((part, index) => (index > 0 ? [null, part] : [part])),
  )
  const kept = pieces.filter((piece, index) => piece !== '' || pieces.length === 1 || index < 0)
  return { ...word, pieces: kept, wild: word.wild || wild, split: word.split }
}

const runXargs = (sink: Sink, words: readonly Item[], input: Input): void => {
  const options = { short: 'aEILnPsdRJS', long: 'arg-file delimiter max-args max-procs max-lines max-chars process-slot-var' }
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

const runParallel = (sink: Sink, words: readonly Item[], input: Input): void => {
  const long =
    'jobs max-args max-replace-args max-lines delay joblog results tmpdir timeout retries workdir wd arg-file sshlogin sshloginfile basefile tagstring colsep delimiter env load memfree nice'
  const { at } = walk(words, 1, { short: 'jNnLPISaCds', long })
  const rest = words.slice(at)
  const cut = rest.findIndex((word) => /^:::+\+?$/.test(literal(word) ?? ''))
  const command = cut < 0 ? rest : rest.slice(0, cut)
  if (command.length > 0) {
    const words = command.map((word) => filled(word, '{}', false))
    return sink.code(joined([...words, unknown]), input, true)
  }
  if (cut < 0) return fed(sink, { ...input, open: true }, (code) => sink.code(code, silent), false)
  for (const code of rest.slice(cut + 1)) sink.code(code, input)
}

const runSsh = (sink: Sink, words: readonly Item[], input: Input): void => {
  const { at } = walk(words, 1, { short: 'bcDEeFIiJLlmOopQRSWwB' })
  for (const value of valuesOf(words.slice(1, at), '-o')) {
    const [, command] = /^(?:ProxyCommand|LocalCommand|KnownHostsCommand|RemoteCommand)[= ]([\s\S]*)$/i.exec(codeOf(value)) ?? []
    if (command !== undefined) sink.code(tail(value, codeOf(value).length - command.length), input)
  }
  const host = words[at]
  if (host !== undefined) sink.effects.fetches.push(host)
  sink.effects.unknown = true
  const command = words.slice(at + 1)
  if (command.length > 0) sink.code(joined(command), input)
  else if (input.feed !== undefined) fed(sink, input, (code) => sink.code(code, silent), true)
}

const runContainer = (sink: Sink, words: readonly Item[], input: Input): void => {
  const options = { short: 'evpwuhlmcanfH', long: containerValues }
  let at = walk(words, 1, options).at
  while (/^(?:compose|container)$/.test(literal(words[at]) ?? '')) at = walk(words, at + 1, options).at
  const verb = literal(words[at])
  if (verb !== 'exec' && verb !== 'run' && verb !== 'debug') return
  const start = at + 1
  const image = walk(words, start, options).at
  const [entry] = valuesOf(words.slice(start, image), '--entrypoint')
  const inner = words.slice(image + 1)
  const cut = inner.findIndex((word) => literal(word) === '--')
  const dashes = cut < 0 ? inner : inner.slice(cut + 1)
  sink.run(entry === undefined ? dashes : [entry, ...dashes], input)
}

const runLauncher = (sink: Sink, name: string, words: readonly Item[], input: Input): boolean => {
  const launcher = Object.hasOwn(launchers, name) ? launchers[name] : undefined
  if (launcher === undefined) return false
  const { at } = walk(words, 1, launcher)
  if (!launcher.words.split(' ').includes(literal(words[at]) ?? '')) return false
  const inner = walk(words, at + 1, { ...launcher, code: '-c --call --command' })
  for (const code of inner.codes) sink.code(code, input)
  const rest = words.slice(inner.at)
  // `nix run nixpkgs#gh -- words`
  const [, packaged] = /#([\w-]+)$/.exec(literal(rest[0]) ?? '') ?? []
  if (packaged !== undefined) sink.run([item(packaged), ...rest.slice(literal(rest[1]) === '--' ? 2 : 1)], input)
  // `direnv exec DIR cmd`, `lxc exec BOX -- cmd`: what comes first may be a place.
  const dashes = rest.findIndex((word) => literal(word) === '--')
  sink.run(dashes < 0 ? rest : rest.slice(dashes + 1), input, true)
  return true
}

/** `flock FILE -c CODE`, `su USER -c CODE`: these take options after their operands. */
const lateOptions = (name: string, words: readonly Item[], at: number, seen: readonly string[]): readonly Item[] => {
  if (name === 'flock' && head(words[at + 1]).startsWith('-')) return words.slice(at + 1, at + 3)
  const user = seen.some((option) => /^(?:-u|--user)/.test(option))
  return name === 'su' || name === 'script' || (name === 'runuser' && !user) ? words.slice(at) : []
}

const runWrapper = (sink: Sink, name: string, words: readonly Item[], input: Input): boolean => {
  const wrapper = Object.hasOwn(wrappers, name) ? wrappers[name] : undefined
  if (wrapper === undefined) return false
  const found = walk(words, 1, wrapper)
  if (wrapper.tells !== undefined && found.seen.some((option) => wrapper.tells?.test(option))) return true
  for (const code of found.codes) sink.code(code, input)
  for (const word of found.assigned) sink.assign(word)
  let at = found.at + (found.codes.length > 0 && name === 'flock' ? 0 : (wrapper.operands ?? 0))
  if (found.at < words.length && literal(words[at]) === '--') at++
  const later = valuesOf(lateOptions(name, words, found.at, found.seen), wrapper.code ?? '')
  for (const code of later) sink.code(code, input)
  if (later.length > 0) return true
  const inner = words.slice(at)
  if (name === 'su' || name === 'script') {
    if (inner.length <= 1 && input.feed !== undefined) fed(sink, input, (code) => sink.code(code, silent), true)
    return true
  }
  if (wrapper.joined && !found.seen.some((option) => option === '-x' || option === '--exec')) {
    if (inner.length > 0) sink.code(joined(inner), input)
  } else sink.run(inner, input)
  return true
}

/** `env -S 'cmd words'`: one string that is cut into a command. */
const runSplit = (sink: Sink, words: readonly Item[], input: Input): boolean => {
  const at = words.findIndex((word, index) => index > 0 && /^(?:-[a-zA-Z0]*S|--split-string)/.test(head(word)))
  const before = walk(words, 1, wrappers.env ?? {}).at
  if (at < 0 || at > before) return false
  const word = words[at] as Item
  const text = head(word)
  const from = text.startsWith('--') ? text.indexOf('=') + 1 || codeOf(word).length : text.indexOf('S') + 1
  const attached = codeOf(word).length > from
  const value = attached ? tail(word, from) : words[at + 1]
  const rest = words.slice(at + (attached ? 1 : 2))
  if (value !== undefined) sink.code(joined([item('env '), value, ...rest]), input)
  return true
}

const builtins: Readonly<Record<string, (sink: Sink, words: readonly Item[], input: Input) => void>> = {
  eval: (sink, words, input) => {
    if (words.length > 1) sink.code(joined(words.slice(literal(words[1]) === '--' ? 2 : 1)), input)
  },
  source: (sink, words, input) => {
    const first = words[literal(words[1]) === '--' ? 2 : 1]
    if (first === undefined) return
    if (standardInput.test(literal(first) ?? '')) fed(sink, input, (code) => sink.code(code, silent), false)
    else sink.file(first)
  },
  trap: (sink, words, input) => {
    const { at } = walk(words, 1, {})
    if (words.length > at + 1 || (words[at]?.pieces.length ?? 0) > 1) sink.code(words[at] as Item, input)
    else if (/\s/.test(codeOf(words[at] ?? item('')))) sink.code(words[at] as Item, input)
  },
  alias: (sink, words, input) => {
    for (const word of words.slice(1)) {
      const cut = head(word).indexOf('=')
      if (cut > 0) sink.code(joined([tail(word, cut + 1), unknown]), input, true)
    }
  },
  hash: (sink, words) => {
    if (words.some((word) => /^-\w*p/.test(head(word)))) sink.doubt('a program is given another name')
  },
  enable: (sink, words) => {
    if (words.some((word) => /^-\w*f/.test(head(word)))) sink.doubt('a program is loaded into the shell')
  },
  mapfile: (sink, words, input) => {
    for (const code of valuesOf(words.slice(1), '-C')) sink.code(joined([code, unknown]), input, true)
  },
  complete: (sink, words, input) => {
    for (const code of valuesOf(words.slice(1), '-C -F')) sink.code(code, input)
  },
  bind: (sink, words) => {
    for (const word of valuesOf(words.slice(1), '-x')) sink.foreign(word)
  },
  fc: (sink) => sink.doubt('an earlier command runs again'),
  busybox: (sink, words, input) => sink.run(words.slice(1), input),
  toybox: (sink, words, input) => sink.run(words.slice(1), input),
  at: (sink, _words, input) => fed(sink, input, (code) => sink.code(code, silent), true),
  batch: (sink, _words, input) => fed(sink, input, (code) => sink.code(code, silent), true),
  find: runFind,
  xargs: runXargs,
  parallel: runParallel,
  ssh: runSsh,
  mosh: runSsh,
  autossh: runSsh,
  awk: runAwk,
  gawk: runAwk,
  mawk: runAwk,
  nawk: runAwk,
  sed: runSed,
  gsed: runSed,
  git: runGit,
  gh: runGh,
  fd: (sink, words, input) => {
    const at = words.findIndex((word) => /^(?:-[xX]|--exec(?:-batch)?)$/.test(literal(word) ?? ''))
    if (at > 0) sink.run(words.slice(at + 1).map((word) => filled(word, '{}', false)), { ...input, open: true })
  },
}

const same: Readonly<Record<string, string>> = {
  '.': 'source',
  readarray: 'mapfile',
  fdfind: 'fd',
  gfind: 'find',
  gxargs: 'xargs',
  unalias: 'true',
}

/** One command whose words are known as far as they can be. `place` = its first word may not be it. */
export const runCommand = (sink: Sink, words: readonly Item[], input: Input, place = false): void => {
  const [first, ...rest] = words
  if (first === undefined) {
    if (input.open) sink.doubt('its command comes from elsewhere')
    return
  }
  const shown = nameOf(first)
  const full = literal(shown)
  const program = (full ?? '').replace(/^(python|pypy|ruby|perl|php|lua|node|pip)[\d.]+$/, '$1')
  const name = Object.hasOwn(same, program) ? (same[program] as string) : program
  const known = quiet.has(name) || Object.hasOwn(wrappers, name) || shells.has(name) || Object.hasOwn(builtins, name)
  sink.command([shown, ...rest], input.open, !known || (place && !quiet.has(name)))
  if (full === undefined) {
    sink.effects.unknown = true
    for (const code of valuesOf(rest, '-c -e')) sink.hook(code, input)
    if (first.output && first.split === false && rest.length === 0) sink.doubt('the command is the output of another')
    return
  }
  if (/^\.{0,2}\//.test(head(first))) sink.file(first)
  if (/^ld-(?:linux|musl).*\.so/.test(name)) {
    const { at } = walk(words, 1, { long: 'library-path preload audit inhibit-rpath argv0' })
    return sink.run(words.slice(at), input)
  }
  if (name === 'env' && runSplit(sink, words, input)) return
  if (Object.hasOwn(builtins, name)) builtins[name]?.(sink, words, input)
  else if (shells.has(name)) runShell(sink, words, input)
  else if (runWrapper(sink, name, words, input)) return
  else if (containers.has(name)) runContainer(sink, words, input)
  else if (runLauncher(sink, name, words, input)) return
  else if (codeWords.has(name)) {
    for (const word of rest) if (!assigns(word) && !head(word).startsWith('-')) sink.code(word, input, true)
  } else if (Object.hasOwn(interpreters, name)) runForeign(sink, name, words, input)
  if (Object.hasOwn(hooks, name)) {
    for (const code of valuesOf(rest, hooks[name] ?? '')) sink.hook(code, input)
  }
  if (!known) {
    sink.effects.unknown = true
    for (const code of valuesOf(rest, '-c -e --exec --command --cmd --run --eval --call')) sink.hook(code, input)
    for (const word of rest) sink.file(word)
  }
}
