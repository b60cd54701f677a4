export type Parting = {
  readonly parent: string
  /** Where the parent worked, and where the fork does. */
  readonly before: string
  readonly now: string
  /** Of the parent; absent = it has none any more. */
  readonly tree?: { readonly commit?: string | undefined; readonly changes: number } | undefined
  /** Where a tree of the fork would begin without one of the parent; absent = it has no tree of its own. */
  readonly otherwise?: string | undefined
}

/** What a person who forks should know. */
export const forkWarnings = ({ parent, before, now, tree, otherwise }: Parting): readonly string[] => {
  if (otherwise === undefined)
    return before === now ? [`both work in the same directory: ${now}`] : [`it works in ${now}`]
  const named = `what was said names files below ${before}; the fork works in ${now}`
  if (tree?.commit === undefined)
    return [`the worktree of "${parent}" is gone: the fork begins at ${otherwise}`, named]
  const { commit, changes } = tree
  const files = `${changes} ${changes === 1 ? 'file' : 'files'}`
  const stay = changes === 1 ? 'stays' : 'stay'
  const kept = `${files} of "${parent}" not committed ${stay} with it: the fork begins at ${commit.slice(0, 12)}`
  return [...(changes > 0 ? [kept] : []), named]
}
