// What the transcript tells: late, but in order. So a line about a turn that the hooks have left is known by its place.
import type { TranscriptEvent } from '../../driver/schema.ts'
import type { Session } from '../schema.ts'
import { withFailure } from '../trouble/rules.ts'
import {
  alive,
  closeTurn,
  dequeue,
  enqueue,
  inTurn,
  isPast,
  openTurn,
  ranCall,
  unawait,
  within,
} from '../turn/rules.ts'

type Of<K extends TranscriptEvent['kind']> = Extract<TranscriptEvent, { kind: K }>

/** The lines belong to a turn before the open one. */
const isLate = ({ turn, told, ended }: Session): boolean => {
  if (turn === undefined || told === undefined) return false
  return turn.id === undefined ? ended.includes(told) : turn.id !== told
}

/** One that entered was in the turn that has ended already. */
const unqueued = (session: Session, { text, entered }: Of<'unqueued'>): Session => {
  const left = dequeue(session, text)
  return entered ? unawait(left, text) : left
}

/** The prompt before this one was queued too, and nothing was said to it: both are in the turn of this one. */
const join = (session: Session, id: string): Session => {
  if (session.turn === undefined || session.turn.id !== session.told) return session
  return isPast(session, id) ? closeTurn(session) : { ...session, turn: { ...session.turn, id } }
}

const prompted = (session: Session, { turn: id, waited, text }: Of<'prompted'>, at: number): Session => {
  const joined = waited && session.fresh && id !== undefined ? join(session, id) : session
  const { told, fresh: _fresh, ...rest } = joined
  const now: Session = { ...rest, ...(id !== undefined && { told: id }), ...(waited && { fresh: true }) }
  if (id === undefined || now.turn?.id === id) return now
  if (isPast(now, id)) return waited ? unawait(now, text) : now
  if (now.turn?.id === undefined) return inTurn(now, id, at)
  // The hooks are ahead: they told of a turn that these lines have not come to, or that this prompt joins.
  if (now.turn.id !== told) return waited ? now : { ...now, ended: within(now.ended, [id], 50) }
  return openTurn(now, id, at)
}

/** Something was said to it: no other prompt joins it. */
const settled = (session: Session): Session => {
  const { fresh, ...rest } = session
  const { told, turn, ended } = rest
  if (!fresh) return session
  const left = told !== undefined && turn?.id !== undefined && turn.id !== told
  return left ? { ...rest, ended: within(ended, [told], 50) } : rest
}

const spoke = (before: Session): Session => {
  const session = settled(before)
  return isLate(session) ? session : alive(session)
}

const failed = (session: Session, event: Of<'failed'>, at: number): Session =>
  session.turn === undefined || isLate(session) ? session : withFailure(closeTurn(session), event, at)

export const hearTranscript = (session: Session, event: TranscriptEvent, at: number): Session => {
  switch (event.kind) {
    case 'queued':
      return enqueue(session, event.text)
    case 'unqueued':
      return unqueued(session, event)
    case 'prompted':
      return prompted(session, event, at)
    case 'said':
    case 'called':
      return event.subagent === undefined ? spoke(session) : session
    case 'ended':
      return ranCall(session, event.ended.call, event.ended.ran)
    case 'interrupted':
      // Behind a prompt that was queued stands the line of the turn before it, which ended with that prompt.
      return session.fresh || session.turn === undefined || isLate(session) ? session : closeTurn(session)
    case 'failed':
      return failed(settled(session), event, at)
    case 'compacted':
      return { ...session, compacting: false }
    default:
      return session
  }
}
