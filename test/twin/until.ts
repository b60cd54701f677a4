// Waiting by looking again: a busy machine may be slow, so the deadline is generous and the only assertion.
import { setTimeout as sleep } from 'node:timers/promises'

export const deadline = 60_000

/** The first value that is neither undefined, null nor false. Fails with what `describe` saw last. */
export const until = async <T>(
  what: string,
  look: () => T | Promise<T>,
  describe: () => string = () => '',
  ms = deadline,
): Promise<Exclude<T, undefined | null | false>> => {
  const end = Date.now() + ms
  for (;;) {
    const found = await look()
    if (found !== undefined && found !== null && found !== false) {
      return found as Exclude<T, undefined | null | false>
    }
    if (Date.now() > end) throw new Error(`waited ${ms} ms for ${what}\n${describe()}`)
    await sleep(25)
  }
}
