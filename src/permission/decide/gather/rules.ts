// What a read command line writes and deletes beyond what it says in so many words: names that a copy keeps, settings of
// git, commands of ours.
import { affect } from '../../shell/effect/rules.ts'
import type { Item } from '../../shell/expand/rules.ts'
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

const spelled = ({ pieces }: Word): string => pieces.map((piece) => piece ?? '\0').join('')

/** Those of a program, taken out of all, in each directory that the line goes to once: what is left others said. */
const parted = (
  all: readonly Word[],
  own: readonly Word[],
): { own: readonly Word[]; left: readonly Word[] } => {
  const taken: Word[] = []
  let left = all
  for (const name of own.map(spelled)) {
    const seen = new Set<string>()
    left = left.filter((each) => {
      const text = spelled(each)
      if ((text !== name && !text.endsWith(`/${name}`)) || seen.has(text)) return true
      seen.add(text)
      taken.push(each)
      return false
    })
  }
  return { own: taken, left }
}

const ours = ['agency', 'h2', 'ag-cli', 'roz']
const decisive = /^(approve|approval|deny|decide|trust|credential|switch|raise)$/

/** A command of ours that answers for a person. It refuses agents too, but only while their environment says so. */
const answers = (command: Command): boolean => {
  if (!ours.includes(programOf(command) ?? '')) return false
  const plain = command.words.slice(1).filter((each) => !textOf(each)?.startsWith('-'))
  const [first, second] = plain.map((each) => textOf(each) ?? 'approve')
  const reviews = programOf(command) === 'roz' ? first : first === 'review' ? second : undefined
  return command.open || reviews === 'clean' || [first, second].some((each) => decisive.test(each ?? ''))
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
  const done = gits.map((command) => effectsOf(command, command.words))
  const whole = (word: Word): boolean => ['.git', '.'].includes(spelled(word))
  const writes = parted(effects.writes, done.flatMap((each) => each.writes).filter(whole))
  const deletes = parted(effects.deletes, done.flatMap((each) => each.deletes).filter(whole))
  return {
    writes: writes.left,
    deletes: deletes.left,
    byGit: { writes: writes.own, deletes: deletes.own },
    more: [
      ...commands.filter((command) => copiers.includes(programOf(command) ?? '')).flatMap(kept),
      ...gits.flatMap(settings),
    ],
    orders: commands.filter(answers).map(({ words }) => words.map((each) => textOf(each) ?? '…').join(' ')),
  }
}
