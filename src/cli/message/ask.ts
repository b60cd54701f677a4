// The questions this command line has about messages.
import { setTimeout as pause } from 'node:timers/promises'
import type { BodyOf } from '../../base/contract/schema.ts'
import { AgencyError } from '../../base/error/fail.ts'
import { type Client, call } from '../../client/call.ts'
import { route } from '../../client/route.ts'
import { reach } from '../../client/start.ts'
import type { MessageEntry, messages } from '../../message/api.ts'
import { hostFor } from '../agent/ask.ts'
import type { Call } from '../io.ts'

const send = route<typeof messages.send>('POST', '/messages')
const list = route<typeof messages.list>('GET', '/messages')
const show = route<typeof messages.show>('GET', '/messages/:id')
const withdraw = route<typeof messages.withdraw>('POST', '/messages/:id/withdraw')

/** Looking starts no host. */
const hostUp = (root: string, { progress }: Call): Promise<Client> =>
  reach(root, { say: progress, patience: 15_000 })

export type Far = 'settled' | 'response'

const isPassing = (error: unknown): boolean =>
  error instanceof AgencyError && /^(connection_lost|not_ready|draining)$/.test(error.code)

/** How long a host may take to come back. */
const patience = 30_000

/** Under its id it is the same message, so it is sent again whatever became of the host that it was sent to. */
export const askSend = async (
  root: string,
  line: Call,
  body: BodyOf<typeof messages.send> & { id: string },
): Promise<MessageEntry> => {
  for (const late = performance.now() + patience; ; await pause(200))
    try {
      return await call(await hostFor(root, line), send, { body })
    } catch (error) {
      if (!isPassing(error) || performance.now() > late) throw error
    }
}

export const askMessages = async (
  root: string,
  line: Call,
  query: { to?: string; open?: 'true' },
): Promise<readonly MessageEntry[]> => (await call(await hostUp(root, line), list, { query })).messages

export const askMessage = async (root: string, line: Call, id: string): Promise<MessageEntry> =>
  call(await hostUp(root, line), show, { params: { id } })

export const askWithdraw = async (root: string, line: Call, id: string): Promise<MessageEntry> =>
  call(await hostFor(root, line), withdraw, { params: { id } })

const isThere = ({ life, unsure, expects }: MessageEntry, far: Far): boolean => {
  if (life === 'failed' || life === 'withdrawn') return !unsure || far === 'response'
  return far === 'response' ? expects?.closedBy !== undefined : life === 'ended'
}

/** A host that is killed meanwhile is started again: the message is in the journal. */
export const askUntil = async (root: string, line: Call, id: string, far: Far): Promise<MessageEntry> => {
  for (;;) {
    try {
      const client = await hostFor(root, line)
      const message = await call(client, show, { params: { id }, query: { for: far, seconds: '30' } })
      if (isThere(message, far)) return message
    } catch (error) {
      if (!isPassing(error)) throw error
      await pause(200)
    }
  }
}
