// `agency hook collect`: tells the host of a hook event. It never decides, disturbs or says anything: an agent must not be
// held up because nobody listens.
import type { agent as api } from '../../agent/api.ts'
import { call } from '../../client/call.ts'
import { below, route } from '../../client/route.ts'
import { reach } from '../../client/start.ts'
import { findRoot } from '../../config/root/find.ts'
import { readAll } from '../../hook/command/read.ts'
import type { Call, Handler } from '../io.ts'
import { checkName } from '../name.ts'
import { where } from '../root/where.ts'

const collect = route<typeof api.collect>('POST', '/collect')

/** Below the 5 seconds that such hooks are given. */
const patience = 3_000

const textIn = (value: unknown, limit: number): string | undefined =>
  typeof value === 'string' && value !== '' ? value.slice(0, limit) : undefined

const tell = async ({ values, io }: Call, late: AbortSignal): Promise<void> => {
  const given = await readAll(io.stdin, patience)
  const agent = values.agent ?? io.env.AGENCY_ACTOR
  if ('problem' in given || !agent) return
  checkName('agent', agent)
  const input = JSON.parse(given.text) as Record<string, unknown>
  const event = textIn(input.hook_event_name, 100)
  if (event === undefined) return
  const [tool, session] = [textIn(input.tool_name, 200), textIn(input.session_id, 200)]
  const { directory: root } = await findRoot(where(io))
  const body = {
    event,
    ...(tool !== undefined && { tool }),
    ...(session !== undefined && { session_id: session }),
  }
  const client = await reach(root, { patience })
  await call(client, below(`agents/${agent}`, collect), { body }, late)
}

export const run: Handler = async (line) => {
  const late = AbortSignal.timeout(patience)
  const gone = new Promise<void>((resolve) => late.addEventListener('abort', () => resolve()))
  // No host, no such agent, no JSON: then there is nothing to collect.
  await Promise.race([tell(line, late).catch(() => undefined), gone])
  return { data: {}, lines: [], exit: 0 }
}
