// What every store promises. Each store's own test runs this against the real thing.
import { describe, expect, test } from 'vitest'
import { activity, fact, replay } from '../../src/journal/rules.ts'
import { dataLimit, type Event, event, type Fact } from '../../src/journal/schema.ts'
import type { Kept, Store } from '../../src/store/store.ts'
import { verify } from '../../src/store/verify.ts'
import { reduce } from './reduce.ts'
import {
  codeOf,
  everything,
  follow,
  type Opened,
  raise,
  raised,
  type Shared,
  stores,
  wrote,
} from './stores.ts'

/** `reduce` of `test/kit/reduce.ts` is what the stores that `open` gives must fold with. */
export const storeContract = (name: string, open: () => Promise<Opened>): void => {
  const { fresh } = stores(open)

  describe(`${name}: recording`, () => {
    test('an append answers whole events, in order, and they are what is read', async () => {
      const { store } = await fresh()
      const facts = [raised('x'), wrote('n', 'first'), activity('tool.called', 't', { name: 'Bash' })]
      const events = await store.append(facts)
      expect(events.map(({ seq, at, ...rest }) => rest)).toEqual(facts)
      expect(events.map(({ seq }) => seq)).toEqual([1, 2, 3])
      for (const one of events) expect(event.parse(one)).toEqual(one)
      expect(await everything(store)).toEqual(events)
    })

    test('the state is the fold of the state events, with the seq of the last', async () => {
      const { store } = await fresh()
      await store.append([raised('x', 'a', 2), wrote('n', 'one')])
      await store.append([raised('x', 'b', 3), activity('counter.looked', 'x')])
      expect(await store.load('counter:x')).toEqual({
        subject: 'counter:x',
        seq: 3,
        state: { total: 5, by: { a: 2, b: 3 } },
      })
      expect(await verify(store, reduce)).toEqual([])
    })

    test('an activity never meets a reducer', async () => {
      const { store } = await fresh()
      await store.append([activity('note.refused', 'n'), activity('unknown.noun', 'u')])
      expect(await store.list()).toEqual({ seq: 2, kept: [] })
    })

    test('a transaction decides on what is there and answers its value', async () => {
      const { store } = await fresh()
      expect(await raise(store, 'x', 'a')).toBe(1)
      expect(await raise(store, 'x', 'a')).toBe(2)
      const seen: (Kept | undefined)[] = []
      const nothing = await store.transact('counter:x', (kept) => {
        seen.push(kept)
        return { facts: [], value: 'looked' }
      })
      expect(nothing).toBe('looked')
      expect(seen).toEqual([await store.load('counter:x')])
      expect(await everything(store)).toHaveLength(2)
    })

    test('a transaction may record facts about other subjects too', async () => {
      const { store } = await fresh()
      await store.transact('counter:x', () => ({ facts: [raised('y'), wrote('n', 't')], value: undefined }))
      expect((await store.list()).kept.map(({ subject }) => subject)).toEqual(['counter:y', 'note:n'])
    })

    test('undefined forgets the subject, and it can begin anew', async () => {
      const { store } = await fresh()
      await store.append([wrote('n', 'old')])
      await store.append([fact('note.removed', 'n')])
      expect(await store.load('note:n')).toBeUndefined()
      expect(await store.append([fact('note.removed', 'never')])).toHaveLength(1)
      await store.append([wrote('n', 'new')])
      expect((await store.load('note:n'))?.state).toEqual({ texts: ['new'] })
      expect(await verify(store, reduce)).toEqual([])
    })

    test('nothing to append is no event', async () => {
      const { store } = await fresh()
      expect(await store.append([])).toEqual([])
      expect((await store.list()).seq).toBe(0)
    })
  })

  describe(`${name}: all or nothing`, () => {
    const untouched = async (store: Store): Promise<void> => {
      expect(await everything(store)).toHaveLength(1)
      expect((await store.list()).kept).toEqual([
        { subject: 'counter:x', seq: 1, state: { total: 1, by: { a: 1 } } },
      ])
      // The place in the journal was given back too, or taken for ever, but never given twice.
      const [next] = await store.append([raised('x')])
      expect(next?.seq).toBeGreaterThan(1)
    }

    test.each<[string, (store: Store) => Promise<unknown>]>([
      ['decide throws', (store) => store.transact('counter:x', thrower)],
      [
        'a reducer throws at the last fact',
        (store) => store.append([raised('x'), fact('note.refused', 'n')]),
      ],
      ['a noun is unknown', (store) => store.append([raised('x'), fact('ghost.seen', 'g')])],
      ['a type is none', (store) => store.append([raised('x'), fact('Bad.type', 'n')])],
      ['a subject has no id', (store) => store.append([raised('x'), fact('note.written', '')])],
      ['a subject is too long', (store) => store.append([raised('x'), wrote('n'.repeat(201), 't')])],
      ['a subject has a line break', (store) => store.append([raised('x'), wrote('a\nb', 't')])],
      ['a subject has half a character', (store) => store.append([raised('x'), wrote('\ud800', 't')])],
      [
        'a kind is unknown',
        (store) => store.append([raised('x'), { ...raised('x'), kind: 'other' as never }]),
      ],
      ['data is a list', (store) => store.append([raised('x'), { ...raised('x'), data: [] as never }])],
      ['data is a circle', (store) => store.append([raised('x'), fact('note.written', 'n', circle())])],
      ['data is too large', (store) => store.append([raised('x'), wrote('n', 'x'.repeat(dataLimit))])],
    ])('nothing is recorded when %s', async (_, work) => {
      const { store } = await fresh()
      await store.append([raised('x')])
      await expect(work(store)).rejects.toThrow()
      await untouched(store)
    })

    test('a failing decision takes nobody along that was asked for at the same time', async () => {
      const { store } = await fresh()
      const outcomes = await Promise.allSettled([
        store.append([raised('x')]),
        store.transact('counter:x', () => ({ facts: [raised('x'), fact('note.refused', 'n')], value: 1 })),
        store.transact('counter:x', () => {
          throw new Error('no')
        }),
        raise(store, 'x', 'b'),
      ])
      expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled'])
      expect((await store.load('counter:x'))?.state).toEqual({ total: 2, by: { a: 1, b: 1 } })
      expect(await verify(store, reduce)).toEqual([])
    })

    test('what is wrong with a fact is said by code', async () => {
      const { store } = await fresh()
      expect(await codeOf(store.append([wrote('n', 'x'.repeat(dataLimit))]))).toBe('fact_large')
      expect(await codeOf(store.append([fact('note.written', '')]))).toBe('fact_invalid')
      expect(await codeOf(store.append([{ ...raised('x'), data: undefined as never }]))).toBe('fact_invalid')
      expect(await codeOf(store.append([fact('note.written', 'n', circle())]))).toBe('fact_invalid')
    })
  })

  describe(`${name}: order`, () => {
    test('what is asked for at once is done in the order of asking', async () => {
      const { store } = await fresh()
      const ids = Array.from({ length: 250 }, (_, index) => index)
      const events = (await Promise.all(ids.map((id) => store.append([wrote('n', `${id}`)])))).flat()
      expect(events.map(({ data }) => data.text)).toEqual(ids.map(String))
      expect(events.map(({ seq }) => seq)).toEqual(ids.map((id) => id + 1))
    })

    test('of 100 decisions at once on one subject each sees the one before', async () => {
      const { store } = await fresh()
      const values = await Promise.all(Array.from({ length: 100 }, () => raise(store, 'x', 'a')))
      expect(values).toEqual(Array.from({ length: 100 }, (_, index) => index + 1))
    })

    test('a reader that follows by seq misses nothing that commits late', async () => {
      const { store } = await fresh()
      const writes = Promise.all(slowAndQuick(40).map((fact) => store.append([fact])))
      const seen = await follow(store, writes)
      expect(seen).toEqual((await everything(store)).map(({ seq }) => seq))
      expect(seen).toHaveLength(40)
    })
  })

  describe(`${name}: reading`, () => {
    test('pages follow each other without gap or overlap, for all and for one subject', async () => {
      const { store } = await fresh()
      for (let index = 0; index < 10; index += 1) await store.append([raised('x'), wrote('n', `${index}`)])
      const paged = async (subject?: string): Promise<Event[]> => {
        const events: Event[] = []
        for (;;) {
          const after = events.at(-1)?.seq ?? 0
          const page = await store.events({ after, limit: 3, ...(subject && { subject }) })
          if (page.length === 0) return events
          expect(page.length).toBeLessThanOrEqual(3)
          events.push(...page)
        }
      }
      const all = await everything(store)
      expect(await paged()).toEqual(all)
      expect(await paged('note:n')).toEqual(all.filter(({ subject }) => subject === 'note:n'))
      expect(await paged('note:none')).toEqual([])
      expect(await store.events({ after: 0, limit: 0 })).toEqual([])
    })

    test('a list is by subject, of one noun or of all, and says what it is true at', async () => {
      const { store } = await fresh()
      await store.append([wrote('b', '1'), raised('z'), wrote('a', '2'), wrote('é', '3'), wrote('B', '4')])
      const subjects = async (noun?: string): Promise<string[]> =>
        (await store.list(noun)).kept.map(({ subject }) => subject)
      expect(await subjects('note')).toEqual(['note:B', 'note:a', 'note:b', 'note:é'])
      expect(await subjects()).toEqual(['counter:z', 'note:B', 'note:a', 'note:b', 'note:é'])
      expect(await subjects('no')).toEqual([])
      expect((await store.list('counter')).seq).toBe(5)
    })

    test('an outline has only the fields that were asked for, of one noun', async () => {
      const { store } = await fresh()
      await store.append([raised('x', 'a', 2), raised('y', 'b', 3), wrote('n', "it's")])
      const outline = await store.outline('counter', ['total', 'none', 'by'])
      expect([...outline].sort((one, other) => (one.subject < other.subject ? -1 : 1))).toEqual([
        { subject: 'counter:x', values: [2, null, { a: 2 }] },
        { subject: 'counter:y', values: [3, null, { b: 3 }] },
      ])
      expect(await store.outline('ghost', ['a', 'b'])).toEqual([])
    })

    test('list and events together make the present, whatever is written in between', async () => {
      const { store } = await fresh()
      const writes: Promise<unknown>[] = []
      for (let index = 0; index < 60; index += 1) {
        writes.push(raise(store, `c${index % 3}`, 'a'))
        if (index % 10 !== 0) continue
        const { seq, kept } = await store.list()
        const events = await everything(store)
        const folded = replay(
          events.filter((one) => one.seq <= seq),
          reduce,
        )
        expect([...folded.values()].sort((a, b) => (a.subject < b.subject ? -1 : 1))).toEqual(kept)
      }
      await Promise.all(writes)
    })

    test('what is handed in or out is a copy', async () => {
      const { store } = await fresh()
      const data = { text: 'before', deep: { list: [1] } }
      const appending = store.append([fact('note.written', 'n', data)])
      data.text = 'after'
      data.deep.list.push(2)
      const [first] = await appending
      const spoil = (value: unknown): void => {
        const { deep, texts } = value as { deep?: { list: number[] }; texts?: string[] }
        deep?.list.push(9)
        texts?.push('spoiled')
      }
      spoil(first?.data)
      spoil((await everything(store))[0]?.data)
      spoil((await store.load('note:n'))?.state)
      spoil((await store.list()).kept[0]?.state)
      await store.transact('note:n', (kept) => {
        spoil(kept?.state)
        return { facts: [], value: 0 }
      })
      expect((await everything(store))[0]?.data).toEqual({ text: 'before', deep: { list: [1] } })
      expect((await store.load('note:n'))?.state).toEqual({ texts: ['before'] })
    })

    test.each([
      ['every plane of Unicode', 'ü 漢 😀 \u0000 \u2028 \u202e e\u0301'],
      ['half a character', '\ud83d'],
      ['quotes', `'; drop table journal; -- "`],
      ['almost too much', 'é'.repeat(dataLimit / 2 - 100)],
    ])('text comes back as it was: %s', async (_, text) => {
      const { store } = await fresh()
      const data = { text, __proto__: undefined, [text.slice(0, 20)]: null, n: -0.1, t: [true, {}] }
      await store.append([fact('note.written', 'ü 😀:x', data)])
      expect((await everything(store))[0]?.data).toEqual(JSON.parse(JSON.stringify(data)))
      expect((await store.load('note:ü 😀:x'))?.state).toEqual({ texts: [text] })
    })
  })

  describe(`${name}: prune and close`, () => {
    test('prune removes activity below the seq and nothing else; no seq is given twice', async () => {
      const { store } = await fresh()
      await store.append([activity('tool.called', 't'), raised('x'), activity('tool.called', 't')])
      await store.append([raised('x'), activity('tool.called', 't'), activity('tool.called', 't')])
      expect(await store.prune(5)).toBe(2)
      expect((await everything(store)).map(({ seq }) => seq)).toEqual([2, 4, 5, 6])
      expect(await store.prune(100)).toBe(2)
      expect(await store.prune(100)).toBe(0)
      expect((await everything(store)).map(({ seq }) => seq)).toEqual([2, 4])
      expect((await store.list()).seq).toBe(6)
      expect((await store.append([raised('x')]))[0]?.seq).toBe(7)
      expect(await verify(store, reduce)).toEqual([])
    })

    test('prune removes any amount', async () => {
      const { store } = await fresh()
      const facts = Array.from({ length: 5001 }, (_, index) => activity('tool.called', `t${index}`))
      await store.append([...facts, raised('x')])
      expect(await store.prune(1e9)).toBe(5001)
      expect(await everything(store)).toHaveLength(1)
    })

    test('trim leaves the newest activity of one subject, all state, and others alone', async () => {
      const { store } = await fresh()
      const called = (id: string) => activity('counter.looked', id)
      await store.append([called('x'), raised('x'), called('y'), called('x'), called('x'), called('x')])
      expect(await store.trim('counter:x', 4, 2)).toBe(0)
      expect(await store.trim('counter:x', 3, 2)).toBe(2)
      expect((await everything(store)).map(({ seq }) => seq)).toEqual([2, 3, 5, 6])
      expect(await store.trim('counter:x', 0, 0)).toBe(2)
      expect(await store.trim('counter:none', 0, 0)).toBe(0)
      expect((await everything(store)).map(({ seq }) => seq)).toEqual([2, 3])
      expect(await verify(store, reduce)).toEqual([])
    })

    test('close lets what was asked for before finish, then refuses, and may be repeated', async () => {
      const { store } = await fresh()
      const before = store.append([raised('x')])
      const closing = store.close()
      const late = codeOf(store.append([raised('x')]))
      expect((await before)[0]?.seq).toBe(1)
      expect(await late).toBe('store_closed')
      await closing
      await store.close()
      expect(await codeOf(store.load('counter:x'))).toBe('store_closed')
      expect(await codeOf(store.transact('counter:x', () => ({ facts: [], value: 0 })))).toBe('store_closed')
      expect(await codeOf(store.prune(1))).toBe('store_closed')
      expect(await codeOf(store.trim('counter:x', 0, 0))).toBe('store_closed')
    })
  })
}

