import fc from 'fast-check'
import { expect, test } from 'vitest'
import { bytesFrame, frameReader, jsonFrame, longestFrame } from './frame.ts'

type Said = { readonly json: unknown } | { readonly bytes: string }
const said = fc.oneof(
  fc.record({ json: fc.jsonValue() }),
  fc.record({ bytes: fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes).toString('hex')) }),
)
const encode = (one: Said): Buffer => {
  if ('json' in one) return jsonFrame(one.json)
  const { room, seal } = bytesFrame(100)
  return seal(room.write(one.bytes, 'hex'))
}

test('frames come out as they went in, wherever the stream is cut', () => {
  fc.assert(
    fc.property(fc.array(said), fc.infiniteStream(fc.integer({ min: 1, max: 9 })), (all, cuts) => {
      const heard: Said[] = []
      const feed = frameReader({
        json: (json) => heard.push({ json }),
        bytes: (bytes) => heard.push({ bytes: bytes.toString('hex') }),
      })
      const stream = Buffer.concat(all.map(encode))
      for (let at = 0; at < stream.length; ) {
        const next = at + (cuts.next().value as number)
        feed(stream.subarray(at, next))
        at = next
      }
      expect(JSON.stringify(heard)).toBe(JSON.stringify(all))
    }),
  )
})

test('what is no frame is refused before it is held', () => {
  const feed = () => frameReader({ json: () => {}, bytes: () => {} })
  const huge = Buffer.alloc(5)
  huge.writeUInt32BE(longestFrame + 1)
  expect(() => feed()(huge)).toThrow('a frame of')
  expect(() => feed()(Buffer.from([0, 0, 0, 0, 7]))).toThrow('kind 7')
  expect(() => feed()(Buffer.from('\0\0\0\u0001\0{'))).toThrow()
})
