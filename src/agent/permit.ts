// Who is asked for a permission: a rule that a person gave for this session, then the reviewer, then a person. The hook
// is held meanwhile. Fails closed: what cannot be stored is not answered, and what nobody decided is no opinion, which
// leaves the agent's own dialog standing and is a refusal where there is none.
import { type Approvals, type Asking, remembered } from '../approval/desk.ts'
import { isOpen, isSettled, refusalOf, verdictOf } from '../approval/rules.ts'
import type { Answering, Approval, ApprovalSignal } from '../approval/schema.ts'
import type { Answer, HookEvent } from '../driver/schema.ts'
import type { Session, Signal } from '../session/schema.ts'
import type { Permit } from './hooks.ts'
import type { Forbids } from './judge.ts'
import { remember } from './memory.ts'
import type { Review } from './reviewer/reviewer.ts'

export type { Review } from './reviewer/reviewer.ts'

type Asked = Extract<HookEvent, { kind: 'permission_asked' }>

export type PermitOptions = {
  readonly agent: string
  readonly role?: string | undefined
  readonly pod?: string | undefined
  /** By the id of its launch. */
  readonly session: string
  readonly terminal: boolean
  readonly approvals: Approvals
  /** How long a person may take, in milliseconds; undefined = as long as the agent waits. */
  readonly patience: () => Promise<number | undefined>
  readonly review?: Review | undefined
  /** Asked again: what its rules refuse by now nobody can allow. */
  readonly forbids?: Forbids | undefined
  readonly tell: (signal: Signal) => void
}

export type Permits = Permit & {
  /** Before the session hears it. */
  hear(signal: Signal, session: Session): void
  /** After it has. */
  follow(session: Session): void
  /** The turn is to end: all that it asks is refused. Returns how much that is. */
  dismiss(why: string): number
  close(): void
}

/**
 * An answer takes the dialog away only when the agent has got it: until it has told so, nothing may be typed, or Enter
 * would answer the dialog. Where it tells nothing, the answer has arrived after this long.
 */
const silence = 5_000

const answerOf = (approval: Approval): Answer => {
  const { answer, receipt, rule } = approval
  // The dialog was first, or nobody waits: whatever we say now is not looked at.
  if (answer === undefined || (receipt !== undefined && receipt.won !== answer.via)) return { kind: 'none' }
  if (answer.verdict === 'deny')
    return { kind: 'deny', reason: refusalOf(approval), ...(answer.interrupt && { interrupt: true }) }
  return { kind: 'allow', ...(answer.always !== undefined && rule !== undefined && { rules: [rule] }) }
}

/** What a signal tells of a call, and of which. */
const newsIn = (signal: Signal, session: Session): { call: string; news: ApprovalSignal } | undefined => {
  if (signal.from === 'hook') {
    const { event } = signal
    if (event.kind === 'tool_done' || event.kind === 'tool_failed')
      return { call: event.call.id, news: { from: 'ran' } }
    return event.kind === 'permission_denied' ? { call: event.call.id, news: { from: 'unrun' } } : undefined
  }
  if (signal.from === 'transcript') {
    if (signal.event.kind !== 'ended') return undefined
    const { call, ok, ran } = signal.event.ended
    // A failure may be that of the tool, or our own refusal in its place.
    if (ran && !ok) return undefined
    return { call, news: { from: ran ? 'ran' : 'unrun' } }
  }
  if (signal.from !== 'telemetry') return undefined
  const { event } = signal
  // A CLI that the agent started in its shell tells us too.
  if (event.session !== undefined && !session.ids.includes(event.session)) return undefined
  if (event.kind === 'decided') {
    const { call, accepted, person } = event
    return { call, news: { from: 'decided', accepted, person } }
  }
  return event.kind === 'ended' && event.ended.ran
    ? { call: event.ended.call, news: { from: 'ran' } }
    : undefined
}

