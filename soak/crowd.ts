// Several processes append to one store: none lost, none twice, and the journal folds to what is kept.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore } from '../src/store/sqlite.ts'
import { verify } from '../src/store/verify.ts'
import { type Counter, reduce } from '../test/kit/reduce.ts'

/** Milliseconds from the first start to the last end. */
export const crowd = async (processes: number, count: number): Promise<number> => {
  const folder = mkdtempSync(join(tmpdir(), 'agency-crowd-'))
  const file = join(folder, 'agency.db')
  try {
    // Made before the crowd comes: what is measured is appending.
    await (await openStore({ file, reduce, now: () => new Date() })).close()
    const from = performance.now()
    const codes = await Promise.all(
      Array.from({ length: processes }, async (_, n) => {
        const child = spawn(process.execPath, ['build/appender.js', file, `p${n}`, String(count)], {
          stdio: ['ignore', 'ignore', 'inherit'],
        })
        return (await once(child, 'exit'))[0] as number
      }),
    )
    const took = performance.now() - from
    if (codes.some((code) => code !== 0)) throw new Error(`a process failed: exit ${codes.join(', ')}`)
    const store = await openStore({ file, reduce, now: () => new Date() })
    try {
      const kept = await store.load('counter:all')
      const { total, by } = (kept?.state ?? { total: 0, by: {} }) as Counter
      const wrong = Object.entries(by).filter(([, times]) => times !== count)
      if (total !== processes * count || wrong.length > 0)
        throw new Error(`${processes} x ${count} appends came to ${total}: ${JSON.stringify(by)}`)
      const different = await verify(store, reduce)
      if (different.length > 0)
        throw new Error(`the journal folds to something else for ${different.join(', ')}`)
    } finally {
      await store.close()
    }
    return took
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  }
}
