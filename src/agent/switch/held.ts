// The keeper of a session while its role is switched: it outlives both processes.
import { fail } from '../../base/error/fail.ts'
import { findKeeper } from '../../keeper/find.ts'
import { type Keeper, reachKeeper } from '../../keeper/reach.ts'
import type { Status } from '../../keeper/schema.ts'
import { dismiss } from '../../session/dismiss.ts'
import type { Kept } from '../../session/switch/rules.ts'

/** A keeper as the rules see it. */
export const keptOf = ({ state, launches }: Pick<Status, 'state' | 'launches'>): Kept => ({
  keeper: state === 'running' || state === 'ending' ? 'running' : 'ended',
  launches,
})

export const withKeeper = async <T>(directory: string, use: (keeper: Keeper) => Promise<T>): Promise<T> => {
  const found = (await findKeeper(directory)) ?? fail('internal', { what: 'its keeper is gone' })
  // Of its own: an older keeper hangs up on what it does not know.
  const keeper = await reachKeeper(found)
  try {
    return await use(keeper)
  } finally {
    keeper.close()
  }
}

/** Where nothing is launched any more it would keep the place of the next session. */
export const letGo = (directory: string): Promise<void> =>
  withKeeper(directory, async (keeper) => void (await dismiss(keeper, 0))).catch(() => {
    // It is gone already.
  })

/** Fails where it lives and cannot be asked: that is not known to be gone. */
export const keptAt = async (directory: string): Promise<Kept> =>
  (await findKeeper(directory)) === undefined
    ? { keeper: 'gone', launches: 0 }
    : keptOf(await withKeeper(directory, (keeper) => keeper.status()))
