import type { MessageEntry } from '../../message/api.ts'
import type { Outcome } from '../command/schema.ts'
import type { Call } from '../io.ts'
import { askMessage, askUntil } from './ask.ts'
import { outcome, progress } from './told/rules.ts'

/** Waits for the end of its turn, or for the response where one is expected. */
export const awaited = async (call: Call, root: string, sent: MessageEntry): Promise<Outcome> => {
  const { id, expects } = sent
  call.progress(`${progress(sent)} Ctrl-C leaves it; \`agency message show ${id} --wait\` returns.`)
  call.leavable({
    data: { message: sent, left: true },
    line: `Message ${id} goes its way. \`agency message show ${id} --wait\` returns to it.`,
  })
  const message = await askUntil(root, call, id, expects === undefined ? 'settled' : 'response')
  const closed = message.expects?.closedBy
  return outcome(message, closed === undefined ? undefined : await askMessage(root, call, closed))
}
