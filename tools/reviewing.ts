// Asks the desk of reviews what hooks ask it, once each: one of many processes on one session.
// reviewing.js FILE SESSION WHO
import { AgencyError } from '../src/base/error/fail.ts'
import { openReviews } from '../src/review/desk.ts'
import { settingOf } from '../src/review/setting/rules.ts'
import { reduceOf } from '../src/state/rules.ts'
import { openStore } from '../src/store/sqlite.ts'

const [file = '', session = '', who = ''] = process.argv.slice(2)
const place = { cwd: '/', tree: '/', home: '/' }

try {
  const store = await openStore({ file, reduce: reduceOf, now: () => new Date(), patience: 110_000 })
  const setting = settingOf(
    {
      reviewer: 'subagent',
      gates: { tools: ['Bash:gh*'] },
      circuit_breaker: { max_blocks: 1000 },
      trace: { max_events: 100_000 },
    },
    undefined,
  )
  const one = openReviews({ store, now: Date.now }).of(session, async () => setting)
  const [stop, gate] = await Promise.all([
    one.stop({ again: false, background: false }),
    one.gate({ id: who, tool: 'Bash', input: { command: `gh issue close ${who}` } }, { place }),
    one.completed({ id: who, tool: 'Bash', ok: true }),
  ])
  await store.close()
  console.log(JSON.stringify([stop.kind, gate.kind]))
} catch (error) {
  console.error(error instanceof AgencyError ? `${error.code}: ${error.message}` : error)
  process.exitCode = 1
}
