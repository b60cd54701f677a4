import { stateOf } from '../../session/rules.ts'
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

type Processes = { readonly pid?: number | undefined; readonly keeper?: number | undefined }

export const entryOf = (
  facts: AgentFacts,
  session: Session,
  processes: Processes,
  queued: number,
  at: number,
): AgentEntry => {
  const { name, role, pod, cwd, launched } = facts
  const said = summary(session, at)
  const state = stateOf(session)
  const escaped = session.unsupervised !== undefined && state.name !== 'unsupervised'
  return {
    name,
    session: session.id,
    ...(role === undefined ? {} : { role }),
    ...(pod === undefined ? {} : { pod }),
    managed: session.managed,
    state: state.name,
    text: escaped ? `${said.text}, was unsupervised: ${session.unsupervised}` : said.text,
    state_seconds: Math.floor(said.forMs / 1000),
    launched_at: launched,
    cwd,
    turns: said.turns,
    tokens: said.tokens,
    cost_usd: said.costUsd,
    needs_you: said.needsYou,
    ...(state.name === 'blocked' ? { blocked_tool: state.tool } : {}),
    ...(state.name === 'blocked' && state.approval !== undefined ? { approval: state.approval } : {}),
    background: said.background,
    queued_messages: queued,
    ...(said.next === undefined ? {} : { next: said.next }),
    ...(processes.pid === undefined ? {} : { pid: processes.pid }),
    ...(processes.keeper === undefined ? {} : { keeper: processes.keeper }),
  }
}
