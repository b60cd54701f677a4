// A message in words.
import type { MessageEntry } from '../../../message/api.ts'

const lives: Readonly<Record<MessageEntry['life'], string>> = {
  queued: 'is stored and waits',
  sent: 'was typed; nothing has confirmed it yet',
  accepted: 'was taken, and is queued behind the running turn',
  started: 'is in a turn',
  ended: 'was read; its turn has ended',
  failed: 'failed',
  withdrawn: 'was taken back',
}

/** How far it has come, in a sentence. */
export const progress = ({ id, life, reason, waits }: MessageEntry): string => {
  const why = reason ?? waits
  return `Message ${id} ${lives[life]}${why === undefined ? '' : `: ${why}`}.`
}

const failed = ({ life, reason }: MessageEntry): boolean =>
  life === 'failed' || life === 'withdrawn' || (life === 'ended' && reason !== undefined)

/** What somebody who waited for it is told; `response` is the message that closes it. */
export const outcome = (message: MessageEntry, response?: MessageEntry) => {
  const said = response?.text ?? message.answer
  return {
    data: { message, ...(response !== undefined && { response }) },
    lines: failed(message) || said === undefined ? [progress(message), ...(said ? [said] : [])] : [said],
    exit: failed(message) ? (1 as const) : (0 as const),
  }
}
