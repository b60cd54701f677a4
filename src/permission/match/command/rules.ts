// A pattern against the commands that a line may run. Where both have gaps: could they be the same text?

import { remembered } from '../../../base/memo/rules.ts'
import { gitOptions } from '../../shell/git/rules.ts'
import { containerValues } from '../../shell/program/schema.ts'
import type { Command, Reading, Word } from '../../shell/schema.ts'
import type { Match } from '../schema.ts'

const star = Symbol('any text')
type Glob = readonly (string | typeof star)[]

/** Blanks count once; `:*` and a last ` *` also stand for nothing; `\*` is a star. */
export const globOf = (pattern: string): readonly Glob[] => {
  const text = pattern.trim().replace(/\s+/g, ' ').replace(/:\*$/, ' *')
  const slash = /^[^\s*]*\//.exec(text)?.[0] ?? ''
  const glob: (string | typeof star)[] = []
  for (const [one] of text.slice(slash.length).matchAll(/\\\*|\*+|[\s\S]/g)) {
    if (one === '\\*') glob.push('*')
    else glob.push(one.startsWith('*') ? star : one)
  }
  return glob.at(-1) === star && glob.at(-2) === ' ' ? [glob, glob.slice(0, -2)] : [glob]
}

/** One character of a command; a gap, or a blank, within quotes stays in its word. */
type Unit = string
const kinds = { gap: '\0gap', gaps: '\0gaps', blank: '\0blank', inner: '\0inner' }

const valueOptions: Readonly<
  Record<string, { readonly short: string; readonly long: string; readonly all?: true }>
> = {
  git: { ...gitOptions, all: true },
  gh: { short: 'R', long: 'repo hostname' },
  npm: { short: 'wC', long: 'prefix registry workspace loglevel cache userconfig tag otp access' },
  docker: { short: 'Hlc', long: containerValues },
  kubectl: { short: 'nsl', long: containerValues },
}

/** Words between program and sub-command that are no options: `make X=1 deploy`, `cargo +nightly publish`. */
const between = (program: string, word: string): boolean =>
  (/^g?make$/.test(program) && /^\w+[:+?]?=/.test(word)) || (program === 'cargo' && /^\+\w/.test(word))

const flags =
  /^--(?:no-.*|verbose|quiet|silent|debug|dry-run|force|yes|help|version|global|save-dev|ignore-scripts|if-present|paginate|json)$|^-[sqvyg]$/

/** How many words an option is: itself, or its value too; where nobody knows, both are tried. */
const lengths = (program: string, option: string): readonly number[] => {
  if (option.includes('=') || option === '--' || option.startsWith('+')) return [1]
  const known = Object.hasOwn(valueOptions, program) ? valueOptions[program] : undefined
  const takes = option.startsWith('--')
    ? known?.long.split(' ').includes(option.slice(2))
    : known?.short.includes(option[1] ?? '')
  if (takes) return option.startsWith('--') || option.length === 2 ? [2] : [1]
  return known?.all || flags.test(option) ? [1] : [1, 2]
}

type Line = {
  readonly units: readonly Unit[]
  readonly jumps: ReadonlyMap<number, readonly number[]>
  readonly sure: ReadonlySet<number>
  readonly starts: readonly number[]
}

const first = (word: Word | undefined): string => word?.pieces[0] ?? ''

