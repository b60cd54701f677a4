// git and gh: commands in their settings and aliases.
import { codeOf, head, type Item, item, literal, unknown } from '../expand/rules.ts'
import { tail, valuesOf, walk } from '../option/rules.ts'
import { gitSettings } from '../program/schema.ts'
import type { Input, Sink } from '../run/schema.ts'

/** `key=value` or the two apart. */
const setting = (sink: Sink, key: string, value: Item, input: Input): void => {
  const shell = /^!/.test(codeOf(value))
  if (/^alias\./i.test(key)) {
    if (shell) sink.code(tail(value, 1), input)
    else sink.run([item('git'), ...codeOf(value).split(/\s+/).map(item), unknown], input)
  } else if (shell) sink.code(tail(value, 1), input)
  else if (gitSettings.test(key)) sink.code({ ...value, pieces: [...value.pieces, ' ', null] }, input, true)
}

const verbs: Readonly<Record<string, string>> = {
  rebase: '-x --exec',
  'filter-branch':
    '--env-filter --tree-filter --index-filter --parent-filter --msg-filter --commit-filter --tag-name-filter',
  difftool: '-x --extcmd',
  clone: '-u --upload-pack',
  fetch: '--upload-pack',
  pull: '--upload-pack',
  push: '--receive-pack --exec',
  'ls-remote': '--upload-pack --exec',
  'fetch-pack': '--upload-pack --exec',
  archive: '--exec',
  grep: '-O --open-files-in-pager',
}

export const gitOptions = {
  short: 'Cc',
  long: 'git-dir work-tree namespace super-prefix config-env attr-source',
}

export const runGit = (sink: Sink, words: readonly Item[], input: Input): void => {
  const { at } = walk(words, 1, gitOptions)
  for (const value of valuesOf(words.slice(1, at), '-c --config')) {
    const cut = head(value).indexOf('=')
    if (cut > 0) setting(sink, head(value).slice(0, cut), tail(value, cut + 1), input)
    else if (value.wild) sink.doubt('a setting of git is not known')
  }
  const verb = literal(words[at]) ?? ''
  const rest = words.slice(at + 1)
  if (verb === 'config') {
    const key = rest.findIndex((word) => /^[\w-]+\.[\w.*-]+$/.test(head(word)))
    const value = rest[key + 1]
    if (key >= 0 && value !== undefined) setting(sink, head(rest[key]), value, input)
  }
  if (verb === 'clone') {
    for (const value of valuesOf(rest, '-c --config')) {
      const cut = head(value).indexOf('=')
      if (cut > 0) setting(sink, head(value).slice(0, cut), tail(value, cut + 1), input)
    }
  }
  const hooks = Object.hasOwn(verbs, verb) ? (verbs[verb] ?? '') : ''
  for (const code of valuesOf(rest, hooks)) sink.code(code, input, true)
  for (const word of rest) if (head(word).startsWith('ext::')) sink.code(tail(word, 5), input, true)
  const inner = rest.findIndex((word) => literal(word) === (verb === 'bisect' ? 'run' : 'foreach'))
  if ((verb === 'bisect' || verb === 'submodule') && inner >= 0) {
    const command = rest.slice(inner + 1).filter((word) => !/^(?:--recursive|--quiet|-q)$/.test(head(word)))
    if (command.length === 1 && verb === 'submodule') sink.code(command[0] as Item, input)
    else sink.run(command, input)
  }
}

export const runGh = (sink: Sink, words: readonly Item[], input: Input): void => {
  const plain = words.slice(1).filter((word) => !head(word).startsWith('-'))
  if (literal(plain[0]) === 'alias' && literal(plain[1]) === 'set') {
    const value = plain[3]
    const shell = words.some((word) => /^(?:-s|--shell)$/.test(head(word)))
    if (value === undefined || literal(value) === '-') sink.doubt('an alias of gh comes from elsewhere')
    else if (shell || head(value).startsWith('!'))
      sink.code(tail(value, head(value).startsWith('!') ? 1 : 0), input)
    else sink.run([item('gh'), ...codeOf(value).split(/\s+/).map(item), unknown], input)
  }
  if (literal(plain[0]) === 'alias' && literal(plain[1]) === 'import')
    sink.doubt('aliases of gh come from elsewhere')
}
