/** More than this is refused unread: no tool call of a session needs it, and checking it would take too long. */
const limit = 16 * 1024 * 1024
/** Claude Code writes its input at once; whoever is slower never will. */
const patienceMs = 5000

export type Input = { text: string } | { problem: string }

/** Everything on stdin. What is too much is still drained, so that the writer is not broken off. */
export const readAll = (stream: NodeJS.ReadableStream, deadlineMs: number): Promise<Input> =>
  new Promise((resolve) => {
    let pieces: Buffer[] = []
    let size = 0
    const large = { problem: `the hook input is larger than ${limit / 1024 / 1024} MB` }
    const timer = setTimeout(
      () => resolve(size > limit ? large : { problem: 'the hook input did not end' }),
      Math.min(patienceMs, deadlineMs),
    )
    const end = (input: Input): void => {
      clearTimeout(timer)
      resolve(input)
    }
    stream.on('data', (piece: Buffer) => {
      size += piece.length
      if (size > limit) pieces = []
      else pieces.push(piece)
    })
    stream.on('error', () => end({ problem: 'the hook input could not be read' }))
    stream.on('end', () => {
      if (size > limit) return end(large)
      const bytes = Buffer.concat(pieces)
      const text = bytes.toString('utf8')
      // Bad bytes were replaced on the way in, so they do not come back the same.
      end(
        Buffer.from(text, 'utf8').equals(bytes) ? { text } : { problem: 'the hook input is not valid UTF-8' },
      )
    })
  })
