import fc from 'fast-check'
import { expect, test } from 'vitest'
import { blocks } from './sse.ts'

const all = async (chunks: readonly (string | Buffer)[]) => {
  const found: unknown[] = []
  const stream = (async function* () {
    yield* chunks
  })()
  for await (const block of blocks(stream)) found.push(block)
  return found
}

test('blocks come out whole, however the bytes were cut', async () => {
  const text =
    ':\n\nid: 1\ndata: {"a":"é€😀"}\n\n: still there\n\nid: 2\ndata: x\ndata: y\n\nid: 3\ndata: cut of'
  const expected = [
    { id: '1', data: '{"a":"é€😀"}' },
    { id: '2', data: 'x\ny' },
  ]
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(120), { maxLength: 20 }), async (cuts) => {
      const bytes = Buffer.from(text)
      const places = [0, ...[...cuts].sort((a, b) => a - b), bytes.length]
      const chunks = places.slice(1).map((end, at) => bytes.subarray(places[at], end))
      expect(await all(chunks)).toEqual(expected)
    }),
  )
})
