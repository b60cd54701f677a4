import { oneLine } from '../../base/text/rules.ts'
import { findRoot } from '../../config/root/find.ts'
import type { Handler } from '../io.ts'
import { checkName } from '../name.ts'
import { table } from '../output/rules.ts'
import { where } from '../root/where.ts'
import { askMessages } from './ask.ts'

export const run: Handler = async (call) => {
  const { values, flags } = call
  const { directory: root } = await findRoot(where(call.io))
  const messages = await askMessages(root, call, {
    ...(values.to !== undefined && { to: checkName('agent name', values.to) }),
    ...(flags.has('open') && { open: 'true' as const }),
  })
  const rows = messages.map(({ id, from, to, lane, life, text, reason, waits }) => [
    id,
    from.name,
    to,
    lane,
    life,
    oneLine(reason ?? waits ?? '-', 40),
    oneLine(text, 60),
  ])
  const lines =
    messages.length === 0
      ? ['No messages. Type `agency send NAME "…"` to say something to an agent.']
      : table([['ID', 'FROM', 'TO', 'LANE', 'STATE', 'WHY', 'TEXT'], ...rows])
  return { data: { messages }, lines }
}
