import { byAge } from '../../review/line/rules.ts'
import type { Handler } from '../io.ts'
import { countOf } from './age/rules.ts'
import { sourcesOf } from './source.ts'
import { listed } from './told/rules.ts'
import { typed } from './typed.ts'

export const run: Handler = async (call) => {
  const limit = typed(call, 'limit', '20', 'a whole number', (text) => countOf(text, 0))
  const { all } = await sourcesOf(call)
  const lists = await Promise.all(
    all.map(async ({ list, where }) => (await list()).map((line) => ({ ...line, where }))),
  )
  const lines = lists.flat().sort(byAge)
  const reviews = limit === 0 ? lines : lines.slice(0, limit)
  const more = lines.length - reviews.length
  return {
    data: { reviews, more },
    lines:
      reviews.length === 0
        ? ['Nothing was or is to be reviewed.']
        : [
            ...listed(reviews, Date.now()),
            ...(more === 0 ? [] : [`${more} more; type \`agency review list --limit 0\` to see all.`]),
          ],
  }
}
