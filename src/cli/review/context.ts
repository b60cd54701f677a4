import type { Handler } from '../io.ts'
import { findReview, sourcesOf } from './source.ts'
import { contextOf, waysOf } from './told/rules.ts'

export const run: Handler = async (call) => {
  const { source, session } = await findReview(await sourcesOf(call), call.values.session ?? '')
  const { review, agent } = await source.show(session)
  const program = call.io.program === 'roz' ? 'roz' : 'agency review'
  const { state, cause, blocks, prompts, trigger, decisions } = review
  return {
    data: {
      where: source.where,
      session,
      ...(agent !== undefined && { agent }),
      ...{ state, cause, blocks, prompts, trigger },
      decision: decisions.at(-1),
      decide: waysOf(review, program),
    },
    lines: contextOf(review, { agent, program, now: Date.now() }),
  }
}
