import type { Line } from '../../budget/rules.ts'
import { adviceOf, noticeOf } from '../../budget/told/rules.ts'
import { isOver, stateOf } from '../../session/rules.ts'
import type { Session } from '../../session/schema.ts'
import { summary } from '../../session/summary/rules.ts'
import type { AgentEntry } from '../api.ts'

/** What of an agent does not change while its session lives. */
export type AgentFacts = {
  readonly name: string
  readonly role?: string | undefined
  readonly pod?: string | undefined
  /** It takes what waits for whoever is free. */
  readonly queue?: boolean | undefined
  readonly cwd: string
  readonly launched: string
}

type Now = {
  readonly pid?: number | undefined
  readonly keeper?: number | undefined
  /** One that is near or reached. */
  readonly limit?: Line | undefined
  /** The approval by which a person is asked to accept its work. */
  readonly review?: string | undefined
}

const budgetIn = (limit: Line | undefined): { readonly budget?: string; readonly next?: string } => {
  if (limit === undefined) return {}
  const next = `Type \`${adviceOf(limit)}\` to let it go on.`
  return { budget: noticeOf(limit), ...(limit.level === 'reached' && { next }) }
}

export const entryOf = (
  facts: AgentFacts,
  session: Session,
  { limit, review, ...processes }: Now,
  queued: number,
  at: number,
): AgentEntry => {
  const { name, role, pod, cwd, launched } = facts
  const said = summary(session, at)
  const state = stateOf(session)
  const { budget, next: raise } = isOver(session) ? {} : budgetIn(limit)
  const held = isOver(session) || review === undefined ? undefined : `in review: ${review}`
  const told = [said.text, held, budget].filter((words) => words !== undefined).join(', ')
  const accept =
    held && `Type \`agency approve ${review}\` to accept the work as it is, or \`agency deny ${review}\`.`
  const next = said.next ?? accept ?? raise
  const escaped = session.unsupervised !== undefined && state.name !== 'unsupervised'
  return {
    name,
    session: session.id,
    ...(role === undefined ? {} : { role }),
    ...(pod === undefined ? {} : { pod }),
    managed: session.managed,
    state: state.name,
    text: escaped ? `${said.text}, was unsupervised: ${session.unsupervised}` : told,
    state_seconds: Math.floor(said.forMs / 1000),
    launched_at: launched,
    cwd,
    turns: said.turns,
    tokens: said.tokens,
    cost_usd: said.costUsd,
    needs_you: said.needsYou || held !== undefined || raise !== undefined,
    ...(state.name === 'blocked' ? { blocked_tool: state.tool } : {}),
    ...(state.name === 'blocked' && state.approval !== undefined ? { approval: state.approval } : {}),
    background: said.background,
    queued_messages: queued,
    ...(next === undefined ? {} : { next }),
    ...(budget === undefined ? {} : { budget }),
    ...(processes.pid === undefined ? {} : { pid: processes.pid }),
    ...(processes.keeper === undefined ? {} : { keeper: processes.keeper }),
  }
}
