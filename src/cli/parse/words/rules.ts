// Which command a line means, by the words it begins with.
import { nameOf, verbsOf } from '../../command/rules.ts'
import type { Spec, Wrong } from '../../command/schema.ts'
import { helpHint, meant } from '../wrong/rules.ts'

export type Chosen<S> =
  | { readonly spec: S; readonly tokens: readonly string[] }
  /** Only help can be given: no word at all, or a noun without its verb. */
  | { readonly words: readonly string[] }

/** A lone dash is a value: by custom it stands for standard input. So is a number below zero. */
export const isOption = (token: string): boolean => /^-[^\d]/.test(token)

const anywhere = ['--json', '--help', '-h', '--version']

const unknown = (specs: readonly Spec[], noun: string, verb: string | undefined): Wrong => {
  const verbs = verbsOf(specs, noun)
  if (verb === undefined || verbs.length === 0) {
    const known = [...new Set(specs.map(({ words }) => words[0] ?? ''))]
    const hint = meant(noun, known, 'Type `agency --help` for the list.')
    return { code: 'unknown_command', facts: { word: noun, hint } }
  }
  const hint = meant(verb, verbs, `Verbs of ${noun}: ${verbs.join(', ')}.`)
  return { code: 'unknown_command', facts: { word: `${noun} ${verb}`, hint } }
}

/** The longest command that fits wins: `config get` over `config`. */
export const choose = <S extends Spec>(specs: readonly S[], own: readonly string[]): Chosen<S> | Wrong => {
  const first = own.findIndex((token) => !isOption(token))
  const leading = first < 0 ? own : own.slice(0, first)
  const stranger = leading.find((token) => !anywhere.includes(token))
  if (stranger !== undefined) {
    const hint = `Options come after the command. ${helpHint([])}`
    return {
      code: 'unknown_option',
      facts: { command: nameOf({ words: [] }), option: stranger.replace(/=.*/s, ''), hint },
    }
  }
  const words = first < 0 ? [] : own.slice(first)
  const [spec] = specs
    .filter((each) => each.words.every((word, at) => words[at] === word))
    .sort((a, b) => b.words.length - a.words.length)
  if (spec !== undefined) return { spec, tokens: [...leading, ...words.slice(spec.words.length)] }
  const [noun, verb] = words
  if (noun === undefined) return { words: [] }
  const alone = verbsOf(specs, noun).length > 0 && (verb === undefined || isOption(verb))
  return alone ? { words: [noun] } : unknown(specs, noun, verb)
}
