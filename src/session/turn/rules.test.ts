import fc from 'fast-check'
import { expect, test } from 'vitest'
import { has, within } from './rules.ts'

/** As it is meant, without any memory of what was asked before. */
const plainly = (list: readonly string[], items: readonly string[], limit: number): string[] =>
  [
    ...list.slice(-limit),
    ...items.filter((item, place) => !list.includes(item) && items.indexOf(item) === place),
  ].slice(-limit)

const word = fc.integer({ min: 0, max: 90 }).map(String)

test('a list within its limit holds the latest, each once, whatever was asked of the lists before it', () => {
  fc.assert(
    fc.property(
      fc.array(word, { maxLength: 60 }),
      fc.array(fc.tuple(fc.array(word, { maxLength: 3 }), word), { maxLength: 60 }),
      fc.integer({ min: 1, max: 50 }),
      (first, steps, limit) => {
        const lists = [first]
        for (const [items, asked] of steps) {
          const list = lists.at(-1) as string[]
          const next = within(list, items, limit)
          expect(next).toEqual(plainly(list, items, limit))
          lists.push(next)
          for (const each of lists.slice(-3)) expect(has(each, asked)).toBe(each.includes(asked))
        }
      },
    ),
    { numRuns: 300, seed: 7 },
  )
})
