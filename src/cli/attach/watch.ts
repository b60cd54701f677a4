// What the host says of an agent, as often as it changes. Without a host the agent goes on, and so does this.
import { setTimeout as wait } from 'node:timers/promises'
import type { AgentEntry, agents } from '../../agent/api.ts'
import { hostSocket } from '../../client/address.ts'
import { type Client, call, open, settle } from '../../client/call.ts'
import { route } from '../../client/route.ts'
import { blocks } from '../../client/sse.ts'
import type { Facts } from './bar/rules.ts'

const list = route<typeof agents.list>('GET', '/agents')

/** A burst of events is one change. */
const together = 200
/** Time in a state and cost change without an event. */
const atLeast = 5_000
const again = 1_000

const factsOf = ({ role, text, needs_you, cost_usd }: AgentEntry): Facts => ({
  role,
  state: text,
  needsYou: needs_you,
  costUsd: cost_usd,
})

type Tell = (facts: Facts | undefined) => void

const ask = async (client: Client, agent: string, signal: AbortSignal): Promise<Facts> => {
  const found = (await call(client, list, {}, signal)).agents.find(({ name }) => name === agent)
  return found === undefined ? { state: 'unknown to the host' } : factsOf(found)
}

/** Returns when the stream of events has ended: the host is going. */
const follow = async (client: Client, agent: string, tell: Tell, signal: AbortSignal): Promise<void> => {
  const response = await open(client, { method: 'GET', path: '/events', signal })
  if (response.statusCode !== 200) return void (await settle(response))
  let changed = (): void => {}
  let over = false
  const reading = (async () => {
    try {
      for await (const _ of blocks(response)) changed()
    } finally {
      over = true
      changed()
    }
  })()
  // Its failure is the end of the stream, told below.
  reading.catch(() => {})
  while (!over && !signal.aborted) {
    tell(await ask(client, agent, signal))
    const pause = new AbortController()
    await Promise.race([
      new Promise<void>((resolve) => {
        changed = resolve
      }),
      wait(atLeast, undefined, { signal: pause.signal }),
    ])
    pause.abort()
    await wait(together, undefined, { signal })
  }
}

/** Until `signal`. Never throws: whoever only wants to see the terminal is not bothered. */
export const watch = async (root: string, agent: string, tell: Tell, signal: AbortSignal): Promise<void> => {
  const client = { socket: (await hostSocket(root)).path }
  while (!signal.aborted) {
    // No host, one that is going, or one that is too old to be asked: all the same to whoever looks.
    await follow(client, agent, tell, signal).catch(() => {})
    if (signal.aborted) return
    tell(undefined)
    // Cut short by the end, which the loop then sees.
    await wait(again, undefined, { signal }).catch(() => {})
  }
}
