// What any agent CLI tells about a session and can be told, in our words. No CLI's own names here.

/** What a driver can do. Code that needs one of these asks the flag, never which driver it is. */
export type Capabilities = {
  /** Calls a hook before each tool call and obeys the answer. Without it a role cannot be enforced. */
  readonly hooks: boolean
  /** A call that its own rules do not allow is put to our hook in a headless session too. */
  readonly permissionHookHeadless: boolean
  readonly resume: boolean
  readonly fork: boolean
  /** Prints one JSON line per event in a headless session. */
  readonly stream: boolean
  /** Writes a transcript that can be followed. */
  readonly transcript: boolean
  readonly telemetry: boolean
  /** Takes a message while a turn is running. */
  readonly queue: boolean
}

export type Call = { readonly id: string; readonly tool: string; readonly input: unknown }

/** A call's end as stream, transcript or telemetry show it. `ran` = the tool was really started. */
export type Ended = { readonly call: string; readonly ok: boolean; readonly ran: boolean }

export type Subagent = { readonly id: string; readonly type: string }

/** Who said a prompt: only `person` counts as one. `message` came through us, under its header line. */
export type Origin = 'person' | 'message' | 'notification'

export type Header = { readonly id: string; readonly sender: string }

export type Background = { readonly id: string; readonly kind: string; readonly description: string }

export type HookPlace = {
  readonly session: string
  readonly cwd: string
  readonly transcript: string
  /** The turn. A message that is queued behind a running turn carries that turn's id, not its own. */
  readonly turn?: string
  readonly mode?: string
  /** Set when a subagent speaks; session and transcript stay its parent's. */
  readonly subagent?: Subagent
}

export type HookEvent = HookPlace &
  (
    | { readonly kind: 'session_started'; readonly source: string }
    | { readonly kind: 'session_ended'; readonly reason: string }
    | {
        readonly kind: 'prompted'
        readonly text: string
        readonly origin: Origin
        readonly header?: Header
        /** Paths the CLI may read into the prompt with no call: each must pass as a reading of that file. */
        readonly reads: readonly string[]
      }
    | { readonly kind: 'tool_asked'; readonly call: Call }
    | { readonly kind: 'tool_done'; readonly call: Call; readonly ms?: number }
    | {
        readonly kind: 'tool_failed'
        readonly call: Call
        readonly error: string
        readonly interrupted: boolean
        readonly ms?: number
      }
    /** Names no call: `match` finds it. */
    | { readonly kind: 'permission_asked'; readonly tool: string; readonly input: unknown }
    | { readonly kind: 'permission_denied'; readonly call: Call; readonly reason: string }
    | {
        readonly kind: 'turn_ended'
        /** A hook has already sent this turn on at least once. */
        readonly again: boolean
        readonly last: string
        /** While this is not empty the turn's end is not the work's end. */
        readonly background: readonly Background[]
      }
    | { readonly kind: 'turn_failed'; readonly error: string; readonly last: string }
    | { readonly kind: 'subagent_started' }
    | { readonly kind: 'subagent_ended'; readonly last: string; readonly record?: string }
    | { readonly kind: 'compacting'; readonly trigger: string }
    | { readonly kind: 'compacted'; readonly trigger: string }
    | { readonly kind: 'notified'; readonly type: string; readonly text: string }
    | { readonly kind: 'config_changed'; readonly source: string; readonly path?: string }
    | { readonly kind: 'other'; readonly name: string }
  )

/** `problem` is for people; the hook must then be answered as a failure, which blocks. */
export type HookRead =
  | { readonly ok: true; readonly event: HookEvent }
  | { readonly ok: false; readonly name?: string; readonly problem: string }

/** `none` = no opinion: the CLI goes on by its own rules. */
export type Answer =
  /** `warning` is shown to whoever sits at the terminal; only the end of a turn can carry one. */
  | { readonly kind: 'none'; readonly warning?: string }
  /** `rules` are allowed from now on, in this session: only an answer to a request for permission can say so. */
  | { readonly kind: 'allow'; readonly rules?: readonly string[] }
  | { readonly kind: 'ask'; readonly reason: string }
  /** `interrupt`: and the turn is over, before the model is asked again. */
  | { readonly kind: 'deny'; readonly reason: string; readonly interrupt?: boolean }
  | { readonly kind: 'context'; readonly text: string }

export type Usage = {
  readonly input: number
  readonly output: number
  readonly cacheRead: number
  readonly cacheWrite: number
  /** API-price equivalent. */
  readonly costUsd: number
}

