import { alive } from '../../base/process/identity.ts'
import type { Client } from '../../client/call.ts'
import { requireConfig } from '../../config/load.ts'
import { isOver } from '../../registry/rules.ts'
import type { Call } from '../io.ts'
import { liveHost } from '../trace/find.ts'
import { askShutdown, componentsOf } from './ask.ts'
import { until } from './wait.ts'

/** Beyond the time that work may still take: for what must be closed and recorded. */
const margin = 30

export const patienceOf = async (root: string, { io }: Call): Promise<number> =>
  (await requireConfig(root, io.env)).host.drain_seconds

/** What has not ended yet, by id: only of that it can be said later that it has. */
export const livingIds = async (client: Client): Promise<ReadonlySet<string>> =>
  new Set((await componentsOf(client)).filter(({ state }) => !isOver(state)).map(({ id }) => id))

/** Ends the host, and says so only when its process is gone. */
export const endHost = async (call: Call, root: string, client: Client, all: boolean) => {
  const whom = liveHost(root)
  const living = await livingIds(client)
  const timeout_seconds = await patienceOf(root, call)
  const { components, drain_timeout } = await askShutdown(client, { timeout_seconds, ...(all && { all }) })
  call.progress(`waiting up to ${drain_timeout} s for work to finish …`)
  const what = `the host (pid ${whom?.pid ?? 'unknown'})`
  await until(() => whom === undefined || !alive(whom), call, {
    seconds: drain_timeout + margin,
    what: () => what,
  })
  return { pid: whom?.pid, components: components.filter((id) => living.has(id)) }
}

/** Waits until these components have nothing left to end. */
export const untilOver = async (
  call: Call,
  client: Client,
  ids: readonly string[],
  seconds: number,
): Promise<void> => {
  let left: readonly string[] = ids
  const over = async (): Promise<boolean> => {
    const living = await livingIds(client)
    left = ids.filter((id) => living.has(id))
    return left.length === 0
  }
  await until(over, call, { seconds: seconds + margin, what: () => left.join(', ') })
}
