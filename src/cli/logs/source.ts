// What an agent has printed, from wherever it is kept, made harmless.
import { readFile } from 'node:fs/promises'
import { placesOf } from '../../keeper/find.ts'
import { readScrollback } from '../../keeper/output.ts'
import { type Keeper, reachKeeper } from '../../keeper/reach.ts'
import type { Size, Status, Stream } from '../../keeper/schema.ts'
import { openFilter } from '../attach/filter/rules.ts'
import type { Place } from '../attach/find.ts'
import { emulate, historyLimit } from '../attach/paint.ts'
import { streamOf } from '../attach/view.ts'

export type Printed = { readonly stream: Stream; readonly bytes: Buffer; readonly size: Size | undefined }

const missing = (error: NodeJS.ErrnoException): Buffer => {
  if (error.code !== 'ENOENT') throw error
  return Buffer.alloc(0)
}

/** A segment may go while it is read; then there is another. */
const scrollbackOf = (directory: string): Buffer => {
  for (let tries = 0; tries < 5; tries += 1) {
    const bytes = readScrollback(directory)
    if (bytes.length > 0) return bytes
  }
  return Buffer.alloc(0)
}

export const statusOf = async ({ keeper }: Place): Promise<Status | undefined> => {
  if (keeper === undefined) return undefined
  let reached: Keeper | undefined
  try {
    reached = await reachKeeper(keeper)
    return await reached.status()
  } finally {
    reached?.close()
  }
}

export const printedBy = async (place: Place): Promise<Printed> => {
  const status = await statusOf(place)
  const { scrollback, stdout } = placesOf(place.directory)
  const shown = scrollbackOf(scrollback)
  const size = status?.size ?? undefined
  if (status === undefined ? shown.length > 0 : streamOf(status) === 'terminal')
    return { stream: 'terminal', bytes: shown, size }
  return { stream: 'stdout', bytes: await readFile(stdout).catch(missing), size }
}

/** Nothing left of it could keep an emulator busy, or asks it for anything. */
const harmless = (bytes: Buffer, size: Size): Buffer =>
  Buffer.from(openFilter(undefined, size).pass(bytes.toString('latin1')), 'latin1')

/** Of the session of an agent whose keeper, which knew, has gone. */
export const usualSize: Size = { columns: 80, rows: 24 }

const trimmed = (lines: readonly string[]): readonly string[] =>
  lines.slice(0, lines.findLastIndex((line) => line !== '') + 1)

/** As a terminal would show it, line by line: what was overwritten is not there. */
export const linesOf = async ({ stream, bytes, size = usualSize }: Printed): Promise<readonly string[]> => {
  if (stream !== 'terminal') return trimmed(bytes.toString('utf8').split(/\r?\n/))
  const { terminal, dispose } = await emulate(harmless(bytes, size), size, historyLimit(size))
  try {
    const { normal, alternate, active } = terminal.buffer
    const shown = active.type === 'alternate' ? [normal, alternate] : [normal]
    return shown.flatMap((buffer) => {
      const lines: string[] = []
      for (let at = 0; at < buffer.length; at += 1) {
        const line = buffer.getLine(at)
        const text = line?.translateToString(true) ?? ''
        // One line that did not fit into one row.
        if (line?.isWrapped && lines.length > 0) lines.push((lines.pop() ?? '') + text)
        else lines.push(text)
      }
      return trimmed(lines)
    })
  } finally {
    dispose()
  }
}
