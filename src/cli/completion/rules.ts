// Completion scripts, made from the commands. They are static: a Tab never starts this program.
import { verbsOf } from '../command/rules.ts'
import { globalOptions, type Option, type Spec } from '../command/schema.ts'

export type Shell = 'bash' | 'zsh' | 'fish'

const optionsOf = (spec: Spec): readonly Option[] => [...spec.options, ...globalOptions]
const firstWords = (specs: readonly Spec[]): string[] => [
  ...new Set(specs.map(({ words }) => words[0] ?? '')),
]
const kindOf = (spec: Spec): 'file' | 'directory' | undefined =>
  spec.args.find(({ kind }) => kind !== undefined)?.kind
const choicesOf = (spec: Spec): readonly string[] => spec.args.flatMap(({ choices }) => choices ?? [])
const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** What may stand after the words of a command: its options, its choices, its verbs. */
const after = (specs: readonly Spec[], spec: Spec): string[] => [
  ...(spec.words.length === 1 ? verbsOf(specs, spec.words[0] ?? '') : []),
  ...choicesOf(spec),
  ...optionsOf(spec).map(({ name }) => `--${name}`),
]

const bashFiles = { file: '-f', directory: '-d' } as const

const bash = (specs: readonly Spec[], programs: readonly string[]): string[] => {
  const nouns = firstWords(specs).filter((noun) => !specs.some(({ words }) => words.join(' ') === noun))
  const cases = [
    ...specs.map((spec) => {
      const kind = kindOf(spec)
      return `    ${quote(spec.words.join(' '))}) words=${quote(after(specs, spec).join(' '))}${kind ? ` files=${bashFiles[kind]}` : ''} ;;`
    }),
    ...nouns.map((noun) => `    ${quote(noun)}) words=${quote(verbsOf(specs, noun).join(' '))} ;;`),
  ]
  const valued = [
    ...new Set(
      specs.flatMap(({ options }) => options.flatMap(({ name, value }) => (value ? [`--${name}`] : []))),
    ),
  ]
  const known = [...specs.map(({ words }) => quote(words.join(' '))), ...nouns.map(quote)].join('|')
  return `_agency() {
  local current=\${COMP_WORDS[COMP_CWORD]} before= command= words= files= word i
  [ "$COMP_CWORD" -gt 0 ] && before=\${COMP_WORDS[COMP_CWORD-1]}
  COMPREPLY=()
  case "$before" in ${valued.join('|')}) return ;; esac
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    case "$word" in --) return ;; -*) continue ;; esac
    case "\${command:+$command }$word" in
      ${known}) command=\${command:+$command }$word ;;
    esac
  done
  case "$command" in
    '') words=${quote([...firstWords(specs), '--help', '--version'].join(' '))} ;;
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  if [ -n "$files" ] && [ "\${current#-}" = "$current" ]; then
    compopt -o filenames 2>/dev/null
    while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen $files -- "$current")
  fi
}
complete -F _agency ${programs.join(' ')}`.split('\n')
}

const zsh = (specs: readonly Spec[], programs: readonly string[]): string[] => [
  `#compdef ${programs.join(' ')}`,
  '# The bash script, through the compatibility that zsh has for it.',
  'autoload -Uz +X compinit bashcompinit',
  'whence compdef >/dev/null || compinit',
  'bashcompinit',
  ...bash(specs, programs),
]

const fish = (specs: readonly Spec[], programs: readonly string[]): string[] =>
  programs.flatMap((program) => {
    const complete = `complete -c ${program}`
    const top = firstWords(specs)
    return [
      `${complete} -f`,
      ...top.map((word) => {
        const { summary } = specs.find(({ words }) => words[0] === word) ?? { summary: '' }
        return `${complete} -n __fish_use_subcommand -a ${word} -d ${quote(summary)}`
      }),
      ...specs.flatMap((spec) => {
        const [noun = '', verb] = spec.words
        const here = `__fish_seen_subcommand_from ${noun}`
        const below = verbsOf(specs, noun).join(' ')
        const seen = verb === undefined ? here : `${here}; and __fish_seen_subcommand_from ${verb}`
        return [
          ...(verb === undefined
            ? []
            : [
                `${complete} -n ${quote(`${here}; and not __fish_seen_subcommand_from ${below}`)} -a ${verb} -d ${quote(spec.summary)}`,
              ]),
          ...choicesOf(spec).map((choice) => `${complete} -n ${quote(seen)} -a ${choice}`),
          ...(kindOf(spec) ? [`${complete} -n ${quote(seen)} -F`] : []),
          ...optionsOf(spec).map(
            ({ name, value, summary }) =>
              `${complete} -n ${quote(seen)} -l ${name}${value ? ' -x' : ''} -d ${quote(summary)}`,
          ),
        ]
      }),
    ]
  })

const shells = { bash, zsh, fish }

export const completion = (shell: Shell, specs: readonly Spec[], programs: readonly string[]): string[] =>
  shells[shell](specs, programs)
