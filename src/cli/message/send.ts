// `agency send`: says something to an agent. Stored when this ends, whatever becomes of the host.
import { randomBytes } from 'node:crypto'
import { userInfo } from 'node:os'
import { namePattern } from '../../base/name/schema.ts'
import { findRoot } from '../../config/root/find.ts'
import type { Lane } from '../../message/schema.ts'
import type { Call, Handler } from '../io.ts'
import { checkName } from '../name.ts'
import { where } from '../root/where.ts'
import { readText } from '../text.ts'
import { askSend } from './ask.ts'
import { progress } from './told/rules.ts'
import { awaited } from './wait.ts'

const textOf = async (call: Call): Promise<string> =>
  call.values.text ?? readText(call, call.values.file ?? '')

/** In the session of an agent it is the agent that speaks. People are called as the system calls them. */
const senderOf = ({ io }: Call) => {
  const actor = io.env.AGENCY_ACTOR
  if (actor) return { kind: 'agent' as const, name: checkName('agent name', actor) }
  const person = userInfo().username.toLowerCase()
  return { kind: 'person' as const, name: namePattern.test(person) ? person : 'person' }
}

/** Short: it stands in the header line, and people type it. */
const newId = (): string => `m${Date.now().toString(36)}${randomBytes(3).toString('hex')}`

export const run: Handler = async (call) => {
  const { values, flags } = call
  const to = checkName('agent name', values.name ?? '')
  const { directory: root } = await findRoot(where(call.io))
  const sent = await askSend(root, call, {
    to,
    text: await textOf(call),
    lane: (values.lane ?? 'normal') as Lane,
    from: senderOf(call),
    expects_response: flags.has('expects-response'),
    id: values.id ?? newId(),
    ...(values.closes !== undefined && { closes: values.closes }),
  })
  if (flags.has('wait')) return awaited(call, root, sent)
  return { data: { message: sent }, lines: [progress(sent)] }
}
