/** As many hooks as a keeper can have open at once, and some. */
const most = 1_000

/** Keeps the latest: an agent cannot fill our memory. */
export const remember = <K, V>(memory: Map<K, V>, key: K, value: V): void => {
  memory.set(key, value)
  const [oldest] = memory.size > most ? memory.keys() : []
  if (oldest !== undefined) memory.delete(oldest)
}
