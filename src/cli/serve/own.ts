// A host in this process, if no other runs for the root. What is brought to it is all that it runs.
import { EventEmitter } from 'node:events'
import { runHost } from '../../host/main.ts'
import type { Io } from '../io.ts'

export type Own = {
  /** Its agents stay with their keepers. Resolves with its exit code. */
  finish(): Promise<number>
  /** It has ended, whoever told it to. */
  over(): boolean
}

/** undefined = another host was there. */
export const ownHost = async (root: string, { signals }: Io): Promise<Own | undefined> => {
  // The signals of this process are for what is served; the host is told when that has ended.
  const told = new EventEmitter()
  const mistaken = (error: unknown): void => void told.emit('uncaughtException', error)
  signals.on('uncaughtException', mistaken)
  let up = (): void => {}
  const ready = new Promise<true>((resolve) => {
    up = () => resolve(true)
  })
  let over = false
  const code = runHost(root, { signals: told, bare: true, yielding: true, ready: up }).finally(() => {
    over = true
    signals.off('uncaughtException', mistaken)
  })
  if ((await Promise.race([ready, code])) !== true) return undefined
  return {
    finish: () => {
      told.emit('SIGTERM', 'SIGTERM')
      return code
    },
    over: () => over,
  }
}