/** Why a run did not complete. Only retryable, overload and rate_limit may be tried again unchanged. */
export type FailureClass =
  | 'retryable'
  | 'overload'
  | 'rate_limit'
  | 'auth'
  | 'max_turns'
  | 'budget'
  | 'context_overflow'
  | 'interrupted'
  | 'blocked'
  | 'fatal'

export type Outcome = {
  readonly session?: string
  /** The session's totals, to be kept for the next difference; absent = the run told none. */
  readonly total?: Usage
  readonly turns: number
  readonly denials: readonly Call[]
} /** `stopped`: a hook ended it in the middle. */ & (
  | {
      readonly ok: true
      readonly text: string
      readonly structured?: unknown
      readonly stopped?: true
    }
  | {
      readonly ok: false
      readonly class: FailureClass
      readonly message: string
      readonly status?: number
      /** When the limit ends, where the CLI said so: epoch milliseconds, or a wait from now. */
      readonly resetsAt?: number
      readonly retryAfterMs?: number
    }
)

/** How a process ended. `stderr` is its (capped) text. */
export type Exit = { readonly code: number | null; readonly signal: string | null; readonly stderr: string }

export type StreamEvent =
  | { readonly kind: 'started'; readonly session: string; readonly model: string; readonly mode: string }
  | { readonly kind: 'said'; readonly text: string; readonly parent?: string }
  | { readonly kind: 'called'; readonly call: Call; readonly parent?: string }
  /** A piece of an answer of the model. All pieces have the same id; what it used is complete only in the result. */
  | { readonly kind: 'answered'; readonly id: string; readonly usage: Omit<Usage, 'costUsd'> }
  | { readonly kind: 'ended'; readonly ended: Ended; readonly parent?: string }
  | {
      readonly kind: 'retrying'
      readonly attempt: number
      readonly of: number
      readonly waitMs: number
      readonly status?: number
      readonly error: string
    }
  | { readonly kind: 'limited'; readonly rejected: boolean; readonly resetsAt?: number }
  | { readonly kind: 'failed'; readonly error: string; readonly status?: number; readonly text: string }
  | { readonly kind: 'interrupted' }
  | { readonly kind: 'prompt_blocked'; readonly reason: string }
  | { readonly kind: 'compacted' }
  | { readonly kind: 'result'; readonly result: Result }
  | { readonly kind: 'other'; readonly type: string }
  /** Not a line of the protocol: text or broken JSON (its beginning), or a line beyond the cap. */
  | { readonly kind: 'noise'; readonly text: string; readonly length: number }

export type Result = {
  readonly session: string
  readonly isError: boolean
  readonly subtype: string
  readonly reason: string
  readonly text: string
  readonly turns: number
  readonly status?: number
  readonly errorType?: string
  readonly denials: readonly Call[]
  readonly total: Usage
  readonly structured?: unknown
}

export type TranscriptEvent =
  | { readonly kind: 'queued'; readonly text: string; readonly header?: Header }
  /**
   * It left the queue. `entered` = into the running turn. Without a text nobody says which one it was: if it
   * begins a turn of its own, `prompted` follows.
   */
  | { readonly kind: 'unqueued'; readonly entered: boolean; readonly text?: string; readonly header?: Header }
  | {
      readonly kind: 'prompted'
      readonly text: string
      readonly origin: Origin
      readonly header?: Header
      readonly turn?: string
      /** It waited behind a turn. All that waited enter as one turn, which goes by the id of the last. */
      readonly waited?: true
    }
  | { readonly kind: 'said'; readonly text: string; readonly subagent?: string }
  | { readonly kind: 'called'; readonly call: Call; readonly subagent?: string }
  | { readonly kind: 'ended'; readonly ended: Ended; readonly subagent?: string }
  | { readonly kind: 'interrupted' }
  | { readonly kind: 'failed'; readonly error: string; readonly status?: number; readonly text: string }
  | { readonly kind: 'retrying'; readonly attempt: number; readonly of: number; readonly status?: number }
  | { readonly kind: 'total'; readonly total: Usage }
  | { readonly kind: 'compacted' }
  | { readonly kind: 'other'; readonly type: string }

