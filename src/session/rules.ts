// What a session is doing.
//
//   launched ──▶ starting ──first hook──▶ idle ◀──end of turn, interrupted, silence after Esc── working
//                   │                      │ ──prompt───────────────────────────────────────▶ │  ▲
//                   │ too late             │                          asks for permission    ▼  │ answered
//                   ▼                      └──failed──▶ limited, error ──prompt, time──┐   blocked
//             unsupervised ◀── a tool ran that never asked (from anywhere)             └▶ idle, working
//
//   anywhere ──keeper: child ended──▶ exited      anywhere ──keeper gone──▶ lost ──exit code found──▶ exited
//   idle, working ──host──▶ draining              without a role: unmanaged ──▶ exited, lost
//
// Which signal ends a turn when no hook does:
//   "No" or Esc in a dialog     the interrupted line of the transcript; without it the rejected `decided` of the
//                               telemetry, or the hook connection that was closed, and 10 s of silence
//   Esc after any output        the interrupted line of the transcript
//   Esc before any output       nothing tells: no hook, line, telemetry or notification. The keeper saw the key; if
//                               3 s later the model has still shown nothing, the prompt lies in the input line
//                               again: idle. A turn that did go on corrects this with its next call.
// Late signals cannot undo what is newer: turns and calls that are over stay over, the transcript is placed by the
// turn it tells of, telemetry decides only about the call it names.

import { asksPerson } from '../permission/tool/rules.ts'
import { hearAnswer, hearClosed, hearHook } from './hook/rules.ts'
import type { ApprovalEvent, KeeperEvent, Session, SessionState, Signal } from './schema.ts'
import { count, hearTelemetry } from './telemetry/rules.ts'
import { hearTranscript } from './transcript/rules.ts'
import { closeTurn, doubt, patience, question, settle } from './turn/rules.ts'

export type LaunchFacts = {
  readonly id: string
  readonly agent: string
  readonly managed: boolean
  readonly reviewer: boolean
  readonly at: number
  /** How long the first hook may take. */
  readonly reportMs: number
  /** What the conversation has used before, where it is resumed. */
  readonly before?: Pick<Session, 'usage' | 'turns'>
}

export const launched = ({ id, agent, managed, reviewer, at, reportMs, before }: LaunchFacts): Session => ({
  id,
  ids: [id],
  agent,
  managed,
  reviewer,
  launchedAt: at,
  reportBy: at + reportMs,
  heard: at,
  since: at,
  started: false,
  ending: false,
  draining: false,
  ended: [],
  calls: [],
  asked: [],
  closed: [],
  waiting: [],
  compacting: false,
  queue: [],
  background: [],
  usage: before?.usage ?? { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, costUsd: 0 },
  counted: [],
  turns: before?.turns ?? 0,
  draft: false,
})

/** Who waits for a person: a request that is put to one, or a tool that is itself a question. */
const blockedOn = ({ waiting, calls }: Session): SessionState | undefined => {
  const request = waiting.find((one) => one.by === 'person')
  if (request !== undefined) {
    const approval = request.approval === undefined ? {} : { approval: request.approval }
    return { name: 'blocked', tool: request.tool, ...approval }
  }
  const asking = calls.find((call) => asksPerson(call.tool))
  return asking && { name: 'blocked', tool: asking.tool }
}

const working = ({ turn, calls, waiting, compacting }: Session): SessionState | undefined => {
  if (compacting) return { name: 'working', doing: 'compacting' }
  if (waiting.some((one) => one.subagent === undefined))
    return { name: 'working', doing: 'permission review' }
  const [call] = calls.slice(-1)
  if (call !== undefined) return { name: 'working', doing: 'tool', tool: call.tool }
  return turn && { name: 'working', doing: turn.review ? 'review' : 'thinking' }
}

/** "needs you" comes before everything that is not an end: it must never look idle. */
export const stateOf = (session: Session): SessionState => {
  const { over, unsupervised, limit, trouble } = session
  if (over?.how === 'exited') return { name: 'exited', code: over.code, signal: over.signal }
  if (over?.how === 'lost') return { name: 'lost' }
  if (unsupervised !== undefined) return { name: 'unsupervised', why: unsupervised }
  if (!session.managed) return { name: 'unmanaged' }
  if (!session.started) return { name: 'starting' }
  const blocked = blockedOn(session)
  if (blocked !== undefined) return blocked
  if (session.draining || session.ending) return { name: 'draining' }
  if (limit !== undefined) return { name: 'limited', what: limit.what, until: limit.until, sure: limit.sure }
  if (trouble !== undefined) return { name: 'error', what: trouble.what, next: trouble.next }
  return working(session) ?? { name: 'idle' }
}

export const isOver = (session: Session): boolean => session.over !== undefined

