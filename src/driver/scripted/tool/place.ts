// What tools are given and what they give back.
type Json = Record<string, unknown>

/** Where a tool runs. */
export type Place = {
  cwd: string
  env: NodeJS.ProcessEnv
  session: string
  signal: AbortSignal
}

/** `content` is what the model reads, `response` what hooks are told. */
export type Outcome = { ok: boolean; content: string; response?: Json; aborted?: boolean }
