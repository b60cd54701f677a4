import type { Handler } from '../io.ts'
import { findReview, sourcesOf } from './source.ts'
import { traced } from './told/rules.ts'

export const run: Handler = async (call) => {
  const { source, session } = await findReview(await sourcesOf(call), call.values.session ?? '')
  const events = await source.trace(session)
  return {
    data: { where: source.where, session, events },
    lines:
      events.length === 0 ? ['Nothing is kept of what happened.'] : traced(events, call.flags.has('verbose')),
  }
}
