import type { Approvals } from '../approval/desk.ts'
import { isSettled } from '../approval/rules.ts'
import type { Session } from '../session/schema.ts'

/** A session of before, with what it waits for people with: the hooks that wait are asked again, and find it. */
export const asking = (session: Session, approvals: Approvals, id: string): Session => {
  const open = approvals.list(id).filter((one) => !isSettled(one))
  if (open.length === 0) return { ...session, waiting: session.waiting.filter((one) => !one.approval) }
  const waiting = open.map(({ id: approval, tool, call, subagent }) => ({
    approval,
    tool,
    by: 'person' as const,
    ...(call !== undefined && { call }),
    ...(subagent !== undefined && { subagent }),
  }))
  const own = open.filter(({ subagent }) => subagent === undefined)
  const calls = own.flatMap(({ call, tool }) => (call === undefined ? [] : [{ id: call, tool }]))
  // What is asked in a turn is asked no more when another begins, so it must be known which one this is.
  const [first] = own
  const begun = first && {
    since: first.at,
    answered: true,
    ...(first.turn !== undefined && { id: first.turn }),
  }
  const turn = session.turn ?? begun
  return { ...session, waiting, calls, ...(turn && { turn }) }
}