export const permitOf = (options: PermitOptions): Permits => {
  const { agent, role, pod, session, terminal, approvals, patience, review, forbids, tell } = options
  /** Those that the session knows of and waits for. */
  const shown = new Set<string>()
  const left = new Map<string, true>()
  /** Those that the reviewer looks at, by their hooks. */
  const reviewed = new Map<string, { readonly call?: string | undefined; readonly gone: AbortController }>()
  let over = false

  /** Nobody waits for it any more. */
  const leave = (id: string): void => {
    remember(left, id, true)
    reviewed.get(id)?.gone.abort()
  }

  const timers = new Set<NodeJS.Timeout>()

  const later = (signal: Signal): void => {
    const timer = setTimeout(() => {
      timers.delete(timer)
      tell(signal)
    }, silence).unref()
    timers.add(timer)
  }

  const see = (approval: Approval): void => {
    if (!shown.has(approval.id) || isOpen(approval)) return
    shown.delete(approval.id)
    const refused = verdictOf(approval) !== 'allow'
    const signal = { from: 'approval', event: { kind: 'answered', approval: approval.id, refused } } as const
    if (approval.receipt === undefined && approval.life !== 'gone') later(signal)
    else tell(signal)
  }
  const stop = approvals.watch(see)
  // Those that a host before has asked, or has answered without being told what came of it.
  for (const approval of approvals.list(session).filter((one) => !isSettled(one))) {
    shown.add(approval.id)
    see(approval)
  }

  const askingOf = async (hook: string, event: Asked, call: string | undefined): Promise<Asking> => {
    const { tool, input, turn, subagent } = event
    const time = await patience()
    return {
      agent,
      ...(role !== undefined && { role }),
      ...(pod !== undefined && { pod }),
      session,
      hook,
      tool,
      input,
      terminal,
      ...(call !== undefined && { call }),
      ...(turn !== undefined && { turn }),
      ...(subagent !== undefined && { subagent: subagent.id }),
      ...(time !== undefined && { patience: time }),
    }
  }

  /** What needs no person; undefined = one is asked. */
  const decided = async (asking: Asking, cwd: string): Promise<Answering | undefined> => {
    const { tool, input, hook, call } = asking
    const why = await forbids?.(tool, input, cwd)
    if (why !== undefined) return { verdict: 'deny', by: 'the rules of its role', via: 'rule', reason: why }
    if (remembered(approvals, asking))
      return { verdict: 'allow', by: 'what was allowed for this session', via: 'rule' }
    if (review === undefined) return undefined
    const gone = new AbortController()
    reviewed.set(hook, { call, gone })
    const said = await review({ agent, session, tool, input, cwd, call }, gone.signal)
      .catch(() => undefined)
      .finally(() => reviewed.delete(hook))
    if (said === undefined || said.verdict === 'ask') return undefined
    return { verdict: said.verdict, by: 'the reviewer', via: 'reviewer', reason: said.reason.slice(0, 2_000) }
  }

  const show = ({ id, tool, call, subagent }: Approval): void => {
    shown.add(id)
    const about = { ...(call !== undefined && { call }), ...(subagent !== undefined && { subagent }) }
    tell({ from: 'approval', event: { kind: 'asked', approval: id, tool, ...about } })
  }

  /** undefined = it hung up, or was answered in the dialog, while it was reviewed. */
  const open = async (id: string, event: Asked, call: string | undefined): Promise<Approval | undefined> => {
    const known = approvals.byHook(session, id)
    if (known !== undefined) return known
    const asking = await askingOf(id, event, call)
    const answer = await decided(asking, event.cwd)
    // The host goes: whoever comes next is asked again.
    if (over) return new Promise(() => {})
    if (left.has(id)) return undefined
    const approval = await approvals.ask(asking, answer)
    if (answer !== undefined) {
      const refused = answer.verdict === 'deny'
      later({ from: 'answer', event, ...(call !== undefined && { call }), refused })
    }
    return approval
  }

  return {
    known: (id) => approvals.byHook(session, id)?.call,
    ask: async (id, event, call) => {
      const approval = await open(id, event, call)
      if (approval === undefined) return { kind: 'none' }
      if (!isOpen(approval)) return answerOf(approval)
      show(approval)
      // It was answered, or hung up, while it was stored.
      see(approvals.find(approval.id))
      if (left.has(id)) void approvals.tell(approval.id, { from: 'closed' })
      return answerOf(await approvals.answered(approval.id))
    },
    closed: (id) => {
      leave(id)
      const approval = approvals.byHook(session, id)
      if (approval !== undefined) void approvals.tell(approval.id, { from: 'closed' })
    },
    hear: (signal, before) => {
      const found = newsIn(signal, before)
      if (found === undefined) return
      // It was decided in the dialog: the connection stays open until the call has ended.
      for (const [id, { call }] of reviewed) if (call === found.call) leave(id)
      for (const { id, call } of approvals.list(session))
        if (call === found.call) void approvals.tell(id, found.news)
    },
    follow: ({ waiting }) => {
      for (const { id } of approvals.list(session).filter((one) => isOpen(one) && shown.has(one.id)))
        if (!waiting.some((one) => one.approval === id))
          void approvals.tell(id, { from: 'over', why: 'the agent went on' })
    },
    dismiss: (why) => {
      const asked = approvals.list(session).filter(isOpen)
      for (const { id } of asked)
        void approvals
          .answer(id, { verdict: 'deny', by: 'agency', via: 'rule', reason: why, interrupt: true })
          // Somebody was faster, or the disk is full: the turn is looked at again.
          .catch(() => {})
      return asked.length
    },
    close: () => {
      stop()
      over = true
      for (const { gone } of reviewed.values()) gone.abort()
      for (const timer of timers) clearTimeout(timer)
    },
  }
}
