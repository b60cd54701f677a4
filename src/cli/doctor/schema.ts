// What `agency doctor` looks at, and what it says of it.
import type { Builder, Trouble } from '../../sandbox/schema.ts'

/** What a program answered to `--version`; absent = it is not on PATH. */
export type Program = { readonly path: string; readonly version: string } | undefined

/** A process or socket that a record of the root names. */
export type Trace = { readonly what: string; readonly path: string; readonly live: boolean }

export type Facts = {
  readonly asRoot: boolean
  readonly node: string
  readonly git: Program
  readonly claude: Program
  readonly sandbox: Builder | Trouble
  readonly limits: boolean
  readonly root:
    | { readonly path: string; readonly freeBytes: number }
    | { readonly trouble: string; readonly fix: string }
  readonly traces: readonly Trace[]
  /** What is wrong with the files of the root, a line each. */
  readonly files: readonly string[]
  /** Absent where it is as it should be, or not made yet. */
  readonly token?: { readonly trouble: string; readonly fix: string } | undefined
  readonly credentials: readonly {
    readonly name: string
    readonly state: 'stored' | 'environment' | 'absent' | 'unsafe' | 'bad'
    readonly says: string
  }[]
}

export type Finding = {
  readonly check: string
  readonly state: 'ok' | 'warning' | 'problem'
  readonly found: string
  readonly fix?: string
}
