// From a command line to everything it may run. Nothing is guessed: what the text does not tell is a doubt.
import { affect, enter, placed } from './effect/rules.ts'
import { unescaped } from './escape/rules.ts'
import {
  codeOf,
  expand,
  expandBraces,
  head,
  type Item,
  item,
  joined,
  literal,
  unknown,
  type Values,
} from './expand/rules.ts'
import { knownNames } from './names/rules.ts'
import { tail } from './option/rules.ts'
import { parse, parseText } from './parse/rules.ts'
import { codeNames, foreignNames, hidingNames, promptNames } from './program/schema.ts'
import { nameOf, runCommand } from './run/rules.ts'
import type { Fed, Sink } from './run/schema.ts'
import type { Command, Reading, Word } from './schema.ts'
import { type Feed, gap, limits, type Parts, type Script, type Simple } from './syntax/schema.ts'

const word = ({ pieces, split }: Item): Word => (split ? { pieces, split } : { pieces })

/** Names whose subscripts bash evaluates even where they were quoted. */
const evaluates =
  /^(?:read|printf|unset|test|\[|declare|typeset|local|export|readonly|let|mapfile|readarray|getopts|wait)$/

/** `a[$(cmd)]` in a text that is a name, or arithmetic, to bash. */
const subscript = /\[[\s\S]*(?:\$\(|`)/

/** Starting a process, in the languages that are not a shell's. */
const starts = /system|exec|popen|spawn|subprocess|child_process|`|qx|shell|fork|eval|open3|IO\.|Process/i

type Walk = {
  readonly commands: Command[]
  readonly codes: Word[]
  readonly doubts: Set<string>
  readonly effects: Sink['effects']
  readonly made: Set<string>
  readonly ran: Set<string>
  readonly texts: Item[]
  /** names that the line gives values, in whatever shell of it */
  readonly set: Set<string>
  bases: readonly Item[]
  input: Fed | undefined
  steps: number
}

const path = (text: string): string => text.replace(/^(?:\.\/)+/, '')

/** What a pipe carries, when a plain echo, printf or cat of a here-document writes it. */
const echoed = (from: readonly Simple[]): Item | undefined => {
  const [only] = from
  const [part] = only?.words[0] ?? []
  if (from.length !== 1 || only === undefined || part === undefined || !('text' in part)) return undefined
  if (!/^(?:echo|printf|cat)$/.test(part.text)) return undefined
  const [name, ...rest] = only.words.flatMap((parts) => expand(parts, none, nobody)).map(literal)
  if (name === 'cat') {
    return rest.length === 0 && only.feed?.kind === 'text'
      ? joined(expand(only.feed.parts, none, nobody))
      : undefined
  }
  if (rest.some((text) => text === undefined || text.startsWith('-') || text.includes('\\'))) return undefined
  return name === 'echo' || (rest.length === 1 && !rest[0]?.includes('%')) ? item(rest.join(' ')) : undefined
}

const none: Values = new Map()
const nobody: ReadonlySet<string> = new Set()

const fed = (feed: Feed | undefined, values: Values, set: ReadonlySet<string>): Fed | undefined => {
  if (feed === undefined) return undefined
  if (feed.kind === 'pipe') {
    const text = echoed(feed.from)
    return text === undefined ? { kind: 'doubt' } : { kind: 'text', word: text }
  }
  return { kind: feed.kind, word: joined(expand(feed.parts, values, set)) }
}

const visit = (walk: Walk, script: Script, depth: number, inherited?: Fed): void => {
  walk.steps = Math.max(walk.steps, script.steps)
  for (const problem of script.problems) walk.doubts.add(problem)
  const names = knownNames(script.simples, walk.set)
  const sink = makeSink(walk, depth)
  for (const [index, simple] of script.simples.entries()) {
    if (walk.commands.length > most || walk.steps > limits.steps) {
      walk.doubts.add('the command runs too much')
      return
    }
    for (const values of names(simple, index)) {
      walk.steps += 1 + (simple.words.length >> 1)
      one(walk, sink, simple, values, depth, inherited)
    }
  }
}

const most = 1000

const one = (
  walk: Walk,
  sink: Sink,
  simple: Simple,
  values: Values,
  depth: number,
  inherited: Fed | undefined,
): void => {
  const words = (parts: Parts): Item[] =>
    expandBraces(parts).flatMap((each) => expand(each, values, walk.set))
  for (const { name, value } of simple.assignments) {
    const known = joined(expand(value ?? unread, values, walk.set))
    sink.assign({ ...known, pieces: [`${name}=`, ...known.pieces] })
  }
  for (const target of simple.writes) wrote(walk, joined(words(target)))
  const feed = fed(simple.feed, values, walk.set) ?? inherited ?? walk.input
  if (feed?.kind === 'text') walk.texts.push(feed.word)
  const all = simple.words.flatMap(words)
  // `exec < x` is the input of all that follows.
  if (all.length === 1 && literal(all[0]) === 'exec') walk.input = feed
  if (/^(?:echo|printf|tee|print)$/.test(literal(all[0]) ?? '')) {
    const told = joined(all.slice(1))
    walk.texts.push(told, { ...told, pieces: told.pieces.map((piece) => piece && unescaped(piece)) })
  }
  if (evaluates.test(literal(all[0]) ?? '')) {
    for (const each of all.slice(1))
      if (subscript.test(codeOf(each))) visit(walk, parseText(codeOf(each), walk.steps), depth + 1)
  }
  if (all.length > 0) runCommand(sink, all, { feed, open: false })
}

const unread: Parts = [{ hole: '', quoted: true, many: false }]

const wrote = (walk: Walk, target: Item): void => {
  const text = literal(target)
  if (text !== undefined && /^\/dev\/(?:null|stdout|stderr|tty|fd\/\d+)$/.test(text)) return
  if (text !== undefined && /^\/dev\/(?:tcp|udp)\//.test(text))
    walk.effects.fetches.push(item(text.split('/')[3] ?? ''))
  else walk.effects.writes.push(target)
  if (text !== undefined) walk.made.add(path(text))
}

const makeSink = (walk: Walk, depth: number): Sink => {
  const doubt = (why: string): void => {
    walk.doubts.add(why)
    walk.effects.unknown = true
  }
  const sink: Sink = {
    command: (words, open, hosts) => {
      walk.commands.push({ words: words.map(word), open, ...(hosts ? { hosts } : {}) })
      const name = words[0] === undefined ? undefined : literal(nameOf(words[0]))
      if (name === 'cd' || name === 'pushd' || name === 'chdir') walk.bases = enter(walk.bases, words)
      const before = walk.effects.writes.length
      affect(name, open ? [...words, unknown] : words, walk.effects)
      for (const each of walk.effects.writes.slice(before)) walk.made.add(path(literal(each) ?? ''))
    },
    run: (words, input, place) => {
      walk.steps += 1 + words.length
      if (walk.steps > limits.steps) {
        doubt('the command runs too much')
        return
      }
      runCommand(sink, words, input, place)
      // `watchexec 'cmd words'`: one word with blanks, which some wrappers give to a shell.
      const [only] = words
      if (words.length === 1 && only !== undefined && /[ \t\n]/.test(codeOf(only)))
        sink.code(only, input, true)
    },
    code: (code, { feed }, known) => {
      if (code.wild && !known) doubt('code is put together when it runs')
      if (depth >= limits.codes) return doubt('code is nested too deep')
      // Read once more for every level of it.
      walk.steps += code.pieces.reduce((sum, piece) => sum + (piece?.length ?? 1), 0) >> 3
      if (walk.steps > limits.steps) return doubt('the command runs too much')
      visit(walk, parse(codeOf(code), walk.steps), depth + 1, feed)
    },
    foreign: (code) => {
      walk.codes.push(word(code))
      const text = code.pieces.join('')
      if (code.wild && (text.trim() === '' || starts.test(text))) doubt('code is put together when it runs')
    },
    hook: (code, input) => {
      const text = head(code)
      const [prefix = ''] = /^(?:exec=|[\w-]+:execute[\w-]*\(|.*?Command[= ]|pipe:)/.exec(text) ?? []
      const inner = tail(code, prefix.length)
      // Perhaps it is no code at all: what cannot be read as such is only searched for names.
      const { problems, steps } = parse(codeOf(inner), walk.steps)
      walk.steps = steps
      if (steps > limits.steps) return doubt('the command runs too much')
      if (problems.size > 0) sink.foreign(inner)
      else sink.code(inner, input, true)
      if (code.wild && text === '') doubt('code is put together when it runs')
    },
    file: (file) => {
      const text = literal(file)
      walk.effects.unknown = true
      if (text !== undefined) walk.ran.add(path(text))
      // `source "$(dirname "$0")/x"` is a file; `source <(cmd)` is what the command prints.
      if (file.output && file.pieces.join('') === '') doubt('code comes from another program')
    },
    mention: (file) => void walk.ran.add(path(literal(file) ?? '')),
    assign: (assigned) => {
      const text = head(assigned)
      const cut = text.indexOf('=')
      const name = text.slice(0, cut).replace(/[[+%(].*$/, '')
      walk.set.add(name)
      const value = tail(assigned, cut + 1)
      const known = codeOf(value)
      if (hidingNames.test(name)) doubt(`${name} decides what runs`)
      // A file, or what may be one: `ENV=<(cmd)`. Most often it is only a word like `test`.
      else if (name === 'ENV' && (known.includes('/') || (value.output && !value.split)))
        doubt('ENV decides what runs')
      else if (name === 'PATH' || /^LD_|^DYLD_/.test(name)) walk.effects.unknown = true
      else if (promptNames.test(name)) visit(walk, parseText(known, walk.steps), depth + 1)
      else if (codeNames.test(name))
        sink.code({ ...value, pieces: [...value.pieces, ' ', null] }, { feed: undefined, open: true }, true)
      else if (foreignNames.test(name) || /^BASH_FUNC_/.test(text)) sink.foreign(value)
      if (subscript.test(known)) visit(walk, parseText(known, walk.steps), depth + 1)
    },
    doubt,
    effects: walk.effects,
  }
  return sink
}

const walked = (command: string): Walk => {
  const walk: Walk = {
    commands: [],
    codes: [],
    doubts: new Set(),
    effects: { writes: [], deletes: [], fetches: [], unknown: false },
    made: new Set(),
    ran: new Set(),
    texts: [],
    set: new Set(),
    bases: [],
    input: undefined,
    steps: 0,
  }
  if (command.includes('\0')) walk.doubts.add('the command holds a character that no shell takes')
  visit(walk, parse(command.replaceAll(gap, '\uFFFD')), 0)
  // A script that the line itself writes and then runs: what was written is what runs.
  if ([...walk.ran].some((file) => walk.made.has(file))) walk.codes.push(...walk.texts.map(word))
  return walk
}

/** What it takes to read a command. */
export const stepsOf = (command: string): number => walked(command).steps

/** Pure, and bounded in its steps; never throws. */
export const readShell = (command: string): Reading => {
  const walk = walked(command)
  const { writes, deletes, fetches, unknown: anything } = walk.effects
  return {
    commands: walk.commands,
    codes: walk.codes,
    effects: {
      writes: placed(writes, walk.bases).map(word),
      deletes: placed(deletes, walk.bases).map(word),
      fetches: fetches.map(word),
      unknown: anything || walk.doubts.size > 0,
    },
    doubts: [...walk.doubts],
  }
}
