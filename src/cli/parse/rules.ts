// argv → a command line that was understood, or what is wrong with it. Strict: nothing is guessed.
import { nameOf, verbsOf } from '../command/rules.ts'
import type { Parsed, Spec, Wrong } from '../command/schema.ts'
import { type Gathered, gather } from './tokens/rules.ts'
import { choose } from './words/rules.ts'
import { helpHint, isWrong, judgeValue, meant } from './wrong/rules.ts'

/** Everything before `--`, and what is after it. */
const split = (argv: readonly string[]): { own: readonly string[]; rest: readonly string[] } => {
  const at = argv.indexOf('--')
  return at < 0 ? { own: argv, rest: [] } : { own: argv.slice(0, at), rest: argv.slice(at + 1) }
}

/** Asked for JSON? Decided before anything else, so that a wrong line is answered in JSON too. */
export const wantsJson = (argv: readonly string[]): boolean => split(argv).own.includes('--json')

const asksHelp = (tokens: readonly string[]): boolean => tokens.includes('--help') || tokens.includes('-h')

/** `help run` is what many type first. */
const helped = (own: readonly string[]): readonly string[] =>
  own[0] === 'help' ? [...own.slice(1), '--help'] : own

const tooMany = (spec: Spec, specs: readonly Spec[], extra: string): Wrong => {
  const what = spec.secret ? 'a second argument (it is not repeated here: it may be a secret)' : `"${extra}"`
  const [noun = ''] = spec.words
  const verbs = spec.words.length === 1 ? verbsOf(specs, noun) : []
  const hint = meant(extra, verbs, helpHint(spec.words))
  return { code: 'unexpected_argument', facts: { command: nameOf(spec), what, hint } }
}

/** Gives arguments their names. */
const assign = (
  spec: Spec,
  specs: readonly Spec[],
  given: readonly string[],
  found: Gathered,
): Wrong | undefined => {
  const last = spec.args.at(-1)
  const [extra] = given.slice(spec.args.length)
  if (extra !== undefined && !last?.repeat) return tooMany(spec, specs, extra)
  for (const [at, value] of given.entries()) {
    const argument = spec.args[at] ?? last
    if (argument === undefined) continue
    const problem = judgeValue(spec, argument, `the argument ${argument.name}`, value)
    if (problem !== undefined) return problem
    if (argument.repeat) found.lists[argument.name] = [...(found.lists[argument.name] ?? []), value]
    else found.values[argument.name] = value
  }
  return undefined
}

const missing = (spec: Spec, { values, lists, flags }: Gathered): Wrong | undefined => {
  const given = (name: string): boolean => name in values || name in lists || flags.has(name)
  const show = (name: string): string =>
    spec.options.some((option) => option.name === name) ? `--${name}` : name
  const needed = [
    ...spec.args.filter(({ optional }) => !optional),
    ...spec.options.filter(({ required }) => required),
  ].map(({ name }) => name)
  const one = spec.oneOf ?? []
  const absent = needed.find((name) => !given(name))
  const unclear = one.length > 0 && one.filter(given).length !== 1
  if (absent === undefined && !unclear) return undefined
  const what = absent === undefined ? `exactly one of ${one.map(show).join(', ')}` : show(absent)
  return { code: 'missing_argument', facts: { command: nameOf(spec), what, hint: helpHint(spec.words) } }
}

/** A line without a command: help where it was asked for, or where there is not one word. */
const withoutCommand = (
  specs: readonly Spec[],
  words: readonly string[],
  own: readonly string[],
  rest: readonly string[],
): Parsed<never> => {
  const [noun] = words
  const [behind] = rest
  if (noun === undefined && own.length === 0 && behind !== undefined) {
    const facts = {
      command: nameOf({ words }),
      what: `"${behind}" behind --`,
      hint: 'Type the command first.',
    }
    return { kind: 'wrong', wrong: { code: 'unexpected_argument', facts } }
  }
  if (noun === undefined && own.includes('--version')) return { kind: 'version' }
  if (noun === undefined || asksHelp(own)) return { kind: 'help', words }
  const what = `a verb: ${verbsOf(specs, noun).join(', ')}`
  const facts = { command: nameOf({ words }), what, hint: helpHint(words) }
  return { kind: 'wrong', wrong: { code: 'missing_argument', facts } }
}

export const parse = <S extends Spec>(specs: readonly S[], argv: readonly string[]): Parsed<S> => {
  const { own: typed, rest } = split(argv)
  const own = helped(typed)
  const chosen = choose(specs, own)
  if (isWrong(chosen)) return { kind: 'wrong', wrong: chosen }
  if ('words' in chosen) return withoutCommand(specs, chosen.words, own, rest)
  const { spec, tokens } = chosen
  // Who asks for help does not know yet how to type the rest.
  if (asksHelp(tokens)) return { kind: 'help', words: spec.words }
  const found = gather(spec, tokens)
  if (isWrong(found)) return { kind: 'wrong', wrong: found }
  const { positional, values, lists, flags } = found
  // After `--` nothing is an option: it is what the command hands on, or more arguments.
  const handed = spec.rest === undefined ? [] : rest
  const given = spec.rest === undefined ? [...positional, ...rest] : positional
  const problem = assign(spec, specs, given, found) ?? missing(spec, found)
  if (problem !== undefined) return { kind: 'wrong', wrong: problem }
  return { kind: 'run', spec, line: { values, lists, flags, rest: handed } }
}
