// Reads what an attempt prints until it has ended, also across a line that breaks; and how it ended.
import { open } from 'node:fs/promises'
import { StringDecoder } from 'node:string_decoder'
import { setTimeout as wait } from 'node:timers/promises'
import { type Cut, nothing, split } from '../../driver/claude/stream/rules.ts'
import { placesOf } from '../../keeper/find.ts'
import type { Keeper } from '../../keeper/reach.ts'
import { type Bond, bondOf } from '../bond.ts'
import type { Ended } from '../rules.ts'

/** A line longer than this is no line of the protocol. */
const longestLine = 16 * 1024 * 1024
const stderrTail = 64 * 1024

/** Whole lines out of bytes, however they were cut. */
export const linesTo = (line: (cut: Cut) => void) => {
  const decoder = new StringDecoder('utf8')
  let rest = nothing
  const take = (text: string): void => {
    const found = split(rest, text, longestLine)
    rest = found.rest
    for (const one of found.lines) line(one)
  }
  return {
    push: (bytes: Buffer) => take(decoder.write(bytes)),
    /** The last one may lack its end. */
    end: () => {
      take(decoder.end())
      if (rest.text !== '' || rest.skipped > 0) take('\n')
    },
  }
}

export type Followed = {
  readonly bond: Bond
  /** All its output was read; how it ended. */
  readonly ended: Promise<Ended>
  /** The host goes. */
  leave(): void
}

const readFrom = async (file: string, from: number, push: (bytes: Buffer) => void): Promise<void> => {
  const handle = await open(file, 'r').catch(() => undefined)
  if (handle === undefined) return
  try {
    const piece = Buffer.allocUnsafe(256 * 1024)
    for (let at = from; ; ) {
      const { bytesRead } = await handle.read(piece, 0, piece.length, at)
      if (bytesRead === 0) return
      push(piece.subarray(0, bytesRead))
      at += bytesRead
    }
  } finally {
    await handle.close()
  }
}

/** Of one whose keeper is gone: what it left. */
export const readSpool = async (directory: string, line: (cut: Cut) => void): Promise<void> => {
  const lines = linesTo(line)
  await readFrom(placesOf(directory).stdout, 0, lines.push)
  lines.end()
}

export const readErrors = async (directory: string): Promise<string> => {
  const pieces: Buffer[] = []
  await readFrom(placesOf(directory).stderr, 0, (bytes) => {
    pieces.push(Buffer.from(bytes))
    while (pieces.length > 1 && pieces.reduce((size, one) => size + one.length, 0) > 2 * stderrTail)
      pieces.shift()
  })
  return Buffer.concat(pieces).subarray(-stderrTail).toString('utf8')
}

export const follow = (keeper: Keeper, line: (cut: Cut) => void): Followed => {
  const { directory } = keeper.found
  let gone = false
  let finish = (_: Ended): void => {}
  const over = new Promise<Ended>((resolve) => {
    finish = resolve
  })
  const bond = bondOf(keeper, { ended: (how) => finish(how), typed: () => {} })
  const lines = linesTo(line)
  let offset = 0
  const push = (bytes: Buffer): void => {
    offset += bytes.length
    lines.push(bytes)
  }

  /** How it ended, told behind all the output; undefined = the line broke before. */
  const view = async (): Promise<Ended | undefined> => {
    const attached = await bond.keeper().attach({ stream: 'stdout', from: offset })
    for await (const bytes of attached.output) push(bytes)
    const seen = await attached.over
    return seen.kind === 'ended' ? { how: 'exited', exit: seen.exit } : undefined
  }

  const read = async (): Promise<Ended> => {
    let ended: Ended | undefined
    void over.then((how) => {
      ended = how
    })
    while (!gone) {
      const whole = await view().catch(() => undefined)
      if (whole !== undefined) return whole
      // Its keeper is gone, or only the line broke: the bond finds out which.
      await Promise.race([over, wait(100, undefined, { ref: false })])
      if (ended === undefined) continue
      await readFrom(placesOf(directory).stdout, offset, push)
      return ended
    }
    return over
  }

  const ended = read().then((how) => {
    lines.end()
    return how
  })
  return {
    bond,
    ended,
    leave: () => {
      gone = true
      bond.leave()
    },
  }
}
