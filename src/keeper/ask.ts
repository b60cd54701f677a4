// Puts a hook to the host until it is answered, always under the same id: a host that was killed and came back
// recognizes it. When the time is over the answer is a refusal.
import { post } from './post.ts'
import { type Heard, heardOf } from './rules.ts'
import { type Stop, stopping, waitFor } from './stop.ts'

export type Question = {
  readonly host: string
  readonly body: string
  readonly deadline: number
  /** The CLI has gone away from its hook. */
  readonly gone: Stop
}

export type Asked = {
  readonly heard: Exclude<Heard, { kind: 'again' }> | { readonly kind: 'late' } | { readonly kind: 'gone' }
  /** The host knows of this hook. */
  readonly known: boolean
}

const shortest = 25
const longest = 1_000

export const ask = async ({ host, body, deadline, gone }: Question): Promise<Asked> => {
  const over = stopping()
  const timer = setTimeout(over.stop, deadline)
  if (gone.stopped()) over.stop()
  else gone.on(over.stop)
  let known = false
  try {
    for (let pause = shortest; !over.stopped(); pause = Math.min(pause * 2, longest)) {
      const answer = await post(host, '/hook', body, over)
      if (answer.kind === 'away') known ||= answer.sent
      else {
        known = true
        const heard = heardOf(answer.status, answer.text)
        if (heard.kind !== 'again') return { heard, known }
      }
      await waitFor(pause, over)
    }
    return { heard: { kind: gone.stopped() ? 'gone' : 'late' }, known }
  } finally {
    clearTimeout(timer)
    gone.off(over.stop)
  }
}
