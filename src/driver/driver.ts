// The seam between agency and one agent CLI: how it is started, read and stopped.
// A driver is a value without state: what has to be remembered is kept by whoever asks.
import type { HookPolicy } from '../keeper/schema.ts'
import type {
  Answer,
  Capabilities,
  Exit,
  Header,
  HookEvent,
  HookRead,
  Launch,
  Order,
  Outcome,
  Question,
  StreamEvent,
  TelemetryEvent,
  TranscriptEvent,
  Usage,
} from './schema.ts'

export type Driver = {
  readonly name: string
  readonly version: string
  readonly capabilities: Capabilities

  /** What is wrong with the order, in users' words; `launch` may only be asked when there is nothing. */
  problems(order: Order): readonly string[]
  /** The argv begins with `program`. */
  launch(program: string, order: Order): Launch
  /** What it prints is read and judged as that of a headless session. */
  question(program: string, asked: Question): Launch

  /** One line of a headless session's stdout. Never throws. */
  readStream(line: string): readonly StreamEvent[]
  readTranscript(line: string): readonly TranscriptEvent[]
  /** Where the transcript is, until the first hook has told it. */
  transcriptPath(config: string, cwd: string, session: string): string
  /** The body of one telemetry post. */
  readTelemetry(body: unknown): readonly TelemetryEvent[]
  readHook(body: unknown): HookRead
  /** The body of the hook's answer; undefined = no opinion, which is a 204 and never an empty 200. */
  answerHook(event: HookEvent, answer: Answer): unknown
  /** How a keeper refuses hooks that nobody answers; holds are at most `holdSeconds`. */
  hookPolicy(holdSeconds: number): HookPolicy
  /** Judges a run by what it printed and how it ended; only `decisive` events need to be kept for it. */
  decisive(event: StreamEvent): boolean
  judge(events: readonly StreamEvent[], exit: Exit): Outcome
  /** What a run cost: totals grow over a session, and a fork begins with its parent's. */
  spent(total: Usage | undefined, before: Usage | undefined): Usage

  /** What is typed into a terminal session to hand over a message, `submit` after `paste` has arrived. */
  typed(header: Header, text: string): { readonly paste: string; readonly submit: string }
  readonly stop: {
    /** Ends the turn, not the process: keys in a terminal, a signal for a headless session. */
    readonly interrupt: { readonly keys: string; readonly signal: 'SIGINT' }
    readonly end: 'SIGTERM'
  }
}
