import type { Handler } from '../io.ts'
import { json } from '../output/rules.ts'
import { findReview, sourcesOf } from './source.ts'

export const run: Handler = async (call) => {
  const { source, session } = await findReview(await sourcesOf(call), call.values.session ?? '')
  const data = { where: source.where, ...(await source.show(session)) }
  return { data, lines: [json(data).trimEnd()] }
}
