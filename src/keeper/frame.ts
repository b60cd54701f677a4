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

export const frameOf = (bytes: Uint8Array): Buffer => {
  const frame = Buffer.allocUnsafe(head + bytes.length)
  frame.set(bytes, head)
  return seal(frame, kinds.bytes, bytes.length)
}

/** A frame of bytes to be filled and sent again and again: put them into `room`, then `seal` how many. */
export const bytesFrame = (size: number) => {
  const frame = Buffer.allocUnsafe(head + size)
  return { room: frame.subarray(head), seal: (length: number): Buffer => seal(frame, kinds.bytes, length) }
}

const lengthOf = (bytes: Buffer, at: number): number => {
  const length = bytes.readUInt32BE(at)
  if (length > longestFrame) throw new Error(`a frame of ${length} bytes`)
  return length
}

export type Reader = { readonly json: (value: unknown) => void; readonly bytes: (bytes: Buffer) => void }

/** Feed it what arrives, cut anywhere. Throws on what is no frame. */
export const frameReader = ({ json, bytes }: Reader): ((piece: Buffer) => void) => {
  let pieces: Buffer[] = []
  let held = 0

  const give = (kind: number | undefined, payload: Buffer): void => {
    if (kind === kinds.bytes) bytes(payload)
    else if (kind === kinds.json) json(JSON.parse(payload.toString('utf8')))
    else throw new Error(`a frame of kind ${kind}`)
  }

  /** What follows the frames that are whole. */
  const read = (all: Buffer): Buffer => {
    let at = 0
    while (all.length - at >= head) {
      const end = at + head + lengthOf(all, at)
      if (end > all.length) break
      give(all[at + 4], all.subarray(at + head, end))
      at = end
    }
    return all.subarray(at)
  }

  return (piece) => {
    pieces.push(piece)
    held += piece.length
    if (held < head) return
    // The head may be cut as well.
    if (pieces.length > 1 && (pieces[0] as Buffer).length < head) pieces = [Buffer.concat(pieces)]
    if (held < head + lengthOf(pieces[0] as Buffer, 0)) return
    const all = pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces)
    const rest = read(all)
    pieces = rest.length > 0 ? [rest] : []
    held = rest.length
  }
}
