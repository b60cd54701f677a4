// The line to a session's keeper, taken up again when it breaks; and how the session ended, once.
import { setTimeout as wait } from 'node:timers/promises'
import { alive } from '../base/process/identity.ts'
import { readCard, readExit } from '../keeper/find.ts'
import { members } from '../keeper/members.ts'
import { type Keeper, reachKeeper } from '../keeper/reach.ts'
import type { Typed } from '../keeper/schema.ts'
import { thaw } from '../sandbox/frozen.ts'
import type { Ended } from './rules.ts'

export type Bond = {
  readonly keeper: () => Keeper
  /** How it ended is known already: no more is told. */
  settle(): void
  /** The host goes; the keeper stays. */
  leave(): void
}

export type BondOptions = {
  readonly ended: (how: Ended) => void
  /** A person at the terminal. */
  readonly typed: (key: Typed) => void
}

const longestPause = 2_000
/** How long what a killed keeper leaves may take to die. */
const patience = 10_000

/** A killed keeper's session is killed too, but a moment later; until then it may still write. */
export const silence = async (directory: string): Promise<void> => {
  const card = await readCard(directory)
  if (card === undefined) return
  for (const late = performance.now() + patience; performance.now() < late; await wait(50))
    if (members({ cookie: card.cookie, except: [] }).length === 0) return
}

/** How a session ended whose keeper is gone: what it left says so, or nothing does. */
export const endingIn = async (directory: string): Promise<Ended> => {
  const exit = await readExit(directory)
  if (exit === undefined) await silence(directory)
  // Its walls fell with it. What they left in a tree and cannot be taken away now, the next start tries again.
  await thaw(directory).catch(() => {})
  return exit === undefined ? { how: 'lost' } : { how: 'exited', exit }
}

export const bondOf = (first: Keeper, { ended, typed }: BondOptions): Bond => {
  const { found } = first
  let keeper = first
  let over = false

  const end = (how: Ended): void => {
    if (!over) ended(how)
    over = true
  }

  /** It may have ended while the line was down. */
  const look = async (): Promise<void> => {
    const { state, exit } = await keeper.status()
    if (state === 'ended' && exit !== null) end({ how: 'exited', exit })
  }

  const again = async (): Promise<void> => {
    for (let pause = 50; !over && alive(found); pause = Math.min(pause * 2, longestPause)) {
      try {
        keeper = await reachKeeper(found)
        listen()
        return await look()
      } catch {
        // Busy or just going: whether it lives decides, and is asked again.
        await wait(pause, undefined, { ref: false })
      }
    }
    if (!over) end(await endingIn(found.directory))
  }

  const listen = (): void => {
    keeper.onEnded((exit) => end({ how: 'exited', exit }))
    keeper.onTyped(typed)
    keeper.onClosed(() => {
      if (!over) void again()
    })
  }
  listen()

  return {
    keeper: () => keeper,
    settle: () => {
      over = true
    },
    leave: () => {
      over = true
      keeper.close()
    },
  }
}
