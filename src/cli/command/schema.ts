// A command as data: the parser, help, completions and the reference pages all read this.
import type { UsageCode } from '../../base/error/input/schema.ts'
import type { Facts } from '../../base/error/schema.ts'

/** What a shell completes for a value. */
export type Kind = 'file' | 'directory'

export type Argument = {
  readonly name: string
  readonly summary: string
  readonly optional?: true
  readonly choices?: readonly string[]
  readonly kind?: Kind
  /** An empty value means something here. Everywhere else it is a mistake of a script. */
  readonly empty?: true
  /** The last one may be given several times; then it is among the lists. */
  readonly repeat?: true
}

export type Option = {
  /** Without the dashes. */
  readonly name: string
  /** The one-letter form that people's fingers know. */
  readonly letter?: string
  readonly summary: string
  /** What to call the value in help; absent = a flag. */
  readonly value?: string
  readonly repeat?: true
  readonly choices?: readonly string[]
  readonly required?: true
}

export type Spec = {
  readonly words: readonly string[]
  readonly summary: string
  readonly group: string
  /**
   * What an agent (AGENCY_ACTOR in the environment) may do with it. It may look and speak; what ends or changes
   * something that is not its own is for people. `delegate` = only what its role may delegate to.
   */
  readonly agents: 'may' | 'never' | 'delegate'
  readonly args: readonly Argument[]
  readonly options: readonly Option[]
  /** What comes after `--`, where the command takes it. */
  readonly rest?: string
  /** Exactly one of these arguments and options must be given. */
  readonly oneOf?: readonly string[]
  readonly examples: readonly string[]
  /** It answers signals itself. */
  readonly signals?: true
  /** What people wrongly type here may be a secret: never repeated in an error. */
  readonly secret?: true
}

/** A command line that was understood. */
export type Line = {
  readonly values: Readonly<Record<string, string>>
  readonly lists: Readonly<Record<string, readonly string[]>>
  readonly flags: ReadonlySet<string>
  readonly rest: readonly string[]
}

/** A command line that was not: the entry of the catalogue that says why. */
export type Wrong = { [C in UsageCode]: { readonly code: C; readonly facts: Facts<C> } }[UsageCode]

export type Parsed<S extends Spec = Spec> =
  | { readonly kind: 'help'; readonly words: readonly string[] }
  | { readonly kind: 'version' }
  | { readonly kind: 'run'; readonly spec: S; readonly line: Line }
  | { readonly kind: 'wrong'; readonly wrong: Wrong }

export const globalOptions: readonly Option[] = [
  { name: 'json', summary: 'Print one JSON object instead of text.' },
  { name: 'help', summary: 'Show this help.' },
]

/** What a handler gives back; one renderer prints it. */
export type Outcome = {
  readonly data: Readonly<Record<string, unknown>>
  readonly lines: readonly string[]
  readonly warnings?: readonly string[]
  readonly exit?: 0 | 1 | 2
}
