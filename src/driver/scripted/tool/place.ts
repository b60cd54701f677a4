type Json = Record<string, unknown>

/** Where a tool runs, and what the session has seen there. */
export type Place = {
  cwd: string
  env: NodeJS.ProcessEnv
  session: string
  read: Set<string>
  signal: AbortSignal
}

/** `content` is what the model reads, `response` what hooks are told. */
export type Outcome = { ok: boolean; content: string; response?: Json; aborted?: boolean }
