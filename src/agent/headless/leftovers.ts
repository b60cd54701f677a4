// What attempts have left that are over: their host was killed before it could let their keepers go.
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Log } from '../../base/log/open.ts'
import { layout } from '../../config/layout/rules.ts'
import { findKeeper } from '../../keeper/find.ts'
import { reachKeeper } from '../../keeper/reach.ts'
import { dismiss } from '../../session/dismiss.ts'
import { taskId } from '../../task/schema.ts'

const isAttempt = (name: string): boolean => {
  const [, task] = /^(.+)\.\d+$/.exec(name) ?? []
  return taskId.safeParse(task).success
}

/** All but `kept` are ended and removed. */
export const clearAttempts = async (
  root: string,
  agent: string,
  kept: string | undefined,
  log: Log,
): Promise<void> => {
  const place = layout(root).session(agent)
  const names = (await readdir(place).catch(() => [])).filter(isAttempt)
  for (const directory of names.map((name) => join(place, name)).filter((one) => one !== kept))
    try {
      const found = await findKeeper(directory)
      if (found !== undefined) await dismiss(await reachKeeper(found), 0)
      await rm(directory, { recursive: true, force: true, maxRetries: 5 })
    } catch (error) {
      log.warn('what an attempt left is still there', { agent, directory, reason: (error as Error).message })
    }
}
