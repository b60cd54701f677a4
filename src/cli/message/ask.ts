// The questions this command line has about messages.
import type { BodyOf } from '../../base/contract/schema.ts'
import { call } from '../../client/call.ts'
import { route } from '../../client/route.ts'
import type { MessageEntry, messages } from '../../message/api.ts'
import { hostFor, hostUp } from '../agent/ask.ts'
import type { Call } from '../io.ts'
import { throughLoss } from '../patience.ts'

const send = route<typeof messages.send>('POST', '/messages')
const list = route<typeof messages.list>('GET', '/messages')
const show = route<typeof messages.show>('GET', '/messages/:id')
const withdraw = route<typeof messages.withdraw>('POST', '/messages/:id/withdraw')

export type Far = 'settled' | 'response'

/** Under its id it is the same message, so it is sent again whatever became of the host that it was sent to. */
export const askSend = (
  root: string,
  line: Call,
  body: BodyOf<typeof messages.send> & { id: string },
): Promise<MessageEntry> => throughLoss(async () => call(await hostFor(root, line), send, { body }))

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
  const look = async (): Promise<MessageEntry> =>
    call(await hostFor(root, line), show, { params: { id }, query: { for: far, seconds: '30' } })
  for (;;) {
    const message = await throughLoss(look, Number.POSITIVE_INFINITY)
    if (isThere(message, far)) return message
  }
}
