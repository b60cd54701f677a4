import { findRoot } from '../../config/root/find.ts'
import type { Handler } from '../io.ts'
import { table } from '../output/rules.ts'
import { where } from '../root/where.ts'
import { askMessage } from './ask.ts'
import { progress } from './told/rules.ts'
import { awaited } from './wait.ts'

export const run: Handler = async (call) => {
  const { directory: root } = await findRoot(where(call.io))
  const message = await askMessage(root, call, call.values.id ?? '')
  if (call.flags.has('wait')) return awaited(call, root, message)
  const { from, to, lane, at, text, answer, expects, closes } = message
  const response = expects?.closedBy
  const facts = table([
    ['from', `${from.name} (${from.kind})`],
    ['to', to],
    ['lane', lane],
    ['sent', new Date(at).toISOString()],
    ...(closes === undefined ? [] : [['closes', closes]]),
    ...(expects === undefined
      ? []
      : [['response', response ?? `expected; reminded ${expects.reminded} times`]]),
  ])
  const lines = [progress(message), ...facts, '', text, ...(answer === undefined ? [] : ['', answer])]
  return { data: { message }, lines }
}
