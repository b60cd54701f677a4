// Ends a session with its keeper, and says so only when both are gone.
import { setTimeout as wait } from 'node:timers/promises'
import { failure } from '../base/error/fail.ts'
import { alive, type Identity } from '../base/process/identity.ts'
import type { Keeper } from '../keeper/reach.ts'
import type { Exit } from '../keeper/schema.ts'

const patience = 20_000
/** What the CLI sent while it ended is still on its way through the keeper. */
const lastWords = 300

const untilGone = async (whom: Identity, agent: string): Promise<void> => {
  for (const late = performance.now() + patience; alive(whom); await wait(10))
    if (performance.now() > late) throw failure('keeper_gone', { agent, why: 'it was released and stays' })
}

/** Lets the keeper of an ended session go. */
export const release = async (keeper: Keeper): Promise<void> => {
  await wait(lastWords)
  await keeper.release()
  await untilGone(keeper.found, keeper.found.agent)
  keeper.close()
}

/** TERM, `grace` milliseconds, KILL. null = it was never launched. */
export const dismiss = async (keeper: Keeper, grace: number): Promise<Exit | null> => {
  const exit = await keeper.end(grace)
  await release(keeper)
  return exit
}
