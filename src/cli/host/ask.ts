// The questions this command line has for a host.
import { AgencyError } from '../../base/error/fail.ts'
import { type Client, call } from '../../client/call.ts'
import { type Reply, type Route, route } from '../../client/route.ts'
import { reach } from '../../client/start.ts'
import { findRoot } from '../../config/root/find.ts'
import type { component, host } from '../../host/api.ts'
import type { Call } from '../io.ts'
import { where } from '../root/where.ts'

export type Components = Reply<typeof host.components>['components']

const status = route<typeof host.status>('GET', '/status')
const components = route<typeof host.components>('GET', '/components')
const bring = route<typeof host.bring>('POST', '/components')
const shutdown = route<typeof host.shutdown>('POST', '/shutdown')
const shutdownOf = (id: string): Route<typeof component.shutdown> =>
  ({ method: 'POST', path: `/${id}/shutdown` }) as unknown as Route<typeof component.shutdown>

export const statusOf = (client: Client) => call(client, status, {})
export const componentsOf = async (client: Client): Promise<Components> =>
  (await call(client, components, {})).components
export const askShutdown = (
  client: Client,
  body: NonNullable<Parameters<typeof call<typeof host.shutdown>>[2]['body']>,
) => call(client, shutdown, { body })
type Patience = NonNullable<Parameters<typeof call<typeof component.shutdown>>[2]['body']>
export const askStop = (client: Client, id: string, patience: Patience) =>
  call(client, shutdownOf(id), { body: patience })
export const askBring = (client: Client, brought: Parameters<typeof call<typeof host.bring>>[2]['body']) =>
  call(client, bring, { body: brought })

export type Found = { readonly root: string; readonly client: Client | undefined }

/** The host if it is up. Looking never starts one: directors would begin to work because somebody looked. */
export const lookIn = async (root: string, { progress }: Call): Promise<Found> => {
  try {
    return { root, client: await reach(root, { say: progress, patience: 15_000 }) }
  } catch (error) {
    if (error instanceof AgencyError && error.code === 'host_absent') return { root, client: undefined }
    throw error
  }
}

export const lookFor = async (line: Call): Promise<Found> =>
  lookIn((await findRoot(where(line.io))).directory, line)