export type TelemetryEvent = { readonly session?: string; readonly at?: number } & (
  | {
      readonly kind: 'decided'
      readonly call: string
      readonly tool: string
      readonly accepted: boolean
      readonly source: string
      /** A person answered the CLI's own dialog. */
      readonly person: boolean
    }
  | { readonly kind: 'ended'; readonly ended: Ended; readonly tool: string; readonly ms?: number }
  | {
      readonly kind: 'requested'
      readonly model: string
      readonly usage: Usage
      readonly ms?: number
      /** For the CLI itself, such as a title of the session: no answer to anybody. */
      readonly aside?: true
    }
  | {
      readonly kind: 'request_failed'
      readonly error: string
      readonly status?: number
      readonly attempt?: number
      readonly final: boolean
    }
  | { readonly kind: 'prompted'; readonly turn?: string; readonly midTurn: boolean }
  | {
      readonly kind: 'metric'
      readonly name: string
      readonly of: string
      readonly model: string
      readonly value: number
    }
)

/** Whom a session continues. `fork` begins under `id` with what `from` knows, and with its totals. */
export type Start =
  | { readonly kind: 'new'; readonly id: string }
  | { readonly kind: 'resume'; readonly id: string }
  | { readonly kind: 'fork'; readonly from: string; readonly id: string }

export type PermissionMode =
  | 'default'
  | 'manual'
  | 'acceptEdits'
  | 'auto'
  | 'bypassPermissions'
  | 'dontAsk'
  | 'plan'

/** What a session is to be, before any CLI's spelling of it. */
export type Order = {
  readonly terminal: boolean
  readonly start: Start
  readonly cwd: string
  readonly permissionMode: PermissionMode
  readonly model?: string
  /** Replaces the CLI's own prompt / is appended to it. */
  readonly systemPrompt?: string
  readonly instructions?: string
  /** The role is another one than when the session began: what it was told then must not be replayed. */
  readonly switched?: boolean
  readonly maxTurns?: number
  /** Of this run, headless only; looked at after each answer. */
  readonly maxCostUsd?: number
  /** The tools offered; absent = all of the CLI's. */
  readonly tools?: readonly string[]
  readonly disallowed?: readonly string[]
  readonly ignoreProjectSettings?: boolean
  readonly jsonSchema?: string
  /** What the user wrote behind `--`. */
  readonly extra?: readonly string[]
  /** Headless only. */
  readonly prompt?: string

  readonly allow?: readonly string[]
  readonly deny?: readonly string[]
  /** As in the role file; checked before by `orderProblems`. */
  readonly hooks?: Readonly<Record<string, unknown>>
  readonly settings?: Readonly<Record<string, unknown>>

  readonly agent: { readonly name: string; readonly role?: string; readonly pod?: string }
  readonly paths: {
    readonly root: string
    readonly session: string
    readonly config: string
    readonly tmp: string
    readonly settings: string
    /** An existing login's directory, to be shared. */
    readonly login?: string
  }
  /** Where the session's keeper listens, and the program that carries hooks which cannot go by HTTP. */
  readonly keeper: {
    readonly hookUrl: string
    readonly telemetryUrl: string
    readonly hookToken: string
    /** Another one than the hook's: every command of the agent can read its environment. */
    readonly telemetryToken: string
    /** Shell words; the event's name is appended. */
    readonly hookCommand: string
  }
  /** How long a hook may be held open for a person's answer. */
  readonly holdSeconds: number
  readonly retries: number
  /** It tells of each request as it ends. A headless session prints all but that, and starts faster without. */
  readonly telemetry: boolean
  readonly asRoot: boolean

  readonly environment: {
    readonly caller: Readonly<Record<string, string>>
    /** `listed` = only what a sandboxed agent may see of the caller's. */
    readonly inherit: 'all' | 'listed'
    /** Login and credentials the agent may see. */
    readonly credentials?: Readonly<Record<string, string>>
    readonly task?: Readonly<Record<string, string>>
  }
  /** What the CLI's own state file holds now, where there is one. */
  readonly state?: unknown
}

/** One question to a model, which can change nothing. */
export type Question = {
  readonly model: string
  readonly system: string
  readonly prompt: string
  /** A JSON schema: the only form in which an answer counts. */
  readonly shape: string
  /** What it may read before it answers; `shell`: by commands too, of which only those run that change nothing. */
  readonly reads?: { readonly directory: string; readonly shell: boolean } | undefined
  readonly cwd: string
  /** Of this question alone. */
  readonly paths: { readonly config: string; readonly tmp: string }
  readonly caller: Readonly<Record<string, string>>
  readonly credentials: Readonly<Record<string, string>>
}

/** Exactly what a keeper does to start a session. */
export type Launch = {
  readonly argv: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** Written to the child's stdin, which is then closed; a terminal session has none. */
  readonly stdin?: string
  /** All 0600. `once`: to be removed when the session has reported. */
  readonly files: readonly { readonly path: string; readonly text: string; readonly once: boolean }[]
}
