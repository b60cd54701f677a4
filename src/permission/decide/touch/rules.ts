// What a call may touch: files by name where they are known, and the honest word where they are not.
import type { Call, Place } from '../../call/schema.ts'
import { resolvePath } from '../../path/rules.ts'
import { readShell } from '../../shell/rules.ts'
import type { Command, Reading, Word } from '../../shell/schema.ts'
import { pathFields, shells, writers } from '../../tool/schema.ts'
import { gather, programOf, textOf } from '../gather/rules.ts'

export type Read = (command: string) => Reading

/** Reads each text once: a decision asks about the same command many times. */
export const reader = (): Read => {
  const known = new Map<string, Reading>()
  return (command) => {
    const reading = known.get(command) ?? readShell(command)
    known.set(command, reading)
    return reading
  }
}

/** A file that may be touched. */
export type Target = {
  /** As it stands in the call, `…` for what nobody knows before it runs. */
  readonly shown: string
  /** Every place it can mean; empty = unknown before it runs. */
  readonly paths: readonly string[]
  readonly pieces: Word['pieces']
  /** Git's work on its own directory, or on the whole tree. */
  readonly byGit?: boolean
}

export type Touch = {
  readonly reads: readonly Target[]
  readonly writes: readonly Target[]
  readonly deletes: readonly Target[]
  /** Why it may touch anything at all; empty = the targets are all. */
  readonly doubts: readonly string[]
  /** Words that may be written to: what a program of unknown effect is given, names that a copy keeps. */
  readonly words: readonly Target[]
  /** Every word of a command line: any of them may be read. */
  readonly named: readonly Target[]
  /** Commands of agency's own that answer for a person. */
  readonly orders: readonly string[]
}

const none: Touch = { reads: [], writes: [], deletes: [], doubts: [], words: [], named: [], orders: [] }

/** Where a command line stands when a word of it is read; `lost` = somewhere else too, that nobody knows. */
type Bases = { readonly paths: readonly string[]; readonly lost: boolean }

/** More directories than a line goes through by hand. */
const mostBases = 16
const longestShown = 200

const shownOf = (pieces: Word['pieces']): string => {
  const text = pieces.map((piece) => piece ?? '…').join('')
  return text.length > longestShown ? `${text.slice(0, longestShown)}…` : text
}

/** A pattern is no name yet. */
const loosened = ({ pieces }: Word): Word => ({
  pieces: pieces.flatMap((piece) =>
    piece === null
      ? [null]
      : piece.split(/[*?[\]{}]+/).flatMap((part, place) => (place === 0 ? [part] : [null, part])),
  ),
})

const isMover = (command: Command): boolean => ['cd', 'pushd', 'popd'].includes(programOf(command) ?? '')

/**
 * Each word is taken as relative to every directory that the line goes to, before or after it: whether a `cd` is
 * reached, and in which shell, is not followed.
 */
const basesOf = ({ commands }: Reading, { cwd, home }: Place): Bases => {
  const paths = new Set([cwd])
  let lost = false
  for (const command of commands) {
    if (!isMover(command)) continue
    const [to, ...more] = command.words.slice(1).filter((word) => !/^-(?!$)/.test(textOf(word) ?? ''))
    const text = to === undefined ? undefined : textOf(loosened(to))
    if (to === undefined && !command.open) paths.add(home)
    else if (text === undefined || text === '-' || more.length > 0 || paths.size >= mostBases) lost = true
    else for (const base of [...paths]) paths.add(resolvePath(base, text, home))
  }
  return { paths: [...paths], lost }
}

const targetOf = (given: Word, { paths, lost }: Bases, { home }: Place): Target => {
  const word = loosened(given)
  const text = textOf(word)
  const shown = shownOf(given.pieces)
  if (text === undefined) return { shown, paths: [], pieces: word.pieces }
  if (lost && !/^[/~]/.test(text)) return { shown, paths: [], pieces: [null, `/${text}`] }
  return { shown, paths: [...new Set(paths.map((base) => resolvePath(base, text, home)))], pieces: [text] }
}

const ofShell = (command: string, place: Place, read: Read): Touch => {
  const reading = read(command)
  const { effects, commands, codes } = reading
  const bases = basesOf(reading, place)
  const targets = (words: readonly Word[], from = bases): readonly Target[] =>
    words.map((word) => targetOf(word, from, place))
  // What it writes and deletes was read with the directories that it goes to.
  const here = { paths: [place.cwd], lost: bases.lost }
  const { writes, deletes, byGit, more, orders } = gather(reading)
  const told = commands.filter((each) => !isMover(each)).flatMap(({ words }) => words)
  const named = targets([...told, ...codes])
  const doubts = [
    ...reading.doubts,
    ...(effects.unknown ? ['nobody knows what a program in it does to files'] : []),
  ]
  const own = (kind: 'writes' | 'deletes'): readonly Target[] =>
    targets(byGit[kind], here).map((target) => ({ ...target, byGit: true }))
  return {
    ...none,
    writes: [...targets(writes, here), ...own('writes')],
    deletes: [...targets(deletes, here), ...own('deletes')],
    doubts,
    words: [...targets(more), ...(doubts.length === 0 ? [] : named)],
    named,
    orders,
  }
}

/** A path in the input of a tool that nobody but its server knows: any text that is one as a whole. */
const textsIn = (value: unknown, depth = 0): readonly string[] => {
  if (typeof value === 'string') return /^[^\s]{1,4096}$/.test(value) ? [value] : []
  if (typeof value !== 'object' || value === null || depth > 20) return []
  return Object.values(value).flatMap((each) => textsIn(each, depth + 1))
}

const named = (text: string, { cwd, home }: Place): Target => ({
  shown: shownOf([text]),
  paths: [resolvePath(cwd, text.replace(/^file:\/\//, ''), home)],
  pieces: [text],
})

export const touchOf = ({ tool, input }: Call, place: Place, read: Read = readShell): Touch => {
  if (shells.includes(tool)) {
    const { command } = input
    if (typeof command !== 'string') return { ...none, doubts: ['it has no command that can be read'] }
    // Another grammar: what bash would make of it says nothing.
    if (tool === 'PowerShell') return { ...none, doubts: ['PowerShell is not read'] }
    return ofShell(command, place, read)
  }
  const field = Object.hasOwn(pathFields, tool) ? pathFields[tool] : undefined
  if (field !== undefined) {
    const writes = writers.includes(tool)
    const path = input[field]
    if (typeof path !== 'string' || path === '')
      return writes ? { ...none, doubts: ['it names no file'] } : none
    const target = named(path, place)
    return writes ? { ...none, writes: [target] } : { ...none, reads: [target] }
  }
  return tool.startsWith('mcp__')
    ? { ...none, words: textsIn(input).map((text) => named(text, place)) }
    : none
}
