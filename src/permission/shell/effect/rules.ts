// What a known program makes, changes, deletes or fetches.
import { head, type Item, item, literal } from '../expand/rules.ts'
import { tail, valuesOf, walk } from '../option/rules.ts'
import { shells, wrappers } from '../program/schema.ts'

type Effects = { writes: Item[]; deletes: Item[]; fetches: Item[]; unknown: boolean }

/** Programs that only look, or change nothing but themselves and what they print. */
const looks = new Set(
  (
    ': true false echo printf print cat tac bat less more head tail wc nl cut tr paste join comm column fold fmt expand unexpand rev ' +
    'shuf seq yes nproc grep egrep fgrep zgrep rg ag ack ls ll dir vdir tree exa eza stat file du df pwd basename dirname realpath ' +
    'readlink which whereis whatis apropos man info help type date cal sleep test [ [[ expr let jq xmllint diff cmp colordiff md5sum ' +
    'sha1sum sha256sum sha512sum cksum b2sum base64 base32 xxd od hexdump strings iconv cd pushd popd dirs export declare typeset ' +
    'local readonly unset set shift return exit break continue wait jobs fg bg disown ps top free uptime uname whoami id groups who w ' +
    'last hostname lscpu lsblk lsof netstat ss ping dig nslookup host read mapfile readarray getopts shopt ulimit umask times history ' +
    'clear tput tty envsubst numfmt factor awk gawk mawk sed find fd xargs uniq sort command builtin alias hash trap eval ' +
    'env timeout nice nohup time stdbuf setsid'
  ).split(' '),
)

const operands = (words: readonly Item[], short = '', long = ''): Item[] => {
  const found: Item[] = []
  for (let at = 1; at < words.length; at++) {
    at = walk(words, at, { short, long }).at
    const word = words[at]
    if (word !== undefined) found.push(word)
  }
  return found
}

const target = (words: readonly Item[], effects: Effects): readonly Item[] => {
  const [directory] = valuesOf(words.slice(1), '-t --target-directory')
  const all = operands(words, 'tSmog', 'target-directory suffix mode owner group')
  effects.writes.push(...(directory === undefined ? all.slice(-1) : [directory]))
  return directory === undefined ? all.slice(0, -1) : all
}

const url = (word: Item): boolean =>
  /^(?:[a-z][a-z0-9+.-]*:\/\/|[\w.-]+@[\w.-]+:|[\w.-]+:\S)/i.test(head(word))

type Rule = (words: readonly Item[], effects: Effects) => void

const all = (kind: 'writes' | 'deletes', short = '', long = '', skip = 0): Rule => {
  return (words, effects) => void effects[kind].push(...operands(words, short, long).slice(skip))
}

const download =
  (outputs: string): Rule =>
  (words, effects) => {
    const rest = words.slice(1)
    const dynamic = rest.filter((word) => word.pieces[0] === null)
    const named = rest.filter((word) => url(word) || /^[\w-]+(?:\.[\w-]+)+/.test(head(word)))
    effects.fetches.push(...named, ...dynamic)
    effects.writes.push(...valuesOf(rest, outputs))
  }

const curl: Rule = (words, effects) => {
  download('-o --output --output-dir -c --cookie-jar -D --dump-header --trace --stderr')(words, effects)
  if (words.some((word) => /^(?:-[a-zA-Z]*O|--remote-name)/.test(head(word)))) effects.writes.push(item('.'))
}

const wget: Rule = (words, effects) => {
  const outputs = '-O --output-document -P --directory-prefix -o --output-file -a --append-output'
  download(outputs)(words, effects)
  if (valuesOf(words.slice(1), '-O --output-document').length === 0) effects.writes.push(item('.'))
}

const copy: Rule = (words, effects) => {
  const all = operands(
    words,
    'cFiJloPSBefTM',
    'rsh exclude include exclude-from include-from files-from log-file',
  )
  effects.fetches.push(...all.filter(url))
  const last = all.at(-1)
  if (last !== undefined && !url(last)) effects.writes.push(last)
}

