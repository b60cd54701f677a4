import { setTimeout as pause } from 'node:timers/promises'

export const demand: (holds: boolean, sentence: string) => asserts holds = (holds, sentence) => {
  if (!holds) throw new Error(sentence)
}

/** Generous: a busy machine is no failure. A hang is still one. */
const patience = 90_000

/** Looks again and again until `look` has nothing to complain about; then what it last said is the failure. */
export const settled = async (
  look: () => Promise<string | undefined> | string | undefined,
  every = 50,
  patienceMs = patience,
): Promise<void> => {
  for (const late = performance.now() + patienceMs; ; await pause(every)) {
    const complaint = await look()
    if (complaint === undefined) return
    demand(performance.now() < late, complaint)
  }
}
