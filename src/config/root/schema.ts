/** What a root is looked for with: the environment, where the command was typed, and whose home it is. */
export type Where = {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  readonly home: string
}

export type Via = 'AGENCY_ROOT' | 'H2_DIR' | 'upwards' | 'home' | 'h2'

export type Root = { readonly directory: string; readonly via: Via }

/**
 * What a directory is: `marked` = a root, `old` = an h2 root from before there were markers, `partial` = an
 * `init` that was cut short, `foreign` = somebody's files.
 */
export type State = 'missing' | 'empty' | 'partial' | 'marked' | 'old' | 'foreign' | 'file'

export type Place = {
  /** With links resolved. */
  readonly path: string
  readonly state: State
  readonly mine: boolean
  /** Anyone may write to it. */
  readonly open: boolean
  readonly trusted: boolean
}

export type Facts = {
  readonly named?: { readonly variable: 'AGENCY_ROOT' | 'H2_DIR'; readonly place: Place }
  /** The nearest directory upwards with a marker. */
  readonly upwards?: Place
  readonly home: Place
  readonly h2: Place
  /** The command is one that makes a root where there is none. */
  readonly make: boolean
}