/** A command as units, with the places from which words may be left out: options, and words that may be empty. */
const lineOf = ({ words, open }: Command): Line => {
  const units: Unit[] = []
  const starts: number[] = []
  const all: readonly Word[] = open ? [...words, { pieces: [null], split: true }] : words
  for (const [index, word] of all.entries()) {
    if (index > 0) units.push(kinds.blank)
    starts.push(units.length)
    for (const piece of word.pieces) {
      if (piece === null) units.push(word.split ? kinds.gaps : kinds.gap)
      else for (const one of piece) units.push(/\s/.test(one) ? kinds.inner : one)
    }
  }
  const jumps = new Map<number, number[]>()
  const sure = new Set<number>()
  const program = words[0]?.pieces.length === 1 ? first(words[0]) : ''
  for (const [index, word] of all.entries()) {
    const from = starts[index] as number
    const empty = word.split === true && word.pieces.every((piece) => piece === null)
    const option = first(word)
    const counts =
      /^-./.test(option) || between(program, option)
        ? lengths(program, option)
        : word.pieces[0] === null
          ? [1, 2]
          : []
    if (index > 0) {
      if (counts.length > 0) {
        jumps.set(
          from,
          counts.flatMap((count) => starts[index + count] ?? []),
        )
      }
      if (option !== '') sure.add(from)
      if (empty) jumps.set(from - 1, [from + 1])
    } else if (empty) jumps.set(from, starts.slice(1, 2))
  }
  return { units, jumps, sure, starts }
}

/** How much of comparing is left for a whole line; without any, it fits. */
type Purse = { left: number }
const most = 100_000
/** More places than that are not even made room for. */
const widest = 8_000_000

type Search = (from: number) => boolean | 'too long'

/** Looks from one place of the line after the other; none is gone to twice. `could`: gaps may become what is wanted. */
const searching = (glob: Glob, { units, jumps, sure }: Line, could: boolean, purse: Purse): Search => {
  const width = glob.length + 1
  const size = (units.length + 1) * width
  if (size > widest) return () => 'too long'
  const seen = new Uint8Array(size)
  const todo: number[] = []
  const go = (at: number, spot: number): void => {
    const key = at * width + spot
    if (seen[key] === 1) return
    seen[key] = 1
    todo.push(key)
  }
  return (from) => {
    go(from, 0)
    for (let key = todo.pop(); key !== undefined; key = todo.pop()) {
      purse.left -= 1
      if (purse.left < 0) return 'too long'
      const at = Math.floor(key / width)
      const spot = key % width
      const want = glob[spot]
      const unit = units[at]
      if (at === units.length && spot === glob.length) return true
      for (const target of jumps.get(at) ?? none) if (could || sure.has(at)) go(target, spot)
      if (want === star) {
        go(at, spot + 1)
        if (unit !== undefined) go(at + 1, spot)
      }
      if (unit === undefined) continue
      if (unit === kinds.gap || unit === kinds.gaps) {
        if (!could) continue
        go(at + 1, spot)
        if (want !== undefined && want !== star && (want !== ' ' || unit === kinds.gaps)) go(at, spot + 1)
      } else if (unit === want || (unit === kinds.blank && want === ' ')) go(at + 1, spot + 1)
    }
    return false
  }
}

const none: readonly number[] = []

const fits = (glob: Glob, line: Line, could: boolean, purse: Purse): boolean | 'too long' =>
  searching(glob, line, could, purse)(0)

const shown = ({ words, open }: Command): string => {
  const text = words.map(({ pieces }) => pieces.map((piece) => piece ?? '…').join('')).join(' ')
  const line = (open ? `${text} …` : text).replace(/\s+/g, ' ')
  return line.length > 80 ? `${line.slice(0, 80)}…` : line
}

const programOf = (globs: readonly Glob[]): string | undefined => {
  const text =
    globs[0]
      ?.map((one) => (one === star ? '*' : one))
      .join('')
      .split(' ')[0] ?? ''
  return text === '' || text.includes('*') ? undefined : text
}

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')

const nameOf = (word: Word): string | undefined =>
  word.pieces.length === 1 && !word.split ? first(word).slice(first(word).lastIndexOf('/') + 1) : undefined

/** On a disk that takes capital letters for small ones it is the same program. */
const isAlike = (name: string | undefined, program: string | undefined): boolean =>
  name !== undefined && name !== program && name.toLowerCase() === program?.toLowerCase()

/** More places to begin at than any wrapper has words. */
const many = 200

