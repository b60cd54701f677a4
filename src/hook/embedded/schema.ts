export type Env = Readonly<Record<string, string | undefined>>

/** A subagent as Claude Code names it; undefined = the conversation itself. */
export type Speaker = { readonly id: string; readonly type: string } | undefined
