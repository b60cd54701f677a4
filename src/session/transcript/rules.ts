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
  within,
} from '../turn/rules.ts'

type Of<K extends TranscriptEvent['kind']> = Extract<TranscriptEvent, { kind: K }>

/** The lines belong to a turn before the open one. */
const isLate = ({ turn, told, ended }: Session): boolean => {
  if (turn === undefined || told === undefined) return false
  return turn.id === undefined ? ended.includes(told) : turn.id !== told
}

const unqueued = (session: Session, { text, entered }: Of<'unqueued'>): Session => {
  const left = dequeue(session, text)
  // It was in the turn that has ended already: nothing is left to begin another.
  const awaited = left.turn !== undefined && left.turn.id === undefined
  return entered && awaited && left.queue.length === 0 ? closeTurn(left) : left
}

const prompted = (session: Session, { turn: id }: Of<'prompted'>, at: number): Session => {
  const { told, ...rest } = session
  const now = { ...rest, spoken: false, ...(id === undefined ? {} : { told: id }) }
  // What was queued together is one turn. Only the last prompt's id is known to hooks.
  const joined =
    session.turn !== undefined && told !== undefined && session.turn.id === told && !session.spoken
  if (joined && id !== undefined && id !== told)
    return isPast(session, id)
      ? closeTurn(now)
      : { ...now, turn: { ...session.turn, since: at, answered: false, id } }
  if (id === undefined || isPast(session, id) || session.turn?.id === id) return now
  if (session.turn?.id === undefined) return inTurn(now, id, at)
  // The hooks are ahead: they told of a turn that these lines have not come to.
  if (session.turn.id !== told) return { ...now, ended: within(now.ended, [id], 50) }
  return openTurn(now, id, at)
}

const failed = (session: Session, event: Of<'failed'>, at: number): Session =>
  session.turn === undefined || isLate(session) ? session : withFailure(closeTurn(session), event, at)

/** Its prompts are over: what comes now is not a part of them. */
const speaks = ['said', 'called', 'ended', 'interrupted', 'failed']

export const hearTranscript = (session: Session, event: TranscriptEvent, at: number): Session => {
  const heard = hearLine(session, event, at)
  return speaks.includes(event.kind) && !heard.spoken ? { ...heard, spoken: true } : heard
}

const hearLine = (session: Session, event: TranscriptEvent, at: number): Session => {
  switch (event.kind) {
    case 'queued':
      return enqueue(session, event.text)
    case 'unqueued':
      return unqueued(session, event)
    case 'prompted':
      return prompted(session, event, at)
    case 'said':
    case 'called':
      return event.subagent !== undefined || isLate(session) ? session : alive(session)
    case 'ended':
      return ranCall(session, event.ended.call, event.ended.ran)
    case 'interrupted':
      return session.turn === undefined || isLate(session) ? session : closeTurn(session)
    case 'failed':
      return failed(session, event, at)
    case 'compacted':
      return { ...session, compacting: false }
    default:
      return session
  }
}
