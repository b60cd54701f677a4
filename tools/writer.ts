// Writes to a store and says on stdout, at once, what became of each write: the program that faults hit.
// writer.js FILE COUNT [die]: with `die` it kills itself after the first refusal.
import { writeSync } from 'node:fs'
import { AgencyError } from '../src/base/error/fail.ts'
import { fact } from '../src/journal/rules.ts'
import { openStore } from '../src/store/sqlite.ts'
import { reduce } from '../test/kit/reduce.ts'

const [file = '', count = '0', die] = process.argv.slice(2)
const say = (line: string): unknown => writeSync(1, `${line}\n`)

const refused = (what: string, error: unknown): void => {
  if (!(error instanceof AgencyError)) throw error
  say(`refused ${what} ${error.code} ${error.message}`)
  if (die) process.kill(process.pid, 'SIGKILL')
}

const write = async (from: number, to: number): Promise<void> => {
  const store = await openStore({ file, reduce, now: () => new Date() })
  for (let n = from; n < to; n += 1) {
    // Two subjects, so that half of it would show; large enough to need more than one page.
    const text = `${n} ${'x'.repeat(n % 3 === 0 ? 6000 : 10)}`
    const facts = [
      fact('counter.raised', 'a', { who: `${n}`, step: 1 }),
      fact('note.written', `${n}`, { text }),
    ]
    await store.append(facts).then(
      () => say(`ack ${n}`),
      (error) => refused(`${n}`, error),
    )
  }
  await store.close()
}

// Closed and opened again in between: that writes the log back into the file and removes it.
const half = Math.ceil(Number(count) / 2)
for (const [from, to] of [[0, half] as const, [half, Number(count)] as const]) {
  try {
    await write(from, to)
  } catch (error) {
    refused('open', error)
  }
}
say('done')
