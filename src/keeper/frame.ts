// The frames of the control socket: four bytes of length, one of kind, then JSON or plain output.

const kinds = { json: 0, bytes: 1 } as const
const head = 5

/** No launch needs more; whoever sends it speaks something else. */
export const longestFrame = 32 * 1024 * 1024

const seal = (frame: Buffer, kind: number, length: number): Buffer => {
  frame.writeUInt32BE(length, 0)
  frame.writeUInt8(kind, 4)
  return frame.subarray(0, head + length)
}

export const jsonFrame = (value: unknown): Buffer => {
  const payload = Buffer.from(JSON.stringify(value))
  const frame = Buffer.allocUnsafe(head + payload.length)
  frame.set(payload, head)
  return seal(frame, kinds.json, payload.length)
}

/** A frame of bytes to be filled and sent again and again: put them into `room`, then `seal` how many. */
export const bytesFrame = (size: number) => {
  const frame = Buffer.allocUnsafe(head + size)
  return { room: frame.subarray(head), seal: (length: number): Buffer => seal(frame, kinds.bytes, length) }
}

export type Reader = { readonly json: (value: unknown) => void; readonly bytes: (bytes: Buffer) => void }

/** Feed it what arrives, cut anywhere. Throws on what is no frame. */
export const frameReader = ({ json, bytes }: Reader): ((piece: Buffer) => void) => {
  let pieces: Buffer[] = []
  let held = 0

  const take = (): Buffer | undefined => {
    if (held < head) return undefined
    const start = pieces[0]
    // The head may be cut as well.
    if (start === undefined || start.length < head) pieces = [Buffer.concat(pieces)]
    const length = (pieces[0] as Buffer).readUInt32BE(0)
    if (length > longestFrame) throw new Error(`a frame of ${length} bytes`)
    if (held < head + length) return undefined
    const [whole] = pieces.length === 1 ? pieces : [Buffer.concat(pieces)]
    const rest = (whole as Buffer).subarray(head + length)
    pieces = rest.length > 0 ? [rest] : []
    held = rest.length
    return (whole as Buffer).subarray(4, head + length)
  }

  return (piece) => {
    pieces.push(piece)
    held += piece.length
    for (let next = take(); next !== undefined; next = take()) {
      const payload = next.subarray(1)
      if (next[0] === kinds.bytes) bytes(payload)
      else if (next[0] === kinds.json) json(JSON.parse(payload.toString('utf8')))
      else throw new Error(`a frame of kind ${next[0]}`)
    }
  }
}