/** From one of its own words on: an unknown program may be a wrapper. */
const hosted = (
  command: Command,
  globs: readonly Glob[],
  program: string | undefined,
  purse: Purse,
): boolean => {
  const rest =
    program !== undefined &&
    globs[0]?.slice(program.length).some((one) => one !== star && one !== ' ') === true
  const spots = command.words.flatMap((word, index) => {
    const name = nameOf(word)
    const known = name !== undefined && !isAlike(name, program)
    const fit = known ? name !== '' && (name === program || !program) : rest
    return index > 0 && fit ? [{ index, name: known ? name : undefined }] : []
  })
  if (spots.length === 0) return false
  if (spots.length > many) return true
  const line = lineOf(command)
  const whole = globs.map((glob) => searching(glob, line, true, purse))
  // A word that nobody knows may be the program, if what follows it is surely the rest of the pattern.
  const behind = globs.map((glob) => searching(glob.slice(program?.length), line, false, purse))
  return spots.some(({ index, name }) => {
    const end = (line.starts[index + 1] ?? line.units.length + 1) - 1
    return name === undefined
      ? behind.some((search) => search(end) !== false)
      : whole.some((search) => search(end - [...name].length) !== false)
  })
}

const undecidable = (why: string): Match => ({ match: 'undecidable', why })

/** One command: yes, perhaps, or not. */
const fitsCommand = (
  command: Command,
  globs: readonly Glob[],
  program: string | undefined,
  purse: Purse,
): Match['match'] => {
  const [first] = command.words
  const name = first === undefined ? undefined : nameOf(first)
  let maybe = false
  const other = program ?? name?.toLowerCase()
  if (other !== undefined && isAlike(name, other)) {
    const alike = { ...command, words: [{ pieces: [other] }, ...command.words.slice(1)] }
    maybe = fitsCommand(alike, globs, program, purse) !== 'no'
  }
  if (program === undefined || name === undefined || name === program) {
    const line = lineOf(command)
    for (const glob of globs) {
      const now = fits(glob, line, false, purse)
      if (now === true) return 'yes'
      maybe ||= now === 'too long' || fits(glob, line, true, purse) !== false
    }
  }
  return maybe || (command.hosts && hosted(command, globs, program, purse)) ? 'undecidable' : 'no'
}

/** A rule may also name a whole line: `npm test && npm run build`. */
const fitsLine = (text: string, globs: readonly Glob[]): boolean => {
  const line = {
    units: [...text.trim().replace(/\s+/g, ' ')],
    jumps: new Map(),
    sure: new Set<number>(),
    starts: [],
  }
  return globs.some((glob) => fits(glob, line, false, { left: most }) === true)
}

/** The program's name in a text; of `curl*` only the beginning is known. */
const naming = (pattern: string, program: string | undefined): RegExp => {
  const start = pattern.trim().split(/[\s*:]/, 1)[0] ?? ''
  return new RegExp(
    program === undefined ? `(?<![\\w-])${escaped(start)}` : `(?<![\\w-])${escaped(program)}(?![\\w-])`,
  )
}

const compiled = remembered((pattern) => {
  const globs = globOf(pattern)
  const program = programOf(globs)
  return { globs, program, name: naming(pattern, program), joins: /[;|&<>\n]/.test(pattern) }
})

export const matchCommand = (pattern: string, text: string, reading: Reading): Match => {
  const { globs, program, name, joins } = compiled(pattern)
  if (joins && fitsLine(text, globs)) return { match: 'yes', why: 'the whole line fits' }
  const purse = { left: most }
  let maybe: Command | undefined
  for (const command of reading.commands) {
    const match = fitsCommand(command, globs, program, purse)
    if (match === 'yes') return { match, why: `runs "${shown(command)}"` }
    if (match === 'undecidable') maybe ??= command
  }
  if (maybe !== undefined) return undecidable(`may run "${shown(maybe)}"`)
  const [doubt] = reading.doubts
  if (doubt !== undefined) return undecidable(doubt)
  const code = reading.codes.find(({ pieces }) => pieces.some((piece) => piece !== null && name.test(piece)))
  if (code !== undefined) return undecidable(`code of another language names ${program ?? 'it'}`)
  return { match: 'no', why: 'runs nothing like it' }
}