/** What stores promise beyond that where several handles, of any process, share the data. */
export const sharedContract = (name: string, open: () => Promise<Shared>): void => {
  const { fresh, again } = stores(open)

  describe(`${name}: shared`, () => {
    test('two handles see each other at once', async () => {
      const opened = await fresh()
      const other = await again(opened)
      const [one] = await opened.store.append([wrote('n', 'one')])
      expect(await other.events({ after: 0, limit: 9 })).toEqual([one])
      const [two] = await other.append([wrote('n', 'two')])
      expect(two?.seq).toBe(2)
      expect((await opened.store.load('note:n'))?.state).toEqual({ texts: ['one', 'two'] })
    })

    test('decisions of two handles on one subject never miss each other', async () => {
      const opened = await fresh()
      const other = await again(opened)
      const values = await Promise.all(
        Array.from({ length: 60 }, (_, index) =>
          raise(index % 2 ? other : opened.store, 'x', `${index % 2}`),
        ),
      )
      expect(values.sort((a, b) => a - b)).toEqual(Array.from({ length: 60 }, (_, index) => index + 1))
      expect((await other.load('counter:x'))?.state).toEqual({ total: 60, by: { 0: 30, 1: 30 } })
      expect(await verify(other, reduce)).toEqual([])
    })

    test('a reader that follows by seq misses nothing that two writers commit late', async () => {
      const opened = await fresh()
      const writers = [opened.store, await again(opened)]
      const reader = await again(opened)
      const writes = slowAndQuick(60).map((fact, index) => writers[index % 2]?.append([fact]))
      const seen = await follow(reader, Promise.all(writes))
      expect(seen).toEqual((await everything(reader)).map(({ seq }) => seq))
      expect(seen).toHaveLength(60)
    })

    test('what was recorded is there after everything was closed', async () => {
      const opened = await fresh()
      const other = await again(opened)
      const events = await opened.store.append([raised('x'), activity('tool.called', 't')])
      await opened.store.close()
      await other.close()
      const later = await again(opened)
      expect(await everything(later)).toEqual(events)
      expect((await later.append([raised('x')]))[0]?.seq).toBe(3)
    })
  })
}

// The slow ones weigh much and commit after quick ones that were asked for later, if any can.
const slowAndQuick = (count: number): Fact[] =>
  Array.from({ length: count }, (_, n) => wrote(`n${n}`, 'x'.repeat(n % 4 === 0 ? 300_000 : 1)))

const circle = (): Record<string, unknown> => {
  const data: Record<string, unknown> = {}
  data.self = data
  return data
}

const thrower = (): never => {
  throw new Error('undecided')
}
