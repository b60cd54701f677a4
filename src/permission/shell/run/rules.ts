// Every command that a line may run: wrappers are taken off, code in words is read like the line itself.
import { filled, runFind, runParallel, runXargs } from '../each/rules.ts'
import { codeOf, head, type Item, item, joined, literal, unknown } from '../expand/rules.ts'
import { runGh, runGit } from '../git/rules.ts'
import { fed, runAwk, runForeign, runSed, runShell, silent, standardInput } from '../interpret/rules.ts'
import { assigns, tail, valuesOf, walk } from '../option/rules.ts'
import { codeWords, containers, hooks, interpreters, quiet, shells, wrappers } from '../program/schema.ts'
import { gap } from '../syntax/schema.ts'
import { runContainer, runLauncher, runSplit, runWrapper } from '../wrap/rules.ts'
import type { Input, Sink } from './schema.ts'

/**
 * The name of a program: without its directories, without what Windows puts behind it, and without the `=` by which
 * zsh looks it up.
 */
export const nameOf = (word: Item): Item => {
  const [only] = word.pieces
  const plain = typeof only === 'string' && /^[^/=]/.test(only) && !/\/|\.(?:exe|cmd|bat|com)$/i.test(only)
  if (word.pieces.length === 1 && plain) return word
  const whole = codeOf(word)
  const cut = whole.lastIndexOf('/') + 1
  const text = whole
    .slice(cut)
    .replace(/^=(?=.)/, '')
    .replace(/(?<=.)\.(?:exe|cmd|bat|com)$/i, '')
  return {
    ...word,
    pieces: text.split(gap).flatMap((piece, index) => (index > 0 ? [null, piece] : [piece])),
    split: cut === 0 && word.split,
  }
}

const runSsh = (sink: Sink, words: readonly Item[], input: Input): void => {
  const { at } = walk(words, 1, { short: 'bcDEeFIiJLlmOopQRSWwB' })
  for (const value of valuesOf(words.slice(1, at), '-o')) {
    const [, command] =
      /^(?:ProxyCommand|LocalCommand|KnownHostsCommand|RemoteCommand)[= ]([\s\S]*)$/i.exec(codeOf(value)) ??
      []
    if (command !== undefined) sink.code(tail(value, codeOf(value).length - command.length), input)
  }
  const host = words[at]
  if (host !== undefined) sink.effects.fetches.push(host)
  sink.effects.unknown = true
  const command = words.slice(at + 1)
  if (command.length > 0) sink.code(joined(command), input)
  else if (input.feed !== undefined) fed(sink, input, (code) => sink.code(code, silent), true)
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
  compgen: (sink, words, input) => {
    for (const code of valuesOf(words.slice(1), '-C -F')) sink.code(code, input)
    for (const list of valuesOf(words.slice(1), '-W')) sink.code(joined([item(':'), list]), input, true)
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
    if (at > 0)
      sink.run(
        words.slice(at + 1).map((word) => filled(word, '{}', false)),
        { ...input, open: true },
      )
  },
}

const same: Readonly<Record<string, string>> = {
  '.': 'source',
  readarray: 'mapfile',
  complete: 'compgen',
  fdfind: 'fd',
  gfind: 'find',
  gxargs: 'xargs',
  unalias: 'true',
}

const runners =
  /^(?:ssh|find|xargs|parallel|docker|podman|kubectl|docker-compose|npm|pnpm|yarn|bun|uv|poetry|conda)$/

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
  const given = Object.hasOwn(same, program) ? (same[program] as string) : program
  const known =
    quiet.has(given) || Object.hasOwn(wrappers, given) || shells.has(given) || Object.hasOwn(builtins, given)
  // `SH` is `sh` on some disks; on others it is a program that nobody knows, and counts as both.
  const small = given.toLowerCase()
  const name = known || quiet.has(small) || Object.hasOwn(interpreters, given) ? given : small
  // Options that nobody knows: where the words of the inner command begin is not known either.
  const blurred = (runners.test(name) || Object.hasOwn(wrappers, name)) && rest.some(({ split }) => split)
  sink.command([shown, ...rest], input.open, !known || blurred || (place && !quiet.has(name)))
  if (full === undefined) {
    sink.effects.unknown = true
    for (const code of valuesOf(rest, '-c -e')) sink.hook(code, input)
    if (first.output && first.split === false && rest.length === 0)
      sink.doubt('the command is the output of another')
    return
  }
  if (/^\.{0,2}\//.test(head(first))) sink.file(first)
  if (/^ld-(?:linux|musl).*\.so/.test(name)) {
    const { at } = walk(words, 1, { long: 'library-path preload audit inhibit-rpath argv0' })
    sink.run(words.slice(at), input)
    return
  }
  if (name === 'env' && runSplit(sink, words, input)) return
  if (Object.hasOwn(builtins, name)) builtins[name]?.(sink, words, input)
  else if (shells.has(name)) runShell(sink, words, input)
  else if (runWrapper(sink, name, words, input)) return
  else if (containers.has(name)) runContainer(sink, words, input)
  else if (runLauncher(sink, name, words, input)) return
  else if (codeWords.has(name)) {
    for (const [index, word] of rest.entries()) {
      // `tmux send-keys -t PANE CODE`
      const value = name === 'tmux' && /^-[tsncxyFe]$/.test(head(rest[index - 1]))
      if (!value && !assigns(word) && !head(word).startsWith('-')) sink.code(word, input, true)
    }
  } else if (Object.hasOwn(interpreters, name)) runForeign(sink, name, words, input)
  if (Object.hasOwn(hooks, name)) {
    for (const code of valuesOf(rest, hooks[name] ?? '')) sink.hook(code, input)
  }
  if (!known) {
    sink.effects.unknown = true
    for (const code of valuesOf(rest, '-c -e --exec --command --cmd --run --eval --call')) {
      if (/\s/.test(codeOf(code))) sink.hook(code, input)
    }
    for (const word of rest) sink.mention(word)
  }
}
