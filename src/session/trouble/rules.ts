// Why a turn failed, and what a person can do about it.
import { oneLine } from '../../base/text/rules.ts'
import type { Session } from '../schema.ts'
import { withoutTrouble } from '../turn/rules.ts'

export type Failed = { readonly error: string; readonly text: string; readonly status?: number }

const minute = 60_000

/** What is said of a quota; anything else that ends by itself is an outage. */
export const quota = 'the quota is used up'

const isQuota = ({ error, text, status }: Failed): boolean =>
  status === 429 || error === 'rate_limit' || /(usage|rate).?limit|hit your .*limit/i.test(text)

const isOutage = ({ error, text, status }: Failed): boolean =>
  (status !== undefined && status >= 500) ||
  ['overloaded', 'server_error'].includes(error) ||
  /overloaded|API Error: 5\d\d|connection error|timed? ?out/i.test(text)

const advice: readonly (readonly [is: RegExp, what: string, next: string])[] = [
  [
    /authentication|not logged in|invalid api key|\/login|oauth|\b40[13]\b/i,
    'Claude is not logged in',
    'Type `agency credential set claude-token`, stop the agent and launch it again.',
  ],
  [
    /billing|credit balance/i,
    'the account has no credit',
    'Add credit to the account, then send the agent a message.',
  ],
  [
    /prompt is too long|context.*(overflow|exceed|window)|prompt_too_long/i,
    'the conversation is too long',
    'Attach and type `/compact`, or launch the agent anew.',
  ],
  [
    /model.*(not found|not exist|unknown)|not_found/i,
    'the model is not available',
    'Set another `model` in the role and launch the agent again.',
  ],
]

/** "…|1794779512" names the second at which the quota is back. */
const toldEnd = (text: string): number | undefined => {
  const [, seconds] = /\|(\d{10})\b/.exec(text) ?? []
  return seconds === undefined ? undefined : Number(seconds) * 1000
}

/** Quota and outages end by themselves; anything else needs a person. */
export const withFailure = (session: Session, failed: Failed, at: number): Session => {
  const calm = withoutTrouble(session)
  const told = toldEnd(failed.text)
  if (isQuota(failed)) {
    const until = told ?? at + 5 * minute
    return { ...calm, limit: { what: quota, since: at, until, sure: told !== undefined } }
  }
  if (isOutage(failed))
    return { ...calm, limit: { what: 'the API has trouble', since: at, until: at + minute, sure: false } }
  const words = `${failed.status ?? ''} ${failed.error} ${failed.text}`
  const [, what, next] = advice.find(([is]) => is.test(words)) ?? []
  return {
    ...calm,
    trouble: {
      what: what ?? (oneLine(failed.text, 200) || failed.error || 'the turn failed'),
      next: next ?? `Look with \`agency attach ${session.agent}\`, then send it a message.`,
      since: at,
    },
  }
}
