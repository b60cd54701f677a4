// What the host is to be told without an answer: telemetry, and hooks that nobody waits for any more. While the
// host is away it is held, within bounds: the oldest telemetry goes first, and is counted.
import { setTimeout as wait } from 'node:timers/promises'
import { post } from './post.ts'
import { stopping, waitFor } from './stop.ts'

export type Letter = { readonly path: '/telemetry' | '/hook'; readonly body: string }
export type Outbox = {
  put(letter: Letter): void
  dropped(): number
  /** Gives what is held a last moment. */
  close(): Promise<void>
}

const farewell = 1_000
const bounds = { bytes: 2 * 1024 * 1024, letters: 4096 }

export const openOutbox = (host: string): Outbox => {
  let letters: Letter[] = []
  let held = 0
  let dropped = 0
  let busy = false
  let sending = Promise.resolve()
  const end = stopping()

  const drop = (index: number): void => {
    const [letter] = letters.splice(index, 1)
    held -= letter?.body.length ?? 0
    if (letter?.path === '/telemetry') dropped += 1
  }

  const bound = (): void => {
    while (held > bounds.bytes || letters.length > bounds.letters) {
      const index = letters.findIndex(({ path }) => path === '/telemetry')
      drop(index === -1 ? 0 : index)
    }
  }

  /** 503 = it is still starting. Any other answer is one: what it does not want is not sent again. */
  const taken = async (letter: Letter): Promise<boolean> => {
    const answer = await post(host, letter.path, letter.body, end)
    return answer.kind === 'heard' && answer.status !== 503
  }

  const send = async (): Promise<void> => {
    busy = true
    for (let pause = 50; letters.length > 0 && !end.stopped(); ) {
      const [letter] = letters as [Letter]
      if (await taken(letter)) {
        pause = 50
        // It may have been dropped meanwhile.
        if (letters[0] === letter) {
          letters = letters.slice(1)
          held -= letter.body.length
        }
      } else {
        await waitFor(pause, end)
        pause = Math.min(pause * 2, 5_000)
      }
    }
    busy = false
  }

  return {
    put: (letter) => {
      letters.push(letter)
      held += letter.body.length
      bound()
      if (!busy) sending = send()
    },
    dropped: () => dropped,
    close: async () => {
      await Promise.race([sending, wait(farewell)])
      end.stop()
    },
  }
}
