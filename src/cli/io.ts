// Everything a command may touch of the process it runs in, so that a test can give its own.
import type { EventEmitter } from 'node:events'
import type { Line, Outcome, Spec } from './command/schema.ts'

export type Out = {
  write(text: string): unknown
  readonly isTTY?: boolean | undefined
  readonly columns?: number | undefined
}

export type Io = {
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean | undefined }
  readonly stdout: Out
  readonly stderr: Out
  readonly env: Readonly<Record<string, string | undefined>>
  /** Absent where that directory has been removed. */
  readonly cwd?: string | undefined
  /** The name the program was called by. */
  readonly program: string
  /** What to execute to run this program again. */
  readonly self: readonly [string, ...string[]]
  /** Where Ctrl-C and its like come from: `process`. */
  readonly signals: Pick<EventEmitter, 'on' | 'off'>
}

/** What is told to a person who leaves what goes on without them. */
export type Left = { readonly data: Outcome['data']; readonly line: string }

/** One command being carried out. */
export type Call = Line & {
  readonly io: Io
  readonly json: boolean
  /** All commands, for those that are about commands. */
  readonly specs: readonly Spec[]
  /** A line on stdout at once, for what is told while it happens; nothing in JSON mode. */
  readonly say: (text: string) => void
  /** A sign of life on stderr during long work; nothing in JSON mode. */
  readonly progress: (text: string) => void
  /** Done when the command ends, however it ends. Last in, first out. */
  readonly defer: (undo: () => unknown) => void
  /** From here on Ctrl-C leaves it to itself, and this is said instead of an error. */
  readonly leavable: (left: Left) => void
  /** Said whether the command then succeeds or fails. */
  readonly warn: (text: string) => void
}

export type Handler = (call: Call) => Promise<Outcome> | Outcome

export type Command = Spec & { readonly load: () => Promise<{ readonly run: Handler }> }
