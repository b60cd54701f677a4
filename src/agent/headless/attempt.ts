// One attempt while it runs: started now, or met again by a host that came later; and what it came to.
import { rm } from 'node:fs/promises'
import { setTimeout as wait } from 'node:timers/promises'
import type { Log } from '../../base/log/open.ts'
import type { Driver } from '../../driver/driver.ts'
import { findKeeper, readExit } from '../../keeper/find.ts'
import { type Keeper, reachKeeper } from '../../keeper/reach.ts'
import { dismiss, release } from '../../session/dismiss.ts'
import { removeRead } from '../../session/files.ts'
import type { Ending } from '../../task/attempt/rules.ts'
import { endingIn } from '../bond.ts'
import type { Ended } from '../rules.ts'
import { type Ear, type EarOptions, earOf } from './ear.ts'
import { follow, readErrors, readSpool } from './follow.ts'
import { type Starting, startAttempt } from './start.ts'

/** `lost`: its process is gone, and nothing tells how it ended. */
export type Came = { readonly ending: Ending } | { readonly lost: string }

export type Attempt = {
  readonly ear: Ear
  readonly came: Promise<Came>
  /** TERM, `grace` milliseconds, KILL; what it came to is told by `came`. */
  stop(grace: number): void
  /** The host goes; its keeper stays. */
  leave(): void
  /** What it came to is stored: nothing is left to be kept. */
  done(): Promise<void>
}

export type AttemptOptions = Omit<EarOptions, 'escaped'> & {
  /** Takes its keeper for another attempt, if it can. */
  readonly reuse: (keeper: Keeper) => Promise<boolean>
  readonly driver: Driver
  readonly log: Log
}

const grace = 5_000
const lastWords = 300

const judged = async (
  ended: Ended,
  ear: Ear,
  { directory, driver }: AttemptOptions,
  fled: string | undefined,
): Promise<Came> => {
  if (ended.how === 'lost') return { lost: 'its keeper was killed, and its process with it' }
  const { code, signal, left } = ended.exit
  const outcome = driver.judge(ear.decisive(), { code, signal, stderr: await readErrors(directory) })
  const orphans = (left ?? []).map(({ pid, command }) => ({ pid, command }))
  const ending: Ending = { outcome, exit: { code, signal }, said: ear.said(), left: orphans }
  if (fled === undefined) return { ending }
  // It may have acted unseen: whatever it says, it is not completed.
  const { turns, denials } = outcome
  const message = `it was stopped because it was unsupervised: ${fled}`
  return { ending: { ...ending, outcome: { ok: false, class: 'fatal', message, turns, denials } } }
}

const attend = (keeper: Keeper, options: AttemptOptions): Attempt => {
  const { log, agent } = options
  let fled: string | undefined
  let over = false
  const ear = earOf({
    ...options,
    escaped: (why) => {
      fled = why
      log.error('an attempt is unsupervised and is stopped', { agent, why })
      void stop(grace)
    },
  })
  const followed = follow(keeper, ear.line)
  const free = async (whom: Keeper): Promise<void> => {
    if (!(await options.reuse(whom))) await release(whom)
  }
  const stop = async (patience: number): Promise<void> => {
    while (!over)
      try {
        await followed.bond.keeper().end(patience)
        return
      } catch {
        // The line broke: the bond takes it up again, or tells how it ended.
        await wait(200, undefined, { ref: false })
      }
  }
  const came = followed.ended.then((ended) => {
    over = true
    ear.close()
    return judged(ended, ear, options, fled)
  })
  return {
    ear,
    came,
    stop: (patience) => void stop(patience),
    leave: () => {
      over = true
      ear.close()
      followed.leave()
    },
    done: async () => {
      followed.bond.settle()
      // What the CLI sent while it ended is still on its way through the keeper.
      await wait(lastWords)
      const keeper = followed.bond.keeper()
      await free(keeper).catch((error: Error) =>
        log.warn('a keeper could not be released', { agent, reason: error.message }),
      )
      await rm(options.directory, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

/** undefined = it was wished away before it was stored. */
export const beginAttempt = async (
  options: AttemptOptions,
  starting: Omit<Starting, 'watch' | 'driver' | 'directory'>,
  /** Told before its process starts. */
  began: (attempt: Attempt) => void,
): Promise<Attempt | undefined> => {
  let attempt: Attempt | undefined
  const watch = (keeper: Keeper): void => {
    attempt = attend(keeper, options)
    began(attempt)
  }
  try {
    const started = await startAttempt({ ...starting, ...options, watch })
    if (started === undefined) return undefined
    const begun = attempt as Attempt | undefined
    // They hold the secret of its hooks, and it has read them.
    const forget = (): void =>
      void removeRead(started.files).catch((error: Error) =>
        options.log.warn('settings that were read are still there', {
          agent: options.agent,
          reason: error.message,
        }),
      )
    void begun?.ear.reported.then(forget, forget)
    return begun as Attempt
  } catch (error) {
    attempt?.leave()
    throw error
  }
}

/** What a host finds of an attempt that another one has begun; undefined = its process is gone and told nothing. */
export const meetAttempt = async (options: AttemptOptions): Promise<Attempt | Came> => {
  const { directory } = options
  const found = await findKeeper(directory)
  if (found !== undefined) {
    const keeper = await reachKeeper(found)
    const { launches } = await keeper.status()
    if (launches > 0) return attend(keeper, options)
    await dismiss(keeper, 0)
    return { lost: 'it was not started yet' }
  }
  const exit = await readExit(directory)
  if (exit === undefined) {
    await endingIn(directory)
    return { lost: 'its keeper was killed, and its process with it' }
  }
  let fled: string | undefined
  const escaped = (why: string): void => {
    fled = why
  }
  const ear = earOf({ ...options, escaped })
  await readSpool(directory, ear.line)
  ear.close()
  return judged({ how: 'exited', exit }, ear, options, fled)
}
