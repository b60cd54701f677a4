// Appends COUNT facts to a store, some at once: one of several processes that share a file.
// appender.js FILE NAME COUNT
import { AgencyError } from '../src/base/error/fail.ts'
import { fact } from '../src/journal/rules.ts'
import { openStore } from '../src/store/sqlite.ts'
import type { Counter } from '../test/kit/reduce.ts'
import { reduce } from '../test/kit/reduce.ts'

const [file = '', who = '', count = '0'] = process.argv.slice(2)
const row = 10

try {
  const store = await openStore({ file, reduce, now: () => new Date(), patience: 110_000 })
  const one = (n: number): Promise<number> =>
    store.transact('counter:all', (kept) => ({
      facts: [
        fact('counter.raised', 'all', { who, step: 1, n }),
        fact('counter.raised', who, { who, step: 1, n }),
      ],
      value: ((kept?.state as Counter | undefined)?.total ?? 0) + 1,
    }))
  const totals: number[] = []
  for (let n = 0; n < Number(count); n += row) {
    const size = Math.min(row, Number(count) - n)
    totals.push(...(await Promise.all(Array.from({ length: size }, (_, index) => one(n + index)))))
  }
  await store.close()
  console.log(JSON.stringify(totals))
} catch (error) {
  console.error(error instanceof AgencyError ? `${error.code}: ${error.message}` : error)
  process.exitCode = 1
}
