import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formsOf, mask, shortest } from '../rules.ts'
import { type Masker, maskerOf } from './rules.ts'

/** Through one buffer, as a pipe is read: what was given is gone with the next piece. */
const run = (masker: Masker, bytes: Uint8Array, cuts: readonly number[]): Buffer => {
  const room = Buffer.alloc(bytes.length + 1)
  const told: Buffer[] = []
  const ends = [...new Set(cuts.map((cut) => cut % (bytes.length + 1))), bytes.length].sort((a, b) => a - b)
  let from = 0
  for (const to of ends) {
    room.fill(0x58)
    room.set(bytes.subarray(from, to))
    told.push(Buffer.from(masker.push(room.subarray(0, to - from))))
    from = to
  }
  return Buffer.concat([...told, masker.end()])
}

const unit = fc.constantFrom('a', 'b', '/', '"', 'é', '\n')
const secret = fc.string({ unit, minLength: shortest, maxLength: 14 })
const secrets = fc.array(secret, { minLength: 1, maxLength: 3 })
const scene = secrets.chain((values) => {
  const forms = values.flatMap(formsOf)
  const piece = fc.oneof(
    fc.string({ unit, maxLength: 6 }),
    forms.length === 0 ? fc.constant('') : fc.constantFrom(...forms),
    forms.length === 0 ? fc.constant('') : fc.constantFrom(...forms).map((form) => form.slice(0, -1)),
  )
  return fc.record({
    values: fc.constant(values),
    text: fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join('')),
    cuts: fc.array(fc.nat(), { maxLength: 30 }),
  })
})

test('however it is cut, the same comes out, and no spelling in it', () => {
  fc.assert(
    fc.property(scene, ({ values, text, cuts }) => {
      const bytes = Buffer.from(text)
      const whole = run(maskerOf(values), bytes, [])
      expect(run(maskerOf(values), bytes, cuts)).toEqual(whole)
      expect(values.flatMap(formsOf).filter((form) => whole.includes(form))).toEqual([])
    }),
    { numRuns: 400 },
  )
})

test('byte by byte it says what is said of a whole text', () => {
  fc.assert(
    fc.property(scene, ({ values, text }) => {
      // With an end that begins no secret: what is cut off there is masked too.
      const bytes = Buffer.from(`${text}.`)
      const every = Array.from(bytes, (_, index) => index)
      expect(run(maskerOf(values), bytes, every).toString()).toBe(mask(`${text}.`, values))
    }),
    { numRuns: 400 },
  )
})

test('bytes without a secret come out as they are, also where they are no text', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), fc.array(fc.nat()), (bytes, cuts) => {
      const values = ['a-secret-nobody-says', '\u00ff\u00fe another one']
      expect(run(maskerOf(values), bytes, cuts)).toEqual(Buffer.from(bytes))
    }),
  )
})

test('what cannot become a secret is told at once, the rest as soon as that is sure', () => {
  const masker = maskerOf(['abcdefgh'])
  const said = (text: string): string => Buffer.from(masker.push(Buffer.from(text))).toString()
  expect(said('a line\n')).toBe('a line\n')
  expect(said('xabcdefg')).toBe('x')
  expect(said('-')).toBe('abcdefg-')
  expect(said('abcdefg')).toBe('')
  expect(said('habcdefghabc')).toBe('[redacted]')
  expect(said('!')).toBe('abc!')
  expect(Buffer.from(masker.end())).toEqual(Buffer.alloc(0))
})

test('at the end the beginning of a secret is masked, unless it is so short that it says nothing', () => {
  const long = maskerOf(['abcdefghijklmnop'])
  expect(Buffer.from(long.push(Buffer.from('x abcdefgh'))).toString()).toBe('x ')
  expect(Buffer.from(long.end()).toString()).toBe('[redacted]')
  const short = maskerOf(['abcdefghijklmnop'])
  short.push(Buffer.from('x abcdefg'))
  expect(Buffer.from(short.end()).toString()).toBe('abcdefg')
})

test('it holds back less than the longest spelling', () => {
  const value = 'aaaaaaaaaaaaaaab'
  const longest = Math.max(...formsOf(value).map((form) => form.length))
  const masker = maskerOf([value])
  let [given, told] = [0, 0]
  for (let round = 0; round < 100; round += 1) {
    told += masker.push(Buffer.from('a')).length
    given += 1
    expect(given - told).toBeLessThan(longest)
  }
})

test('without secrets nothing is copied', () => {
  const bytes = Buffer.from('text')
  expect(maskerOf([]).push(bytes)).toBe(bytes)
  expect(maskerOf(['short']).push(bytes)).toBe(bytes)
})
