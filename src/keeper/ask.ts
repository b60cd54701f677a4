// Puts a hook to the host until it is answered, always under the same id: a host that was killed and came back
// recognizes it. When the time is over the answer is a refusal.
import { setTimeout as wait } from 'node:timers/promises'
import { post } from './post.ts'
import { type Heard, heardOf } from './rules.ts'

export type Question = {
  readonly host: string
  readonly body: string
  readonly deadline: number
  /** The CLI has gone away from its hook. */
  readonly gone: AbortSignal
}

export type Asked = {
  readonly heard: Exclude<Heard, { kind: 'again' }> | { readonly kind: 'late' } | { readonly kind: 'gone' }
  /** The host knows of this hook. */
  readonly known: boolean
}

const shortest = 25
const longest = 1_000

export const ask = async ({ host, body, deadline, gone }: Question): Promise<Asked> => {
  const end = new AbortController()
  const over = end.signal
  const timer = setTimeout(() => end.abort(), deadline)
  const leave = (): void => end.abort()
  // Not `AbortSignal.any`, which costs as much as the rest of the question.
  if (gone.aborted) leave()
  else gone.addEventListener('abort', leave, { once: true })
  let known = false
  try {
    for (let pause = shortest; !over.aborted; pause = Math.min(pause * 2, longest)) {
      const answer = await post(host, '/hook', body, over)
      if (answer.kind === 'away') known ||= answer.sent
      else {
        known = true
        const heard = heardOf(answer.status, answer.text)
        if (heard.kind !== 'again') return { heard, known }
      }
      // Cut short by the end of the time, which the loop then sees.
      await wait(pause, undefined, { signal: over }).catch(() => {})
    }
    return { heard: { kind: gone.aborted ? 'gone' : 'late' }, known }
  } finally {
    clearTimeout(timer)
    gone.removeEventListener('abort', leave)
  }
}