const gitLooks = new Set(
  'status log diff show blame shortlog describe rev-parse rev-list ls-files ls-tree cat-file grep reflog whatchanged name-rev for-each-ref show-ref merge-base count-objects version help var check-ignore check-attr diff-tree diff-index diff-files cherry range-diff'.split(
    ' ',
  ),
)
const gitOwn = new Set(
  'add commit tag branch config remote update-index notes gc fsck prune pack-refs update-ref symbolic-ref'.split(
    ' ',
  ),
)

const git: Rule = (words, effects) => {
  const { at } = walk(words, 1, { short: 'Cc', long: 'git-dir work-tree namespace config-env' })
  const verb = literal(words[at]) ?? ''
  const rest = words.slice(at + 1)
  const plain = rest.filter((word) => !head(word).startsWith('-'))
  if (gitLooks.has(verb) || verb === '') return
  if (/^(?:clone|fetch|pull|push|ls-remote|submodule|remote)$/.test(verb))
    effects.fetches.push(...(plain.length > 0 ? plain.slice(0, 1) : [item('origin')]))
  if (verb === 'clone') effects.writes.push(plain[1] ?? item('.'))
  else if (verb === 'rm' || verb === 'clean')
    effects.deletes.push(...(verb === 'rm' && plain.length > 0 ? plain : [item('.')]))
  else if (verb === 'mv') {
    effects.deletes.push(...plain.slice(0, -1))
    effects.writes.push(...plain.slice(-1))
  } else if (gitOwn.has(verb) || verb === 'fetch' || verb === 'push' || verb === 'ls-remote')
    effects.writes.push(item('.git'))
  else effects.writes.push(item('.git'), item('.'))
}

const rules: Readonly<Record<string, Rule>> = {
  tee: all('writes'),
  touch: all('writes', 'dtr', 'date reference time'),
  mkdir: all('writes', 'm', 'mode'),
  mkfifo: all('writes', 'm', 'mode'),
  mknod: all('writes', 'm', 'mode'),
  mktemp: (_words, effects) => void effects.writes.push(item('/tmp')),
  truncate: all('writes', 'sr', 'size reference'),
  chmod: all('writes', '', 'reference', 1),
  chown: all('writes', '', 'reference from', 1),
  chgrp: all('writes', '', 'reference', 1),
  rm: all('deletes'),
  rmdir: all('deletes'),
  unlink: all('deletes'),
  shred: all('deletes', 'ns', 'iterations size'),
  trash: all('deletes'),
  cp: (words, effects) => void target(words, effects),
  install: (words, effects) => void target(words, effects),
  ln: (words, effects) => void target(words, effects),
  mv: (words, effects) => void effects.deletes.push(...target(words, effects)),
  rename: (_words, effects) => void effects.writes.push(item('.')),
  patch: (_words, effects) => void effects.writes.push(item('.')),
  split: (_words, effects) => void effects.writes.push(item('.')),
  csplit: (_words, effects) => void effects.writes.push(item('.')),
  sort: (words, effects) => void effects.writes.push(...valuesOf(words.slice(1), '-o --output')),
  uniq: (words, effects) => void effects.writes.push(...operands(words, 'fsw').slice(1, 2)),
  yq: (words, effects) => inPlace(words, effects),
  sed: (words, effects) => inPlace(words, effects),
  gsed: (words, effects) => inPlace(words, effects),
  awk: (words, effects) => awk(words, effects),
  gawk: (words, effects) => awk(words, effects),
  mawk: (words, effects) => awk(words, effects),
  dd: (words, effects) => {
    for (const word of words) if (head(word).startsWith('of=')) effects.writes.push(tail(word, 3))
  },
  find: (words, effects) => {
    const starts = words.slice(1).filter((word) => !head(word).startsWith('-'))
    if (words.some((word) => literal(word) === '-delete')) effects.deletes.push(starts[0] ?? item('.'))
    effects.writes.push(...valuesOf(words, '-fprint -fprintf -fls -fprint0'))
  },
  tar: (words, effects) => {
    const mode = /^-?[a-zA-Z]*x|^--(?:extract|get)/.test(head(words[1])) ? 'extract' : 'other'
    const [into] = valuesOf(words.slice(1), '-C --directory')
    if (mode === 'extract') effects.writes.push(into ?? item('.'))
    else effects.writes.push(...valuesOf(words.slice(1), '-f --file'), ...words.slice(2, 3))
  },
  unzip: (words, effects) => void effects.writes.push(valuesOf(words.slice(1), '-d')[0] ?? item('.')),
  gzip: (words, effects) => {
    effects.writes.push(...operands(words))
    effects.deletes.push(...operands(words))
  },
  gunzip: (words, effects) => {
    effects.writes.push(...operands(words))
    effects.deletes.push(...operands(words))
  },
  zip: (words, effects) => void effects.writes.push(...operands(words).slice(0, 1)),
  curl,
  wget,
  http: download('-o --output'),
  scp: copy,
  rsync: (words, effects) => {
    copy(words, effects)
    if (words.some((word) => /^--(?:delete|remove-source)/.test(head(word))))
      effects.deletes.push(...operands(words).slice(-1))
  },
  sftp: (words, effects) => void effects.fetches.push(...operands(words, 'bcFiJloPS')),
  ftp: (words, effects) => void effects.fetches.push(...operands(words)),
  telnet: (words, effects) => void effects.fetches.push(...operands(words).slice(0, 1)),
  nc: (words, effects) => void effects.fetches.push(...operands(words, 'pwsqXx').slice(0, 1)),
  git,
}

