import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { type Output, openScrollback, openSpool, readScrollback } from './output.ts'

const place = (): string => {
  const directory = mkdtempSync(join(tmpdir(), 'agency-output-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }))
  return directory
}

const all = (output: Output, step: number): string => {
  const { from, to } = output.extent()
  const pieces: Buffer[] = []
  for (let at = from; at < to; ) {
    const room = Buffer.alloc(step)
    const length = output.read(at, room)
    expect(length).toBeGreaterThan(0)
    pieces.push(room.subarray(0, length))
    at += length
  }
  return Buffer.concat(pieces).toString('latin1')
}

test('the scrollback is the end of what was printed, bounded, whole, and the same for whoever reads the files', () => {
  const directory = join(place(), 'scrollback')
  const limits = { segment: 16, keep: 3 }
  const piece = fc.string({ unit: 'binary-ascii', maxLength: 60 })
  fc.assert(
    fc.property(fc.array(piece), fc.integer({ min: 1, max: 40 }), (pieces, step) => {
      const output = openScrollback(directory, limits)
      for (const text of pieces) output.append(Buffer.from(text, 'latin1'))
      const printed = pieces.join('')
      const { from, to, dropped } = output.extent()
      expect([to, dropped]).toEqual([printed.length, 0])
      expect(to - from).toBeLessThanOrEqual(limits.segment * (limits.keep + 1))
      expect(to - from).toBeGreaterThanOrEqual(Math.min(printed.length, limits.segment * limits.keep))
      expect(all(output, step)).toBe(printed.slice(from))
      expect(readScrollback(directory).toString('latin1')).toBe(printed.slice(from))
      expect(readdirSync(directory).length).toBeLessThanOrEqual(limits.keep + 1)
      expect(output.read(to, Buffer.alloc(10))).toBe(0)
      output.close()
    }),
    { numRuns: 60 },
  )
})

test('no scrollback is an empty one', () => expect(readScrollback('/no/such/place').length).toBe(0))

test('a spool keeps the beginning and counts the rest; another keeper goes on where it ends', () => {
  const file = join(place(), 'stdout')
  const first = openSpool(file, 10)
  first.append(Buffer.from('123456'))
  first.close()
  const output = openSpool(file, 10)
  output.append(Buffer.from('7890abc'))
  output.append(Buffer.from('def'))
  expect(output.extent()).toEqual({ from: 0, to: 10, dropped: 6 })
  expect(all(output, 3)).toBe('1234567890')
  expect(statSync(file).mode & 0o777).toBe(0o600)
  output.close()
})

test('what the disk does not take is counted, and the printing goes on', () => {
  const full = openSpool('/dev/full', 1000)
  full.append(Buffer.from('lost'))
  expect(full.extent()).toEqual({ from: 0, to: 0, dropped: 4 })
  full.close()

  const directory = place()
  const output = openScrollback(directory, { segment: 4, keep: 2 })
  output.append(Buffer.from('1234'))
  rmSync(directory, { recursive: true, maxRetries: 20, retryDelay: 100 })
  output.append(Buffer.from('56'))
  expect(output.extent()).toEqual({ from: 0, to: 4, dropped: 2 })
  output.close()
})
