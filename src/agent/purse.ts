// What a terminal agent uses, and what becomes of it when that is too much: its calls and prompts are refused, its turn
// is ended, its task has failed.
import type { AgencyError } from '../base/error/fail.ts'
import { type Budgets, exceeded } from '../budget/book.ts'
import type { Meter } from '../budget/meter.ts'
import type { Line } from '../budget/rules.ts'
import { usedUp } from '../budget/told/rules.ts'
import { spent } from '../driver/claude/result/rules.ts'
import type { Session, Signal } from '../session/schema.ts'
import type { Tasks } from '../task/terminal.ts'
import { type Guard, guardOf } from './guard.ts'
import { type InterruptOptions, interruptOf } from './interrupt.ts'

export type PurseOptions = Omit<InterruptOptions, 'due'> & {
  readonly meter: Meter
  readonly budgets: Pick<Budgets, 'watch'>
  readonly tasks: () => Tasks
  /** Of one that nobody can interrupt. */
  readonly end: () => void
  readonly now: () => number
}

export type Purse = Guard & {
  /** Something has changed. */
  look(): void
  /** The session is about to hear this. */
  hear(signal: Signal): void
  /** It has. */
  follow(session: Session, before: Session): void
  worst(): Line | undefined
  /** Of a task. */
  refusal(): AgencyError | undefined
  over(): void
  close(): void
}

export const purseOf = (options: PurseOptions): Purse => {
  const { meter, session, tasks } = options
  let aside = false
  const guard = guardOf({ meter, now: options.now })
  const interrupt = interruptOf({ ...options, due: () => meter.reached() !== undefined })

  const look = (): void => {
    const reached = meter.reached()
    if (session().over !== undefined) return
    // What is raised may be used by what waits for an agent.
    if (reached === undefined) {
      tasks().look()
      return
    }
    if (!session().managed) options.end()
    tasks().exhaust(usedUp(reached))
    interrupt.look()
  }
  const forget = options.budgets.watch(look)

  return {
    ...guard,
    look,
    hear: (signal) => {
      const event = signal.from === 'telemetry' ? signal.event : undefined
      aside = event?.kind === 'requested' && event.aside === true
    },
    follow: ({ usage, turn }, before) => {
      if (usage !== before.usage) {
        const { input, output, cacheRead, cacheWrite, costUsd } = spent(usage, before.usage)
        meter.add({
          turns: aside ? 0 : 1,
          tokens: input + output + cacheRead + cacheWrite,
          cost_usd: costUsd,
        })
        guard.heard(!aside)
      }
      if (turn !== undefined && before.turn === undefined) look()
    },
    worst: meter.worst,
    refusal: () => {
      const reached = meter.reached()
      return reached && exceeded(reached)
    },
    over: () => meter.over(),
    close: () => {
      forget()
      interrupt.close()
    },
  }
}
