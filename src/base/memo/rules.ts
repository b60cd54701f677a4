/** As many as the rules of many roles have. */
const most = 1_000
/** Nobody can fill our memory with it. */
const longest = 4_096

/** The same function, that makes the same value once; of too many the oldest is forgotten. */
export const remembered = <T>(make: (text: string) => T): ((text: string) => T) => {
  const known = new Map<string, T>()
  return (text) => {
    const before = known.get(text)
    if (before !== undefined) return before
    const value = make(text)
    if (text.length > longest) return value
    known.set(text, value)
    const [oldest] = known.size > most ? known.keys() : []
    if (oldest !== undefined) known.delete(oldest)
    return value
  }
}
