// The state of a tree as one hash, and what changed since another.

export type Kept = { readonly root: string; readonly session: string }

/** The hash that verdicts bind to. */
export type Snapshot = (where: Kept & { readonly tree: string }) => Promise<string>
/** What changed, as text of bounded length; without `from`, all of it. */
export type ChangesIn = (where: Kept, from: string | undefined, to: string) => Promise<string>
