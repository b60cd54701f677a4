// Counts what an attempt uses by what it prints. A host that comes later reads all of it again: so each answer is known
// by its id, and what is told is always all since the attempt began.
import type { Meter } from '../../budget/meter.ts'
import type { StreamEvent } from '../../driver/schema.ts'

export type Tally = {
  hear(event: StreamEvent): void
  /** Whether the answer that made this call is counted. */
  knows(call: string): boolean
  /** Of all that it has printed; the answer that it prints now is told whole only in the result. */
  tokens(): number
}

export const tallyOf = (meter: Pick<Meter, 'since'>): Tally => {
  const answers = new Map<string, number>()
  const calls = new Set<string>()
  let tokens = 0
  return {
    hear: (event) => {
      if (event.kind === 'called') calls.add(event.call.id)
      if (event.kind !== 'answered') return
      const { input, output, cacheRead, cacheWrite } = event.usage
      const before = answers.get(event.id) ?? 0
      const now = Math.max(before, input + output + cacheRead + cacheWrite)
      if (answers.has(event.id) && now === before) return
      answers.set(event.id, now)
      tokens += now - before
      meter.since({ turns: answers.size, tokens })
    },
    knows: (call) => calls.has(call),
    tokens: () => tokens,
  }
}
