// The same program under another name: a link or a copy is no way around a rule or a gate, as far as it can be seen.
import { inQuotes } from '../../base/shell/rules.ts'
import type { Call, Other, Place } from '../call/schema.ts'
import { programOf, textOf } from '../decide/gather/rules.ts'
import { matchPattern } from '../match/rules.ts'
import type { Match } from '../match/schema.ts'
import type { Command, Reading, Word } from '../shell/schema.ts'

const base = (path: string): string => path.replace(/\/+$/, '').replace(/^.*\//, '')

const givers = ['cp', 'mv', 'ln', 'install']

/** What this line itself gives another name, by that name. */
const named = ({ commands }: Reading): ReadonlyMap<string, string> => {
  const names = new Map<string, string>()
  for (const command of commands) {
    if (!givers.includes(programOf(command) ?? '')) continue
    const texts = command.words.slice(1).flatMap((each) => textOf(each) ?? [])
    const files = texts.filter((text) => !text.startsWith('-'))
    const to = files.at(-1)
    const [from] = files
    if (from !== undefined && to !== undefined && files.length === 2) names.set(base(to), base(from))
  }
  return names
}

/** What nobody knows before it runs stays so. */
const unknown = '$UNKNOWN'

const wordLine = ({ pieces }: Word): string =>
  pieces.map((piece) => (piece === null ? unknown : inQuotes(piece))).join('')

const under = (program: string, { words, open }: Command): string =>
  [program, ...words.slice(1).map(wordLine), ...(open ? [unknown] : [])].join(' ')

/**
 * The programs of a line, by name, and the paths in its text that end in that name: a reading keeps names alone.
 * A path that is put together from pieces is not found.
 */
export const programsOf = ({ commands }: Reading, text: string): ReadonlyMap<string, readonly string[]> => {
  const words = text.replace(/['"\\]/g, '').split(/[\s;|&()<>`=]+/)
  const paths = words.filter((word) => word.includes('/'))
  const names = commands.flatMap(({ words: [first] }) => (first === undefined ? [] : (textOf(first) ?? [])))
  return new Map(names.map((name) => [name, [...new Set(paths.filter((path) => base(path) === base(name)))]]))
}

/** What a shell does by itself: there is no file of that name, and nothing hides behind it. */
const builtins = new Set(
  (
    '. : [ alias bg bind break builtin caller cd command compgen complete compopt continue declare dirs disown echo ' +
    'enable eval exec exit export false fc fg getopts hash help history jobs kill let local logout mapfile popd ' +
    'printf pushd pwd read readarray readonly return set shift shopt source suspend test times trap true type ' +
    'typeset ulimit umask unalias unset wait'
  ).split(' '),
)

/** Where it looks for programs, or stands, is what the line itself makes of it. */
export const searches = (text: string): boolean => /\bPATH\+?=/.test(text)
export const moves = ({ commands }: Reading): boolean =>
  commands.some((each) => /^(?:cd|pushd|popd)$/.test(programOf(each) ?? ''))

/** The files that a program of the line may be; `unsure` = or another, which the line may make or find. */
export type Looked = { readonly files: readonly string[]; readonly unsure: boolean }

/** Each command of the line by its other names. `looked` = what was found of a program, by its name. */
export const aliases = (
  call: Call,
  reading: Reading,
  looked: ReadonlyMap<string, Looked>,
): readonly Other[] => {
  const given = named(reading)
  return reading.commands.flatMap((command) => {
    const [first] = command.words
    const word = first === undefined ? undefined : textOf(first)
    if (word === undefined) return []
    const { files, unsure } = looked.get(word) ?? { files: [], unsure: true }
    const as = (program: string): Call => ({
      tool: 'Bash',
      input: { ...call.input, command: under(program, command) },
    })
    const others = [...files.map(base), given.get(base(word)) ?? base(word)]
    return [
      ...[...new Set(others)].filter((other) => other !== base(word)).map((other) => as(inQuotes(other))),
      ...(unsure && !builtins.has(word)
        ? [{ ...call, unsure: (program: string) => under(inQuotes(program), command) }]
        : []),
    ]
  })
}

/** The program of a pattern that also says with which words: `gh` of `Bash:gh issue close*`. */
const programIn = (pattern: string): string | undefined => /^Bash[:(]\s*([\w.-]+)\s+[\w-]/.exec(pattern)?.[1]

/**
 * A program that nobody has found may be any. It is stopped where its words are those of the pattern: to stop it for words
 * that nobody knows either would be to stop every script.
 */
const asIn = (pattern: string, { tool, input, unsure }: Other): Call | undefined => {
  if (!unsure) return { tool, input }
  const program = programIn(pattern)
  return program === undefined ? undefined : { tool, input: { ...input, command: unsure(program) } }
}

/** For what closes a door: undefined = the pattern is not about the call by this name; what cannot be decided is. */
export const closing = (
  pattern: string,
  name: Other,
  place: Place,
  read: (command: string) => Reading,
): Match | undefined => {
  const as = asIn(pattern, name)
  if (as === undefined) return undefined
  const found = matchPattern(pattern, as, place, read)
  return (name.unsure ? found.match === 'yes' : found.match !== 'no') ? found : undefined
}
