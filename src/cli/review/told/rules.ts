// Reviews in words. What agents, people and reviewers wrote is indented, so that none of it can pass for ours.

import { oneLine } from '../../../base/text/rules.ts'
import type { ReviewLine, ReviewStat } from '../../../review/api.ts'
import { isOwed } from '../../../review/record/rules.ts'
import type { Decision, Review, TraceEvent, Trigger } from '../../../review/schema.ts'
import { span } from '../../../session/summary/rules.ts'
import { table } from '../../output/rules.ts'

export const listed = (lines: readonly ReviewLine[], now: number): string[] =>
  table([
    ['SESSION', 'AGENT', 'STATE', 'VERDICT', 'BLOCKS', 'CHANGED', 'ABOUT'],
    ...lines.map(({ session, agent = '-', state, verdict = '-', blocks, changed, about }) => [
      session,
      agent,
      state,
      verdict,
      String(blocks),
      `${span(now - changed)} ago`,
      oneLine(about, 60),
    ]),
  ])

const quoted = (text: string): string[] => text.split(/\r\n|[\r\n\u2028\u2029]/).map((line) => `  | ${line}`)

const causes: Readonly<Record<NonNullable<Review['cause']>, string>> = {
  prompt: 'the prompt asks for it',
  always: 'every end of a turn is reviewed',
  gate: 'a gate has stopped a call',
  changed: 'the work has changed since its verdict',
}

const gated = ({ tool, input, at, pattern }: Trigger, now: number): string[] => [
  '',
  `Gated call, ${span(now - at)} ago: ${oneLine(tool, 100)}, by the gate ${oneLine(pattern, 200)}`,
  ...quoted(typeof input.value === 'string' ? input.value : (JSON.stringify(input.value, null, 2) ?? '')),
  ...(input.cut ? [`  (the beginning of ${input.size} bytes, SHA-256 ${input.sha256})`] : []),
]

const whose = ({ by, name }: Decision): string =>
  by === 'person' ? oneLine(name ?? 'a person', 100) : `the reviewer (${by})`

const decided = (decision: Decision, now: number): string[] => [
  '',
  `Verdict, ${span(now - decision.at)} ago: ${decision.verdict}, by ${whose(decision)}`,
  ...quoted(decision.summary),
  ...(decision.message === undefined ? [] : ['Told the agent:', ...quoted(decision.message)]),
  ...(decision.opinions === undefined ? [] : ['Other opinions:', ...quoted(decision.opinions)]),
]

/** What is typed to decide; `secret` only by the reviewer inside the session. */
export const waysOf = ({ session, attempts }: Review, program: string): readonly string[] => {
  const secret = attempts.at(-1)?.by === 'subagent' ? ' --secret SECRET' : ''
  return [
    `${program} decide ${session} COMPLETE "SUMMARY"${secret}`,
    `${program} decide ${session} ISSUES "SUMMARY" -m "WHAT TO DO"${secret}`,
  ]
}

export type Viewed = {
  readonly agent?: string | undefined
  /** What the commands of reviews are called here. */
  readonly program: string
  readonly now: number
}

export const contextOf = (review: Review, { agent, program, now }: Viewed): string[] => {
  const { session, state, cause, blocks, prompts, trigger, decisions } = review
  const last = decisions.at(-1)
  const why = cause === undefined ? '' : ` (${causes[cause]})`
  return [
    `Session ${session}${agent === undefined ? '' : ` of ${agent}`}: ${state}${why}`,
    `Blocks so far: ${blocks}`,
    ...prompts.flatMap(({ text, at, cut }) => [
      '',
      `Prompt, ${span(now - at)} ago${cut ? ', cut' : ''}:`,
      ...quoted(text),
    ]),
    ...(trigger === undefined ? [] : gated(trigger, now)),
    ...(last === undefined ? ['', 'No verdict yet.'] : decided(last, now)),
    ...(isOwed(review)
      ? ['', 'To decide, type one of:', ...waysOf(review, program).map((way) => `  ${way}`)]
      : []),
  ]
}

const detail = (data: TraceEvent['data']): string =>
  Object.entries(data)
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' ')

export const traced = (events: readonly TraceEvent[], verbose: boolean): string[] =>
  events.flatMap(({ at, name, data }) => {
    const head = `${at.replace('T', ' ').replace('Z', '')}  ${name}`
    if (verbose) return [head, ...quoted(JSON.stringify(data, null, 2))]
    return [`${head.padEnd(42)}  ${oneLine(detail(data), 160)}`.trimEnd()]
  })

/** What somebody who has decided is told. */
export const toldOf = ({ session, decisions }: Review): string => {
  const last = decisions.at(-1)
  return last === undefined
    ? `Session ${session} has no verdict.`
    : `Session ${session}: ${last.verdict}, by ${whose(last)}.`
}

const percent = (part: number | undefined): string =>
  part === undefined ? '-' : `${Math.round(part * 100)} %`

const between = ({ low, high }: ReviewStat): string =>
  low === undefined || high === undefined ? '-' : `${Math.round(low * 100)}-${Math.round(high * 100)} %`

export const compared = (stats: readonly (ReviewStat & { readonly where: string })[]): string[] =>
  table([
    [
      'TEXT',
      'WHERE',
      'TRIES',
      'VERDICT',
      'NOT SPAWNED',
      'NO DECISION',
      'BAD SESSION',
      'OPEN',
      'BLOCKS',
      'RATE',
      '95 %',
    ],
    ...stats.map((each) => [
      oneLine(each.template, 40),
      each.where,
      String(each.tries),
      String(each.success),
      String(each.not_spawned),
      String(each.no_decision),
      String(each.bad_session_id),
      String(each.pending + each.withdrawn),
      each.mean_blocks === undefined ? '-' : each.mean_blocks.toFixed(1),
      percent(each.rate),
      between(each),
    ]),
  ])