const inPlace: Rule = (words, effects) => {
  if (!words.some((word) => /^(?:-[a-zA-Z]*i|--in-place)/.test(head(word)))) {
    if (words.some((word) => /(?:^|[;\n}])\s*[\d,$]*w\s|\/w\s/.test(word.pieces.join(''))))
      effects.unknown = true
    return
  }
  const scripted = words.some((word) => /^(?:-e|-f|--expression|--file)/.test(head(word)))
  effects.writes.push(...operands(words, 'efl', 'expression file line-length').slice(scripted ? 0 : 1))
}

const awk: Rule = (words, effects) => {
  if (words.some((word) => /[^=!<>]>|system\s*\(|\|/.test(word.pieces.join('')) || /^-i$/.test(head(word))))
    effects.unknown = true
}

const relative = (word: Item): boolean => !/^[/~]/.test(head(word)) && word.pieces[0] !== null

/** Directories that a line may be in after its `cd`s, the first one aside; null = nobody knows. */
export const enter = (bases: readonly Item[], words: readonly Item[]): readonly Item[] => {
  const [to = item('~')] = operands(words)
  if (bases.length > 8) return bases
  if (!relative(to)) return [...bases, to]
  return [...bases, to, ...bases.map((base) => under(base, to))]
}

const under = (base: Item, word: Item): Item => ({ ...word, pieces: [...base.pieces, '/', ...word.pieces] })

/** A relative path counts where the line began and wherever it went: nobody follows the order. */
export const placed = (words: readonly Item[], bases: readonly Item[]): Item[] =>
  words.flatMap((word) => (relative(word) ? [word, ...bases.map((base) => under(base, word))] : [word]))

/** Adds what this command does; a program that is not known may do anything. */
export const affect = (name: string | undefined, words: readonly Item[], effects: Effects): void => {
  const rule = name !== undefined && Object.hasOwn(rules, name) ? rules[name] : undefined
  if (rule !== undefined) rule(words, effects)
  else if (name === undefined || !(looks.has(name) || shells.has(name) || Object.hasOwn(wrappers, name))) {
    effects.unknown = true
  }
}
