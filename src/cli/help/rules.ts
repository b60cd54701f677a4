import { nameOf } from '../command/rules.ts'
import { type Argument, globalOptions, type Option, type Spec } from '../command/schema.ts'
import { table } from '../output/rules.ts'

const argumentText = ({ name, optional, choices, repeat }: Argument): string => {
  const shown = `${choices === undefined ? name.toUpperCase() : choices.join('|')}${repeat ? '…' : ''}`
  return optional ? `[${shown}]` : shown
}
export const optionText = ({ name, value }: Option): string =>
  value === undefined ? `--${name}` : `--${name} ${value}`

export const usageOf = (spec: Spec): string => {
  const options = spec.options.map((option) => {
    const text = optionText(option)
    return `${option.required ? text : `[${text}]`}${option.repeat ? '…' : ''}`
  })
  const rest = spec.rest === undefined ? [] : [`[-- ${spec.rest}]`]
  return [nameOf(spec), ...spec.args.map(argumentText), ...options, ...rest].join(' ')
}

const section = (title: string, rows: readonly (readonly string[])[]): string[] =>
  rows.length === 0 ? [] : ['', `${title}:`, ...table(rows).map((row) => `  ${row}`)]

export const commandHelp = (spec: Spec): string[] => [
  spec.summary,
  '',
  `  ${usageOf(spec)}`,
  ...(spec.agents === 'never' ? ['', 'For people: an agent that types it is refused.'] : []),
  ...section(
    'Arguments',
    spec.args.map((argument) => [argument.name.toUpperCase(), argument.summary]),
  ),
  ...section(
    'Options',
    [...spec.options, ...globalOptions].map((option) => [optionText(option), option.summary]),
  ),
  ...section(
    'Examples',
    spec.examples.map((example) => [example]),
  ),
]

/** Help for a noun that only has verbs. */
const nounHelp = (specs: readonly Spec[], noun: string): string[] => [
  `Commands of ${noun}:`,
  '',
  ...table(specs.map((spec) => [usageOf(spec), spec.summary])).map((row) => `  ${row}`),
]

const topHelp = (specs: readonly Spec[]): string[] => [
  'agency runs a team of AI coding agents on your machine and makes what you decided about them hold.',
  '',
  '  agency COMMAND [OPTIONS]          `agency COMMAND --help` tells more',
  ...[...new Set(specs.map(({ group }) => group))].flatMap((group) =>
    section(
      group,
      specs.filter((spec) => spec.group === group).map((spec) => [spec.words.join(' '), spec.summary]),
    ),
  ),
  ...section('Everywhere', [
    ...globalOptions.map((option) => [optionText(option), option.summary]),
    ['--version', 'Show the version.'],
  ]),
  '',
  'First time? Type `agency demo`, then `agency init`.',
]

export const help = (specs: readonly Spec[], words: readonly string[]): string[] => {
  const [noun] = words
  if (noun === undefined) return topHelp(specs)
  const exact = specs.find((spec) => nameOf(spec) === nameOf({ words }))
  const below = specs.filter((spec) => spec.words[0] === noun && spec.words.length > words.length)
  if (exact === undefined) return nounHelp(below, noun)
  return below.length === 0 || words.length > 1
    ? commandHelp(exact)
    : [...commandHelp(exact), '', ...nounHelp(below, noun)]
}
