// Counts what an attempt uses by what it prints. A host that comes later reads all of it again: so each answer is known
// by its id, and what is told is always all since the attempt began. What an answer wrote is printed only with the
// result: where tokens have a limit its telemetry tells them with each answer, and whichever knows of more is believed.
import type { Meter } from '../../budget/meter.ts'
import type { StreamEvent, Usage } from '../../driver/schema.ts'

export type Tally = {
  hear(event: StreamEvent): void
  /** One request, by telemetry. */
  told(usage: Usage): void
  /** Whether the answer that made this call is counted. */
  knows(call: string): boolean
  /** Of all that it has printed; the answer that it prints now is told whole only in the result. */
  tokens(): number
}

const sum = ({ input, output, cacheRead, cacheWrite }: Omit<Usage, 'costUsd'>): number =>
  input + output + cacheRead + cacheWrite

export const tallyOf = (meter: Pick<Meter, 'since' | 'counted'>): Tally => {
  const answers = new Map<string, number>()
  const calls = new Set<string>()
  let tokens = 0
  let requested: number | undefined
  /** What the host before was told is not told again; nor known, where it printed more. */
  const before = (): number => {
    const counted = meter.counted().tokens
    return counted > tokens ? counted : 0
  }
  const all = (): number => Math.max(tokens, requested ?? 0)
  const count = (): void => meter.since({ turns: answers.size, tokens: all() })
  return {
    hear: (event) => {
      if (event.kind === 'called') calls.add(event.call.id)
      if (event.kind !== 'answered') return
      const known = answers.get(event.id) ?? 0
      const now = Math.max(known, sum(event.usage))
      if (answers.has(event.id) && now === known) return
      answers.set(event.id, now)
      tokens += now - known
      count()
    },
    told: (usage) => {
      requested = (requested ?? before()) + sum(usage)
      count()
    },
    knows: (call) => calls.has(call),
    tokens: all,
  }
}
