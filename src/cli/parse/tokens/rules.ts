// What stands behind the words of a command: flags, options with values, arguments.
import { nameOf } from '../../command/rules.ts'
import { globalOptions, type Option, type Spec, type Wrong } from '../../command/schema.ts'
import { isOption } from '../words/rules.ts'
import { helpHint, hidden, isWrong, judgeValue, meant } from '../wrong/rules.ts'

export type Gathered = {
  readonly positional: string[]
  readonly values: Record<string, string>
  readonly lists: Record<string, string[]>
  readonly flags: Set<string>
}

type Read = {
  readonly option: Option
  /** Absent for a flag. */
  readonly value?: string
  /** The value was the next token. */
  readonly next?: true
}

const readOption = (spec: Spec, token: string, next: string | undefined): Read | Wrong => {
  const command = nameOf(spec)
  const equals = token.indexOf('=')
  const typed = equals < 0 ? token : token.slice(0, equals)
  const known = [...spec.options, ...globalOptions]
  const option = known.find(({ name, letter }) => typed === `--${name}` || typed === `-${letter}`)
  if (option === undefined) {
    const names = known.map(({ name }) => `--${name}`)
    const hint = meant(typed, names, helpHint(spec.words))
    return { code: 'unknown_option', facts: { command, option: spec.secret ? hidden : typed, hint } }
  }
  if (option.value === undefined) {
    if (equals < 0) return { option }
    return { code: 'unexpected_value', facts: { option: typed, command, hint: `Type just ${typed}.` } }
  }
  if (equals >= 0) return { option, value: token.slice(equals + 1) }
  if (next !== undefined && !isOption(next)) return { option, value: next, next: true }
  // `--name --json` is a forgotten value far more often than a name that starts with a dash.
  const hint =
    next === undefined
      ? `Type ${typed} ${option.value}.`
      : `For a value that starts with a dash type ${typed}=${next}.`
  return { code: 'missing_value', facts: { option: typed, command, hint } }
}

const keep = (found: Gathered, { option, value }: Read, spec: Spec): Wrong | undefined => {
  const { name } = option
  if (value === undefined) {
    found.flags.add(name)
    return undefined
  }
  const problem = judgeValue(spec, option, `the option --${name}`, value)
  if (problem !== undefined) return problem
  if (option.repeat) {
    found.lists[name] = [...(found.lists[name] ?? []), value]
  } else if (name in found.values) {
    return {
      code: 'option_twice',
      facts: { option: `--${name}`, command: nameOf(spec), hint: 'Give it once.' },
    }
  } else {
    found.values[name] = value
  }
  return undefined
}

/** No prototype: `__proto__` is a name like any other. */
const bare = <T>(): Record<string, T> => Object.create(null)

export const gather = (spec: Spec, tokens: readonly string[]): Gathered | Wrong => {
  const found: Gathered = { positional: [], values: bare(), lists: bare(), flags: new Set() }
  const left = [...tokens]
  for (let token = left.shift(); token !== undefined; token = left.shift()) {
    if (!isOption(token)) {
      found.positional.push(token)
      continue
    }
    const read = readOption(spec, token === '-h' ? '--help' : token, left[0])
    if (isWrong(read)) return read
    if (read.next) left.shift()
    const problem = keep(found, read, spec)
    if (problem !== undefined) return problem
  }
  return found
}
