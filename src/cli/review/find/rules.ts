// Which session somebody means.

export type Known = {
  readonly session: string
  readonly agent?: string | undefined
  /** When it was touched last. */
  readonly at: number
}
export type Chosen<K> = { readonly one: K } | { readonly many: readonly K[] } | undefined

/** Fewer characters would mean another session tomorrow. */
const shortest = 4

/** By its whole name, by its agent (the latest), or by how it begins, in this order. */
export const choose = <K extends Known>(known: readonly K[], which: string): Chosen<K> => {
  const exact = known.find(({ session }) => session === which)
  if (exact !== undefined) return { one: exact }
  const [latest] = known.filter(({ agent }) => agent === which).sort((a, b) => b.at - a.at)
  if (latest !== undefined) return { one: latest }
  const begun = which.length < shortest ? [] : known.filter(({ session }) => session.startsWith(which))
  const [first] = begun
  if (first === undefined) return undefined
  return begun.length === 1 ? { one: first } : { many: begun }
}
