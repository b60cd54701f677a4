// What a read command line writes and deletes beyond what it says in so many words: words that come by a pipe, names
// that a copy keeps, settings of git.
import { affect } from '../../shell/effect/rules.ts'
import { type Item, unknown } from '../../shell/expand/rules.ts'
import type { Command, Reading, Word } from '../../shell/schema.ts'

export const textOf = ({ pieces }: Word): string | undefined =>
  pieces.every((piece) => piece !== null) ? pieces.join('') : undefined

export const programOf = ({ words: [first] }: Command): string | undefined =>
  first === undefined ? undefined : textOf(first)?.replace(/^.*\//, '')

const itemOf = ({ pieces, split = false }: Word): Item => ({
  pieces,
  split,
  wild: pieces.includes(null),
  output: false,
})

type Effects = { writes: Item[]; deletes: Item[]; fetches: Item[]; unknown: boolean }

const effectsOf = (command: Command, words: readonly Word[]): Effects => {
  const effects: Effects = { writes: [], deletes: [], fetches: [], unknown: false }
  affect(programOf(command), words.map(itemOf), effects)
  return effects
}

/** `xargs rm`: what it deletes is among the words that nobody knows. */
const ofOpen = (command: Command): Effects => effectsOf(command, [...command.words, unknown])

const word = (...pieces: Word['pieces']): Word => ({ pieces })

const copiers = ['cp', 'mv', 'ln', 'install', 'rsync', 'scp']

/** Into a directory a file goes under its own name: the last word, or the one that an option names. */
const kept = ({ words }: Command): readonly Word[] => {
  const names = words.slice(1).flatMap((each) => textOf(each) ?? [])
  const named = names.flatMap((name, at) => {
    if (/^-\w*t$|^--target-directory$/.test(name)) return names[at + 1] ?? []
    return /^(?:-t|--target-directory=)(.+)$/.exec(name)?.[1] ?? []
  })
  const base = (path: string): string => path.replace(/\/+$/, '').replace(/^.*\//, '')
  return [...names.slice(-1), ...named.slice(0, 2)].flatMap((into) =>
    names.map((from) => word(`${into}/${base(from)}`)),
  )
}

/** Setting these makes nothing run. Any other may, now or in the next version of git. */
const harmless =
  /^(user|author|committer|color|advice|branch|push|pull|fetch|init|log|rebase|rerere|status|commit|tag)\./i
const reads = /^(--get.*|--list|-l|--show-.*|--name-only|--type.*|get|list)$/

/** `git config KEY VALUE` writes a file that decides what git runs. */
const settings = ({ words }: Command): readonly Word[] => {
  const texts = words.map((each) => textOf(each))
  const at = texts.indexOf('config')
  if (at < 0) return []
  const rest = texts.slice(at + 1)
  if (rest.some((text) => text !== undefined && reads.test(text))) return []
  const plain = rest.filter((text) => text === undefined || !/^-|^set$/.test(text))
  const edits = rest.some((text) =>
    /^(-e|--edit|--unset.*|--re.*|unset|edit|rename-section|remove-section)$/.test(text ?? ''),
  )
  const [key] = plain
  if (plain.length < 2 && !edits) return []
  return key !== undefined && harmless.test(key) ? [] : [word('.git/config')]
}

const isSame = (one: Word, other: Word): boolean => textOf(one) === textOf(other)

/** Each of them once: what is left was said by something else. */
const without = (all: readonly Word[], some: readonly Word[]): readonly Word[] => {
  const left = [...all]
  for (const each of some) {
    const at = left.findIndex((one) => isSame(one, each))
    if (at >= 0) left.splice(at, 1)
  }
  return left
}

const ours = ['agency', 'h2', 'ag-cli', 'roz']
const decisive = /^(approve|approval|deny|decide|trust|credential|switch)$/

/** A command of ours that answers for a person. It refuses agents too, but only while their environment says so. */
const answers = (command: Command): boolean => {
  if (!ours.includes(programOf(command) ?? '')) return false
  const plain = command.words.slice(1).filter((each) => !textOf(each)?.startsWith('-'))
  return command.open || plain.slice(0, 2).some((each) => decisive.test(textOf(each) ?? 'approve'))
}

export type Gathered = {
  readonly writes: readonly Word[]
  readonly deletes: readonly Word[]
  /** What git does to its own directory and to the tree that it looks after: a change, and no trap. */
  readonly byGit: { readonly writes: readonly Word[]; readonly deletes: readonly Word[] }
  /** Only looked at for what is agency's own. */
  readonly more: readonly Word[]
  /** Commands of ours that are for people. */
  readonly orders: readonly string[]
}

export const gather = ({ commands, effects }: Reading): Gathered => {
  const gits = commands.filter((command) => programOf(command) === 'git')
  const own = gits.map((command) => effectsOf(command, command.words))
  const whole = ({ pieces }: Word): boolean => ['.git', '.'].includes(pieces.join(''))
  const byGit = {
    writes: own.flatMap(({ writes }) => writes.filter(whole)),
    deletes: own.flatMap(({ deletes }) => deletes.filter(whole)),
  }
  const open = commands.filter((command) => command.open).map(ofOpen)
  const orders = commands
    .filter(answers)
    .map(({ words }) => words.map((each) => textOf(each) ?? '…').join(' '))
  return {
    orders,
    writes: [...without(effects.writes, byGit.writes), ...open.flatMap(({ writes }) => writes)],
    deletes: [...without(effects.deletes, byGit.deletes), ...open.flatMap(({ deletes }) => deletes)],
    byGit,
    more: [
      ...commands.filter((command) => copiers.includes(programOf(command) ?? '')).flatMap(kept),
      ...gits.flatMap(settings),
    ],
  }
}
