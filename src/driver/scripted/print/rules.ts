// The result line and the exit code of `-p`. Neither alone says whether it went well.
import { type Ending, modelUsage, type Spent, wireUsage } from '../session/rules.ts'

type Json = Record<string, unknown>

export type Ran = Ending & { limits: { turns?: number | undefined; cost?: number | undefined } }
export type Report = {
  session: string
  uuid: string
  index: number
  spent: Spent
  denials: readonly Json[]
  ms: number
}

const errors = ({ reason, limits }: Ran): { subtype: string; words: string[] } | undefined => {
  if (reason === 'max_turns')
    return { subtype: 'error_max_turns', words: [`Reached maximum number of turns (${limits.turns})`] }
  if (reason === 'budget_exhausted')
    return { subtype: 'error_max_budget_usd', words: [`Reached maximum budget ($${limits.cost})`] }
  if (reason === 'aborted_tools' || reason === 'aborted_streaming')
    return { subtype: 'error_during_execution', words: ['[ede_diagnostic] the turn was interrupted'] }
  return undefined
}

export const resultLine = (ran: Ran, report: Report): Json => {
  const error = errors(ran)
  return {
    type: 'result',
    subtype: error?.subtype ?? 'success',
    is_error: error !== undefined || ran.trouble !== undefined,
    api_error_status: ran.trouble?.status ?? null,
    duration_ms: report.ms,
    duration_api_ms: report.spent.apiMs,
    ttft_ms: 0,
    num_turns: ran.turns,
    ...(error ? {} : { result: ran.text }),
    stop_reason: ran.stop,
    session_id: report.session,
    total_cost_usd: report.spent.cost,
    usage: wireUsage(ran.usage),
    modelUsage: modelUsage(report.spent),
    permission_denials: report.denials,
    terminal_reason: ran.reason,
    subagent_stats: {},
    result_index: report.index,
    queued_turn_count: 0,
    uuid: report.uuid,
    ...(ran.deferred ? { deferred_tool_use: ran.deferred } : {}),
    ...(ran.structured ? { structured_output: ran.structured } : {}),
    ...(error ? { errors: error.words } : {}),
  }
}

/** A stream says in a line of its own why there is nothing to resume. */
export const refusedLine = ({ problem, session }: { problem: string; session?: string }): Json => ({
  type: 'result',
  subtype: 'error_during_execution',
  is_error: true,
  num_turns: 0,
  session_id: session,
  errors: [problem],
})

/** `unjudged`: a classifier was needed and is not there; exit 1 although the result says success. */
export const exitOf = (ran: Ran, bySignal: boolean, unjudged: boolean): number => {
  if (bySignal) return 0
  if (errors(ran) || ran.trouble) return 1
  return unjudged ? 1 : 0
}

export const textOf = (ran: Ran): string => errors(ran)?.words[0] ?? ran.text
