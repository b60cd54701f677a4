// Chance that can be repeated: the same seed gives the same faults at the same places.
export type Chance = {
  /** A whole number from 0 up to, not including, `limit`. */
  below(limit: number): number
  between(low: number, high: number): number
  pick<T>(choices: readonly T[]): T
}

export const chance = (seed: number): Chance => {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (limit: number): number => Math.floor(next() * limit)
  return {
    below,
    between: (low, high) => low + below(high - low + 1),
    pick: <T>(choices: readonly T[]): T => {
      const choice = choices[below(choices.length)]
      if (choice === undefined) throw new Error('nothing to pick from')
      return choice
    },
  }
}
