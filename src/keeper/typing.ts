// Types messages into the session: each once, as a whole, and only into what its author has seen. A hook or a
// person's key that came meanwhile may have changed what an Enter means.
import { setTimeout as wait } from 'node:timers/promises'
import { fail } from '../base/error/fail.ts'
import type { Typist } from './listener.ts'
import type { Typing as Answer, Request, Step } from './schema.ts'
import type { Put } from './terminal.ts'

export type Typing = Typist & {
  stamp(): number
  type(request: Request & { do: 'type' }): Promise<Answer>
  /** Those of the keys under which something was begun. */
  begun(keys: readonly string[]): string[]
}

export type Surroundings = {
  readonly agent: string
  /** Hooks without an answer. */
  readonly waiting: () => number
  /** The number of the launch that runs. */
  readonly launch: () => number | undefined
  turn<T>(length: number, use: (put: Put) => Promise<T>): Promise<T>
}

const mostKeys = 10_000
/** For a program that does not read; and for the turn, should others wait for such a program already. */
const patience = 20_000

const bytesOf = (step: Step): Buffer | undefined =>
  'base64' in step ? Buffer.from(step.base64, 'base64') : undefined

const lengthOf = (steps: readonly Step[]): number =>
  steps.reduce((sum, step) => sum + (bytesOf(step)?.length ?? 0), 0)

const pausesOf = (steps: readonly Step[]): number =>
  steps.reduce((sum, step) => sum + ('pause' in step ? step.pause : 0), 0)

export const openTyping = ({ agent, waiting, launch, turn }: Surroundings): Typing => {
  const keys = new Set<string>()
  let stamp = 0
  let active = 0
  const listeners: (() => void)[] = []

  const remember = (key: string): void => {
    keys.add(key)
    const [oldest] = keys
    if (keys.size > mostKeys && oldest !== undefined) keys.delete(oldest)
  }

  const perform = async (steps: readonly Step[], put: Put): Promise<void> => {
    const begun = launch()
    const over = AbortSignal.timeout(patience + pausesOf(steps))
    for (const step of steps) {
      const bytes = bytesOf(step)
      const taken = bytes === undefined || (await put(bytes, over))
      if ('pause' in step) await wait(step.pause)
      if (launch() !== begun) fail('typing_stopped', { agent, why: 'it ended meanwhile' })
      if (!taken) fail('typing_stopped', { agent, why: 'the program in its terminal does not read' })
    }
  }

  const alone = async (work: () => Promise<void>): Promise<void> => {
    active += 1
    try {
      await work()
    } finally {
      active -= 1
      for (const hear of active === 0 ? listeners.splice(0) : []) hear()
    }
  }

  const type: Typing['type'] = async ({ key, stamp: seen, steps }) => {
    const answer = (typed: Answer['typed']): Answer => ({ typed, stamp, hooksWaiting: waiting() })
    const hindrance = (): 'before' | 'refused' | undefined => {
      if (keys.has(key)) return 'before'
      return seen !== stamp || waiting() > 0 || launch() === undefined ? 'refused' : undefined
    }
    const early = hindrance()
    if (early !== undefined) return answer(early)
    return new Promise((resolve, reject) => {
      let late = false
      const timer = setTimeout(() => {
        late = true
        resolve(answer('refused'))
      }, patience)
      turn(lengthOf(steps), async (put) => {
        clearTimeout(timer)
        // What came while it waited for its turn counts as well.
        const hindered = late ? 'refused' : hindrance()
        if (hindered !== undefined) return answer(hindered)
        // Before the first byte: whatever happens from here on, it is not typed again.
        remember(key)
        await alone(() => perform(steps, put))
        return answer('now')
      })
        .then(resolve, reject)
        .finally(() => clearTimeout(timer))
    })
  }

  return {
    stamp: () => stamp,
    moved: () => {
      stamp += 1
    },
    quiet: async () => {
      while (active > 0) await new Promise<void>((resolve) => listeners.push(resolve))
    },
    type,
    begun: (wanted) => wanted.filter((key) => keys.has(key)),
  }
}
