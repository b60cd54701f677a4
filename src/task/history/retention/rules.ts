// Which tasks are kept no longer. Only those that are over come into question; how many of them each agent keeps is
// looked at whenever one ends, by the book.

export type Past = { readonly id: string; readonly ended?: number | undefined }

const day = 86_400_000

export const tooOld = (tasks: readonly Past[], days: number | undefined, now: number): readonly string[] =>
  days === undefined
    ? []
    : tasks.filter(({ ended }) => ended !== undefined && ended < now - days * day).map(({ id }) => id)

/** The oldest that have files go until the rest fits. What others take counts, but they stay. */
export const tooMuch = (
  tasks: () => readonly Past[],
  sizes: ReadonlyMap<string, number>,
  limit: number,
): readonly string[] => {
  let total = [...sizes.values()].reduce((sum, size) => sum + size, 0)
  if (total <= limit) return []
  const heavy = tasks().filter(({ id, ended }) => ended !== undefined && (sizes.get(id) ?? 0) > 0)
  const gone: string[] = []
  for (const { id } of [...heavy].sort((one, other) => (one.ended ?? 0) - (other.ended ?? 0))) {
    if (total <= limit) break
    total -= sizes.get(id) ?? 0
    gone.push(id)
  }
  return gone
}
