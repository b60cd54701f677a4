// What a hook of the review gate costs in a session of 10,000 events, against one of 10.
import { join } from 'node:path'
import { openReviews, type SessionReviews } from '../src/review/desk.ts'
import { settingOf } from '../src/review/setting/rules.ts'
import { traceFact } from '../src/review/trace/rules.ts'
import { reduceOf } from '../src/state/rules.ts'
import { openStore } from '../src/store/sqlite.ts'
import { interleaved, median, type Row } from './frame.ts'

const setting = settingOf(
  {
    reviewer: 'subagent',
    gates: { tools: ['Bash:gh issue close*'] },
    circuit_breaker: { max_blocks: 1000 },
    trace: { max_events: 50_000 },
  },
  undefined,
)
const place = { cwd: '/', tree: '/', home: '/' }
const each = 20

type Hook = (one: SessionReviews, at: number) => Promise<unknown>
const hooks: Readonly<Record<string, Hook>> = {
  gate: (one, at) =>
    one.gate({ id: `${at}`, tool: 'Bash', input: { command: `gh issue close ${at}` } }, { place }),
  prompt: (one) => one.prompted({ text: 'go on', person: true }),
  stop: (one) => one.stop({ again: false, background: false }),
}

export const reviewRows = async (rounds: number, scratch: string): Promise<Row[]> => {
  const file = join(scratch, 'review.db')
  const store = await openStore({ file, reduce: reduceOf, now: () => new Date() })
  try {
    const reviews = openReviews({ store, now: Date.now })
    const session = async (name: string, events: number): Promise<SessionReviews> => {
      const one = reviews.of(name, async () => setting)
      await one.prompted({ text: '#roz go', person: true })
      const fact = (at: number) =>
        traceFact(name, { type: 'review.tool_completed', data: { id: `c${at}`, tool: 'Bash', ok: true } })
      for (let at = 0; at < events; at += 1000)
        await store.append(Array.from({ length: Math.min(1000, events - at) }, (_, n) => fact(at + n)))
      return one
    }
    const [few, many] = [await session('few', 10), await session('many', 10_000)]
    const took = async (one: SessionReviews, hook: Hook): Promise<number> => {
      const from = performance.now()
      for (let at = 0; at < each; at += 1) await hook(one, at)
      return (performance.now() - from) / each
    }
    const rows: Row[] = []
    for (const [name, hook] of Object.entries(hooks)) {
      const times = await interleaved(rounds, { many: () => took(many, hook), few: () => took(few, hook) })
      rows.push({
        name: `review hook (${name}) at 10,000 events`,
        value: median(times.many),
        floor: median(times.few),
        floorName: 'at 10 events',
        unit: 'ms',
        limit: 1.5,
      })
    }
    return rows
  } finally {
    await store.close()
  }
}
