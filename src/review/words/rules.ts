// What agents and reviewers are told.
import { clip, oneLine } from '../../base/text/rules.ts'
import { type Decision, most, type Setting } from '../schema.ts'

const spawnWords = (session: string): string =>
  `Use the Agent tool with subagent_type "roz:roz" and a prompt that begins with SESSION_ID=${session}.`

/** A gate that stays closed. */
export const gateWords = (
  pattern: string,
  need: 'begin' | 'wait' | 'spawn' | 'none',
  session: string,
  tell: string | undefined,
): string => {
  const what = `This call needs a review first (gate ${oneLine(pattern, 200)}).`
  const said = tell === undefined ? '' : `\n${tell}\n`
  if (need === 'wait')
    return `${what} A reviewer is at work: make exactly the same call again when it has decided.`
  if (need === 'begin')
    return `${what} An independent reviewer looks at the work now: make exactly the same call again in a while.`
  if (need === 'none') return `${what}${said}Make the call again when that is done, and it is reviewed again.`
  return `${what}${said || ' '}${spawnWords(session)} When it has said COMPLETE, make exactly the same call again.`
}

export const issuesWords = ({ summary, message }: Pick<Decision, 'summary' | 'message'>): string =>
  clip(`The reviewer found ISSUES: ${summary}${message ? `\n${message}` : ''}`, most.message + most.summary)

export const failedWords = (why: string): string =>
  `The reviewer gave no verdict: ${oneLine(why, most.why)}. The work is not approved.`

export const refusedWords = (tell: string): string =>
  `${tell}\nDo what is needed, then finish again: the work is reviewed again.`

export const undecidedWords =
  'You have not given your verdict. Run the decide command that you were given at the start, with your secret, with COMPLETE or with ISSUES: until then nothing is reviewed.'

export const warningWords = (blocks: number, { circuit_breaker, gates }: Setting): string => {
  const stay = gates.tools.length === 0 ? '' : ' Gated calls stay closed.'
  return `Review not complete: the end of the turn was refused ${blocks} times and is let through now, unreviewed.${stay} The work is asked about again after ${circuit_breaker.cooldown_seconds} s; a person can decide with \`agency review decide\`.`
}

export const secretWords = (session: string, secret: string): string =>
  [
    `You are the reviewer of session ${session}. This secret is yours alone, works once, and is never shown to the agent that you review: ${secret}`,
    'When you are done, run one of these:',
    `  roz decide ${session} COMPLETE "<summary>" --secret ${secret}`,
    `  roz decide ${session} ISSUES "<summary>" -m "<what to do>" --secret ${secret}`,
  ].join('\n')
