/** A subagent as Claude Code names it. */
export type Subagent = { readonly id: string; readonly type: string }

type At = { readonly session: string; readonly cwd: string; readonly subagent?: Subagent }

/** What the gate has to know of a hook event, and no more. */
export type Event = At &
  (
    | { readonly kind: 'started'; readonly source: string }
    | { readonly kind: 'prompted'; readonly text: string; readonly person: boolean }
    | { readonly kind: 'asked'; readonly id: string; readonly tool: string; readonly input: unknown }
    | { readonly kind: 'done'; readonly id: string; readonly tool: string; readonly ok: boolean }
    | { readonly kind: 'spawned' }
    | { readonly kind: 'left' }
    /** `background`: a reviewer works behind the turn. */
    | { readonly kind: 'stopped'; readonly again: boolean; readonly background: boolean }
    | { readonly kind: 'ended'; readonly reason: string }
  )
