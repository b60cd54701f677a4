import type { Handler } from '../io.ts'
import { countOf } from './age/rules.ts'
import { sourcesOf } from './source.ts'
import { compared } from './told/rules.ts'
import { typed } from './typed.ts'

export const run: Handler = async (call) => {
  const days = typed(call, 'days', '30', 'a whole number of days', (text) => countOf(text, 1))
  const { all } = await sourcesOf(call)
  const lists = await Promise.all(
    all.map(async ({ stats, where }) => (await stats(days)).map((each) => ({ ...each, where }))),
  )
  const stats = lists.flat()
  const none = `No review was asked for in the last ${days} days.`
  return { data: { days, stats }, lines: stats.length === 0 ? [none] : compared(stats) }
}
