// The questions this command line has about approvals.
import type { approvals } from '../../approval/api.ts'
import type { Approval } from '../../approval/schema.ts'
import type { BodyOf } from '../../base/contract/schema.ts'
import { fail } from '../../base/error/fail.ts'
import { type Client, call } from '../../client/call.ts'
import { type Reply, route } from '../../client/route.ts'
import { hostFor } from '../agent/ask.ts'
import type { Call } from '../io.ts'

const list = route<typeof approvals.list>('GET', '/approvals')
const show = route<typeof approvals.show>('GET', '/approvals/:id')
const rule = route<typeof approvals.rule>('GET', '/approvals/:id/rule')
const answer = route<typeof approvals.answer>('POST', '/approvals/:id')

export const askApprovals = async (client: Client, all: boolean): Promise<readonly Approval[]> =>
  (await call(client, list, { query: all ? { all: 'true' } : {} })).approvals

/** By its id, whatever became of it; by the name of its agent, if that waits for one answer only. */
export const findApproval = async (root: string, line: Call, which: string): Promise<Approval> => {
  // A host that is not up is started: the agents of the host before wait for it.
  const all = await askApprovals(await hostFor(root, line), true)
  const named = all.find(({ id }) => id === which)
  if (named !== undefined) return named
  const waiting = all.filter(({ agent, life }) => agent === which && life === 'asked')
  const [first] = waiting
  if (first === undefined)
    return fail('not_found', {
      what: `approval "${which}", nor an agent of that name that waits for an answer`,
      see: 'Type `agency approval list`.',
    })
  if (waiting.length > 1)
    return fail('approval_unclear', {
      agent: which,
      count: waiting.length,
      ids: waiting.map(({ id }) => id).join(', '),
    })
  return first
}

export const askRule = async (root: string, line: Call, id: string): Promise<Reply<typeof approvals.rule>> =>
  call(await hostFor(root, line), rule, { params: { id } })

export const askAnswer = async (
  root: string,
  line: Call,
  id: string,
  body: BodyOf<typeof approvals.answer>,
): Promise<Approval> => call(await hostFor(root, line), answer, { params: { id }, body })

/** The agent tells within a second by whose answer it went on; where it does not, the answer is sent all the same. */
export const askReceipt = async (root: string, line: Call, id: string): Promise<Approval> =>
  call(await hostFor(root, line), show, { params: { id }, query: { seconds: '5' } })
