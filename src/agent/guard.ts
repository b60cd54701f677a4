// Holds an agent to its budget at each of its calls. What its model has used is told a moment after the call that came
// of it: near a limit the call waits for that, so that nothing is used which a look too early would have let pass.
import type { Meter } from '../budget/meter.ts'
import { opinionOf, usedUp } from '../budget/told/rules.ts'
import type { Opinion } from '../permission/decide/schema.ts'

export type Guard = {
  /** Of a call. */
  opinion(call: string): Promise<Opinion | undefined>
  /** Of a prompt: why it may not begin. */
  limit(): string | undefined
  /** An answer was counted; `false` = something that is none. */
  heard(answer?: boolean): void
}

export type GuardOptions = {
  readonly meter: Pick<Meter, 'reached' | 'couldReach' | 'countsAnswers'>
  /** Whether the answer that made this call is counted; absent = nobody can tell. */
  readonly isCounted?: ((call: string) => boolean) | undefined
  readonly now: () => number
  /** How long telling may take, in milliseconds. */
  readonly patience?: number
}

/** Telemetry is sent twice a second; on a machine with too much to do it comes late. */
const usual = 5_000
/** So many calls, and so long, without a word of what they used: then nobody counts. */
const silence = { calls: 20, ms: 30_000 }

const unheard: Opinion = {
  layer: 'budget',
  verdict: 'deny',
  rule: 'telemetry',
  reason: 'it has a budget, and its program has stopped telling what it uses; a person can launch it again',
}

export const guardOf = ({ meter, isCounted, now, patience = usual }: GuardOptions): Guard => {
  const waiting = new Set<() => void>()
  /** When there were calls whose answers are not counted, as far as is known: each may be of another one. */
  let recent: number[] = []

  const heardNext = (): Promise<void> =>
    new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(late)
        waiting.delete(done)
        resolve()
      }
      const late = setTimeout(done, patience)
      waiting.add(done)
    })

  /** Calls since anything was counted. Fails closed: a limit that nobody can see is one that is reached. */
  let silent = { calls: 0, since: 0 }
  const isSilent = (): boolean =>
    isCounted === undefined &&
    meter.countsAnswers() &&
    silent.calls > silence.calls &&
    now() - silent.since > silence.ms

  const isSettled = (call: string): boolean => meter.reached() !== undefined || isCounted?.(call) === true

  const opinion: Guard['opinion'] = async (call) => {
    const at = now()
    // They stand in their order: every call passes here, and there may be thousands.
    const old = recent.findIndex((one) => at - one < 2 * patience)
    if (old !== 0) recent = old === -1 ? [] : recent.slice(old)
    recent.push(at)
    silent = { calls: silent.calls + 1, since: silent.calls === 0 ? at : silent.since }
    const late = at + patience
    while (!isSettled(call) && (meter.couldReach(recent.length) || isSilent()) && now() < late)
      await heardNext()
    const reached = meter.reached()
    if (reached !== undefined) return opinionOf(reached)
    return isSilent() ? unheard : undefined
  }

  return {
    opinion,
    limit: () => {
      const reached = meter.reached()
      return reached && usedUp(reached)
    },
    heard: (answer = true) => {
      silent = { calls: 0, since: 0 }
      // They are told in their order.
      if (answer) recent = recent.slice(1)
      for (const done of [...waiting]) done()
    },
  }
}
