// The keeper of an attempt, opened while the rest is prepared. It has no child before the attempt is stored.
import { randomBytes } from 'node:crypto'
import { rm } from 'node:fs/promises'
import type { Driver } from '../../driver/driver.ts'
import type { Order } from '../../driver/schema.ts'
import { findKeeper } from '../../keeper/find.ts'
import { type Keeper, reachKeeper } from '../../keeper/reach.ts'
import type { Spares } from '../../keeper/spare.ts'
import { dismiss } from '../../session/dismiss.ts'
import { silence } from '../bond.ts'

export type Opened = {
  readonly keeper: Keeper
  readonly tokens: Pick<Order['keeper'], 'hookToken' | 'telemetryToken'>
}

export type Opening = {
  readonly keeper: Promise<Opened>
  /** Ends it, with whatever it has launched, and empties its directory. Never fails, and may be asked again. */
  undo(): Promise<void>
}

export type OpeningOptions = {
  readonly agent: string
  readonly session: string
  /** Of the attempt. */
  readonly directory: string
  readonly driver: Driver
  /** How long a hook is held for people. */
  readonly holdSeconds: number
  readonly spares: Spares
  /** The host's unix socket. */
  readonly host: string
}

const launchDeadline = 120_000

const secret = (): string => randomBytes(32).toString('hex')
const remove = (directory: string): Promise<void> =>
  rm(directory, { recursive: true, force: true, maxRetries: 5 })

/** What an attempt of this number left that never began: its keeper may still wait for its launch. */
const clear = async (directory: string): Promise<void> => {
  const found = await findKeeper(directory)
  if (found !== undefined) await dismiss(await reachKeeper(found), 0)
  await remove(directory)
}

/** Resolves when its directory is empty and the keeper on its way. */
export const openKeeper = async (options: OpeningOptions): Promise<Opening> => {
  const { agent, session, directory, driver, spares, host } = options
  await clear(directory)
  const tokens = { hookToken: secret(), telemetryToken: secret() }
  const opened = spares.open({
    agent,
    session,
    directory,
    terminal: null,
    host,
    ...tokens,
    hooks: driver.hookPolicy(options.holdSeconds),
    launchDeadline,
  })
  const keeper = opened.then((one) => ({ keeper: one, tokens }))
  // Heard by whoever starts the attempt, perhaps only after it has failed.
  keeper.catch(() => {})
  const end = async (): Promise<void> => {
    const found = await opened.catch(() => undefined)
    if (found !== undefined)
      await dismiss(found, 0).catch(async (error) => {
        await silence(directory)
        throw error
      })
    await remove(directory)
  }
  let undone: Promise<void> | undefined
  return {
    keeper,
    undo: () => {
      // What stays is taken away by the next attempt, or by the next host.
      undone ??= end().catch(() => {})
      return undone
    },
  }
}
