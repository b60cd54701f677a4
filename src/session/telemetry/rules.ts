// What telemetry tells: half a second late and in no order with the rest. It decides only about the call it names.
import type { TelemetryEvent, Usage } from '../../driver/schema.ts'
import type { Session } from '../schema.ts'
import { withFailure } from '../trouble/rules.ts'
import {
  closeCall,
  closeTurn,
  doubt,
  patience,
  permit,
  ranCall,
  within,
  withoutTrouble,
} from '../turn/rules.ts'

type Of<K extends TelemetryEvent['kind']> = Extract<TelemetryEvent, { kind: K }>

const sum = (one: Usage, other: Usage): Usage => ({
  input: one.input + other.input,
  output: one.output + other.output,
  cacheRead: one.cacheRead + other.cacheRead,
  cacheWrite: one.cacheWrite + other.cacheWrite,
  // Below a billionth of a dollar there is only rounding.
  costUsd: Math.round((one.costUsd + other.costUsd) * 1e9) / 1e9,
})

/** A post that failed half-way is sent again: the same request must not be paid twice. */
export const count = (session: Session, event: Of<'requested'>): Session => {
  const { at, model, usage, ms } = event
  const key = at === undefined ? undefined : JSON.stringify([at, model, ms, usage])
  if (key !== undefined && session.counted.includes(key)) return session
  const counted = key === undefined ? session.counted : within(session.counted, [key], 50)
  return { ...session, counted, usage: sum(session.usage, usage) }
}

/** It proves that the API works again. Not that the turn goes on: a subagent's requests look the same. */
const requested = (session: Session, event: Of<'requested'>): Session => {
  const counted = count(session, event)
  const since = session.limit?.since ?? session.trouble?.since
  return since !== undefined && (event.at ?? 0) > since ? withoutTrouble(counted) : counted
}

const decided = (session: Session, { call, accepted, person }: Of<'decided'>, at: number): Session => {
  if (accepted) return permit(session, call)
  const mine = session.calls.some((one) => one.id === call)
  const rest = closeCall(session, call)
  // A "No" ends the turn; the transcript says so, unless the person told the model how to go on.
  return person && mine ? doubt(rest, at + patience.refusal) : rest
}

const requestFailed = (session: Session, event: Of<'request_failed'>, at: number): Session => {
  const { turn } = session
  if (!event.final || turn === undefined || event.at === undefined || event.at < turn.since) return session
  return withFailure(closeTurn(session), { ...event, text: event.error }, at)
}

export const hearTelemetry = (session: Session, event: TelemetryEvent, at: number): Session => {
  // A CLI that the agent started in its shell inherits our address. It is that call's business, not a conversation
  // of ours.
  if (event.session !== undefined && !session.ids.includes(event.session)) return session
  switch (event.kind) {
    case 'decided':
      return decided(session, event, at)
    case 'ended':
      return ranCall(session, event.ended.call, event.ended.ran)
    case 'requested':
      return requested(session, event)
    case 'request_failed':
      return requestFailed(session, event, at)
    default:
      // `prompted` begins no turn: commands such as `/exit` are told so too, and never end.
      return session
  }
}
