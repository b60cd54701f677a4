import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Entry, orderOf } from './order.ts'

const entry = (at: number, agent = 'coder', id = `task-${at}`): Entry => ({ id, agent, at })
const five = [3, 1, 5, 4, 2].map((at) => entry(at))

test.each([
  [{ limit: 2, page: 1 }, 5, ['5', '4']],
  [{ limit: 2, page: 3 }, 5, ['1']],
  [{ limit: 2, page: 4 }, 5, []],
  [{ limit: 9, page: 1 }, 5, ['5', '4', '3', '2', '1']],
  [{ limit: 2, page: 1, before: 'task-4' }, 3, ['3', '2']],
  [{ limit: 2, page: 2, before: 'task-4' }, 3, ['1']],
  [{ limit: 2, page: 1, before: 'task-1' }, 0, []],
  [{ limit: 2, page: 1, before: 'task-9' }, 0, []],
  [{ limit: 2, page: 1, before: 'task-77' }, 0, []],
])('a page is newest first: %j', (asked, total, ids) => {
  const order = orderOf([...five, entry(77, 'other')])
  expect(order.page('coder', asked)).toEqual({ ids: ids.map((id) => `task-${id}`), total })
  expect(order.page('nobody', asked)).toEqual({ ids: [], total: 0 })
})

const change = fc.record({
  id: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'),
  at: fc.integer({ min: 0, max: 3 }),
  how: fc.constantFrom('put', 'put', 'remove'),
  ended: fc.constantFrom(undefined, 5),
})

test('whatever comes and goes, in whatever order, the pages are the sorted tasks', () => {
  fc.assert(
    fc.property(fc.array(change), fc.array(change), (first, then) => {
      const model = new Map<string, Entry>()
      const made = ({ id, at, ended }: (typeof first)[number]): Entry => {
        // When it was given never changes.
        const known = model.get(id)
        return { id, agent: id < 'd' ? 'one' : 'two', at: known?.at ?? at, ended }
      }
      for (const one of first) model.set(one.id, made(one))
      const order = orderOf([...model.values()])
      for (const one of then) {
        if (one.how === 'remove') {
          order.remove(one.id)
          model.delete(one.id)
          continue
        }
        order.put(made(one))
        model.set(one.id, made(one))
      }
      for (const agent of ['one', 'two']) {
        const sorted = [...model.values()]
          .filter((each) => each.agent === agent)
          .sort((a, b) => b.at - a.at || (a.id < b.id ? 1 : -1))
          .map(({ id }) => id)
        expect(order.page(agent, { limit: 10, page: 1 })).toEqual({ ids: sorted, total: sorted.length })
        expect(order.newest(agent)).toBe(sorted[0])
        for (const [rank, before] of sorted.entries())
          expect(order.page(agent, { limit: 10, page: 1, before }).ids).toEqual(sorted.slice(rank + 1))
      }
      expect(new Map([...order.entries()].map((each) => [each.id, each]))).toEqual(model)
    }),
  )
})
