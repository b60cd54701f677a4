import { createHash, randomBytes } from 'node:crypto'

export const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex')

/** The same key of the same agent is the same id, for every host. */
export const idOf = (agent: string, key: string | undefined, now: number): string =>
  key === undefined
    ? `task-${now.toString(36)}${randomBytes(6).toString('hex')}`
    : `task-${digestOf(`${agent}\n${key}`).slice(0, 24)}`
