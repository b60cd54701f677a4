// Who may work on a tree, and who on the worktrees of a repository: locks that the kernel frees.
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { constants, existsSync } from 'node:fs'
import { type FileHandle, mkdir, open } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { fail } from '../base/error/fail.ts'
import { takeLock } from '../store/lock.ts'
import type { PlaceOf } from './rules.ts'

export const patience = 120

/** Again until it gives something. Uneven on purpose: those who wait in step would meet again. */
const until = async <T>(what: string, take: () => Promise<T | undefined>): Promise<T> => {
  for (const end = performance.now() + patience * 1000; performance.now() < end; ) {
    const taken = await take()
    if (taken !== undefined) return taken
    await sleep(5 + Math.random() * 20)
  }
  return fail('worktree_busy', { what, seconds: patience })
}

const holding = async <T>(file: string, what: string, work: () => Promise<T>): Promise<T> => {
  const lock = await until(what, () => takeLock(file))
  try {
    return await work()
  } finally {
    lock.release()
  }
}

/** Nobody has it open for reading. */
const deserted = async (fifo: string): Promise<true | undefined> => {
  try {
    await (await open(fifo, constants.O_WRONLY | constants.O_NONBLOCK)).close()
    return undefined
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENXIO') return true
    throw error
  }
}

/** Git goes on when we are killed, and the lock is then free: so each git we start keeps this FIFO open, and
 * the next holder waits until nobody does. */
const openAlive = async (fifo: string, what: string): Promise<FileHandle> => {
  if (!existsSync(fifo)) await promisify(execFile)('mkfifo', ['-m', '600', fifo])
  await until(what, () => deserted(fifo))
  return open(fifo, constants.O_RDONLY | constants.O_NONBLOCK)
}

/** Alone with the tree of one agent, whatever repository it is of. */
export const withAgent = async <T>(
  { own, lock, alive }: PlaceOf,
  agent: string,
  work: (alive: number) => Promise<T>,
): Promise<T> => {
  await mkdir(own, { recursive: true, mode: 0o700 })
  const what = `the worktree of "${agent}"`
  return holding(lock, what, async () => {
    const handle = await openAlive(alive, what)
    try {
      return await work(handle.fd)
    } finally {
      await handle.close()
    }
  })
}

/** Alone among the agencies of this root with the list of worktrees of a repository: git itself does not
 * guard it. */
export const withRepository = async <T>(
  { repositories }: PlaceOf,
  common: string,
  work: () => Promise<T>,
): Promise<T> => {
  await mkdir(repositories, { recursive: true, mode: 0o700 })
  const key = createHash('sha256').update(common).digest('hex').slice(0, 32)
  return holding(`${repositories}/${key}.lock`, `the repository ${common}`, work)
}
