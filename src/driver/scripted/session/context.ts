// Everything a turn needs to know of the session it is in.
import type { Mode, Options } from '../argv/schema.ts'
import type { Hooks, Speaker } from '../hook/call.ts'
import type { Json } from '../hook/rules.ts'
import type { Player } from '../scenario/load.ts'
import type { Live } from '../settings/live.ts'
import type { Telemetry } from '../telemetry/export.ts'
import type { Outcome } from '../tool/place.ts'
import type { Spent } from './rules.ts'
import type { Tasks } from './tasks.ts'
import type { Transcript } from './transcript.ts'

export type Reply = 'yes' | 'always' | 'no'

/** What is shown to whoever watches: lines on stdout, or a terminal. */
export type Screen = {
  emit: (line: Json) => void
  piece: (text: string) => void
  tool: (name: string, input: Json) => void
  note: (text: string) => void
  /** A dialog; absent where nobody can be asked. It is taken away by the signal. */
  ask?: (tool: string, input: Json, signal: AbortSignal) => Promise<Reply>
  /** Takes a message that was typed while the turn went on. */
  queued: () => string | undefined
  /** Puts a line off until the prompts that are queued have theirs; false = none is. */
  behind?: (write: () => void) => boolean
}

export type State = {
  mode: Mode
  allow: string[]
  deny: string[]
  prompt?: string
  spent: Spent
  denials: Json[]
  /** The answer of a classifier was needed and there is none. */
  unjudged: boolean
}

export type Context = {
  readonly options: Options
  readonly env: NodeJS.ProcessEnv
  readonly cwd: string
  readonly config: string
  readonly session: string
  readonly model: string
  readonly version: string
  readonly interactive: boolean
  readonly settings: Live
  readonly hooks: Hooks
  readonly player: Player
  readonly telemetry: Telemetry
  readonly tasks: Tasks
  readonly transcript: Transcript
  readonly screen: Screen
  readonly state: State
  readonly delegate: (input: Json, id: string, signal: AbortSignal) => Promise<Outcome>
}

export type Conversation = {
  /** The text that was said last, by a person, a hook or a notification. */
  said: string
  /** What hooks have added for the model. */
  reminders?: readonly string[]
  readonly agent?: Speaker
  /** The tool call that a subagent answers to. */
  readonly parent?: string
  readonly transcript: Transcript
  readonly signal: AbortSignal
  readonly maxTurns?: number
}