/** Nothing of it goes on, in the background neither. */
export const isQuiet = (session: Session): boolean =>
  stateOf(session).name === 'idle' && session.background.length === 0 && session.queue.length === 0

const ended = (session: Session, over: Session['over']): Session => ({
  ...closeTurn(session),
  waiting: [],
  background: [],
  queue: [],
  ...(over && { over }),
})

const hearKeeper = (session: Session, event: KeeperEvent, at: number): Session => {
  switch (event.kind) {
    case 'exited':
      return ended(session, { how: 'exited', code: event.code, signal: event.signal })
    case 'lost':
      return ended(session, { how: 'lost' })
    case 'output':
      return { ...session, output: at }
    case 'typed': {
      const { typed: _typed, ...rest } = session
      // The keys are for the dialog, not for the input line.
      if (session.waiting.length > 0 && event.key !== 'escape') return session
      // What a person did to the draft nobody knows; clearing an empty line would open a menu.
      if (event.key === 'text') return { ...rest, typed: at, draft: false }
      if (event.key === 'submit') return { ...rest, draft: false }
      // After any output the transcript tells of an Esc; and Esc may only have closed a menu.
      const silent = session.turn?.answered === false || session.compacting
      return silent ? doubt(session, at + patience.escape) : session
    }
  }
}

const hearApproval = (session: Session, event: ApprovalEvent): Session => {
  if (event.kind === 'asked') {
    const { kind: _kind, ...request } = event
    return question(session, request, 'person')
  }
  const found = session.waiting.find((one) => one.approval === event.approval)
  return found ? settle(session, found, event.refused) : session
}

const hearClock = (session: Session, at: number): Session => {
  if (session.managed && !session.started && session.unsupervised === undefined && at >= session.reportBy) {
    const seconds = Math.round((session.reportBy - session.launchedAt) / 1000)
    return { ...session, unsupervised: `its first hook did not report within ${seconds} s` }
  }
  const { limit, ...rest } = session
  const free = limit !== undefined && at >= limit.until ? rest : session
  if (free.doubt === undefined || at < free.doubt) return free
  return { ...closeTurn(free), draft: free.turn?.answered === false && free.turn.id !== undefined }
}

const apply = (session: Session, signal: Signal, at: number): Session => {
  switch (signal.from) {
    case 'hook':
      return hearHook(session, signal.event, { ...signal, at })
    case 'answer':
      return hearAnswer(session, signal.event, { ...signal, at })
    case 'closed':
      return hearClosed(session, signal.event, { ...signal, at })
    case 'transcript':
      return hearTranscript(session, signal.event, at)
    case 'telemetry':
      return hearTelemetry(session, signal.event, at)
    case 'keeper':
      return hearKeeper(session, signal.event, at)
    case 'approval':
      return hearApproval(session, signal.event)
    case 'limits': {
      const until = signal.until ?? at + 5 * 60_000
      return { ...session, limit: { what: signal.what, since: at, until, sure: signal.until !== undefined } }
    }
    case 'host':
      return { ...session, draining: signal.draining }
    case 'clock':
      return hearClock(session, at)
  }
}

/** An end stays an end. Only what is still to be paid, and an exit code that is found later, are news. */
const afterEnd = (session: Session, signal: Signal): Session => {
  if (signal.from === 'telemetry' && signal.event.kind === 'requested' && ours(session, signal.event.session))
    return count(session, signal.event)
  const found = signal.from === 'keeper' && signal.event.kind === 'exited' ? signal.event : undefined
  if (found === undefined || session.over?.how !== 'lost') return session
  return { ...session, over: { how: 'exited', code: found.code, signal: found.signal } }
}

const ours = (session: Session, id: string | undefined): boolean =>
  id === undefined || session.ids.includes(id)

const same = (one: SessionState, other: SessionState): boolean =>
  JSON.stringify(one) === JSON.stringify(other)

/** The session after a signal. `at` is when it arrived; an earlier one than the last changes no clock. */
export const hear = (session: Session, signal: Signal, at: number): Session => {
  const now = Math.max(session.heard, at)
  const next = isOver(session) ? afterEnd(session, signal) : apply(session, signal, now)
  const moved = !same(stateOf(session), stateOf(next))
  return { ...next, heard: now, ...(moved && { since: now }) }
}

/** When `clock` must be told next; undefined = nothing waits for time. */
export const deadline = (session: Session): number | undefined => {
  if (isOver(session)) return undefined
  const report = session.managed && !session.started && session.unsupervised === undefined
  const times = [report ? session.reportBy : undefined, session.doubt, session.limit?.until]
  const set = times.filter((time) => time !== undefined)
  return set.length === 0 ? undefined : Math.min(...set)
}
