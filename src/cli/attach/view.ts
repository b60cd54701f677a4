// A look at a session's output: what was printed before, then what comes.
import type { Found } from '../../keeper/find.ts'
import { type Attached, type Over, reachKeeper, type View } from '../../keeper/reach.ts'
import type { Exit, Status, Stream } from '../../keeper/schema.ts'

export type Look = {
  readonly view: Attached
  readonly stream: Stream
  /** Everything that is kept from before. */
  readonly before: readonly Buffer[]
  /** Gives what comes, until the view is over, and then how. A session that had ended by then is over at once. */
  pump(live: (bytes: Buffer) => void): Promise<Over>
  close(): void
}

export const streamOf = ({ output }: Pick<Status, 'output'>): Stream =>
  output.terminal === undefined ? 'stdout' : 'terminal'

/** The first `length` bytes, and the beginning of what follows. */
const split = async (pieces: AsyncIterator<Buffer>, length: number): Promise<[Buffer[], Buffer[]]> => {
  const before: Buffer[] = []
  for (let left = length; left > 0; ) {
    const { value, done } = await pieces.next()
    if (done) break
    before.push(value.subarray(0, left))
    if (value.length > left) return [before, [value.subarray(left)]]
    left -= value.length
  }
  return [before, []]
}

export const openLook = async (
  found: Found,
  from: 0 | 'end',
  window: Pick<View, 'size' | 'full'> = {},
): Promise<Look> => {
  const keeper = await reachKeeper(found)
  let view: Attached | undefined
  let closed = false
  const close = (): void => {
    closed = true
    view?.close()
    keeper.close()
  }
  try {
    const stream = streamOf(await keeper.status())
    view = await keeper.attach({ stream, from, ...window })
    // Asked after the attachment: of an end before it nobody else will tell.
    const { output, state, exit } = await keeper.status()
    const ended: Exit | undefined = state === 'ended' && exit !== null ? exit : undefined
    const pieces = view.output[Symbol.asyncIterator]()
    const [before, first] = await split(pieces, (output[stream]?.to ?? 0) - view.from)
    const { over } = view
    const pump = async (live: (bytes: Buffer) => void): Promise<Over> => {
      for (const piece of first) live(piece)
      if (ended !== undefined) return { kind: 'ended', exit: ended }
      for (let next = await pieces.next(); !next.done && !closed; next = await pieces.next()) live(next.value)
      return over
    }
    return { view, stream, before, pump, close }
  } catch (error) {
    close()
    throw error
  }
}
