// Which agents do not answer: the host may know a state that nobody keeps any more.
import { connect } from 'node:net'
import { type Found, findKeepers } from '../../keeper/find.ts'

/** All are asked at once, so this is also how long the answer takes at most. */
export const patience = 3000

/** A keeper greets whoever comes; one that is stopped, or busy beyond measure, does not. */
const answers = ({ socket }: Found): Promise<boolean> =>
  new Promise((resolve) => {
    const line = connect(socket)
    const settle = (so: boolean): void => {
      clearTimeout(timer)
      line.destroy()
      resolve(so)
    }
    const timer = setTimeout(() => settle(false), patience)
    line.once('data', () => settle(true))
    // One that has just ended is not silent: the host says what became of it.
    line.once('error', () => settle(true))
    line.once('close', () => settle(true))
  })

/** Their names. */
export const silentAgents = async (root: string): Promise<ReadonlySet<string>> => {
  const keepers = await findKeepers(root)
  const heard = await Promise.all(keepers.map(answers))
  return new Set(keepers.filter((_, at) => !heard[at]).map(({ agent }) => agent))
}
