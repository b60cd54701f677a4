// Ends everything a session has left behind, and says what it could not end.
import { setTimeout as wait } from 'node:timers/promises'
import { alive, type Identity } from '../base/process/identity.ts'
import { type Belonging, members, named } from './members.ts'
import type { Survivor } from './schema.ts'

const send = (whom: readonly Identity[], signal: NodeJS.Signals): void => {
  for (const one of whom) {
    try {
      // Looked at again right before: a pid that changed hands is never signalled.
      if (alive(one)) process.kill(one.pid, signal)
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      // It ended first, or belongs to another user: then it is named at the end.
      if (code !== 'ESRCH' && code !== 'EPERM') throw error
    }
  }
}

/** Time for what was told to end, before it is killed; and for what was killed, before it is named. */
const patience = { term: 1_000, kill: 5_000 }

export const sweep = async (first: readonly Identity[], belonging: Belonging): Promise<Survivor[]> => {
  let left = first
  send(left, 'SIGTERM')
  const began = performance.now()
  for (let pause = 5; left.length > 0; pause = Math.min(pause * 2, 200)) {
    await wait(pause)
    left = members({ ...belonging, known: left })
    const spent = performance.now() - began
    // Again and again: who forks faster than one round is caught by the next.
    if (spent > patience.term) send(left, 'SIGKILL')
    if (spent > patience.term + patience.kill) break
  }
  return left.map(named)
}
