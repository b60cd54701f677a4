// What the answer of a reviewer means. Fails closed: of everything that it could say, one thing in one form is a COMPLETE.
import { clip, oneLine, printable } from '../../../base/text/rules.ts'
import type { Exit, Outcome, StreamEvent } from '../../../driver/schema.ts'
import { type Answer, answer, limits } from '../schema.ts'

/** How a process ended, and what it printed that is no protocol, or all of it where nothing was understood. */
export type Printed = {
  readonly outcome: Outcome
  readonly events: readonly StreamEvent[]
  readonly exit: Exit
  readonly text: string
}

export type Read = { readonly answer: Answer } | { readonly failed: string }

const failed = (why: string, said = ''): Read => {
  const seen = oneLine(said, 200)
  return { failed: seen === '' ? why : `${why}: ${seen}` }
}

const tidy = ({ verdict, summary, message }: Answer): Answer => ({
  verdict,
  summary: clip(printable(summary).trim(), limits.summary),
  ...(message && { message: clip(printable(message).trim(), limits.message) }),
})

const tool = 'StructuredOutput'

/** Of what is printed in between only this is kept. */
export const telling = (event: StreamEvent): boolean =>
  event.kind === 'called' ? event.call.tool === tool : event.kind !== 'said' && event.kind !== 'ended'

/** Only what came through the tool for it counts: a text may quote what the agent has written. */
export const answerIn = ({ outcome, events, exit, text }: Printed): Read => {
  const noise = events.flatMap((event) => (event.kind === 'noise' ? [event.text] : [])).join('\n')
  if (!outcome.ok) return failed(oneLine(outcome.message, 200), noise || exit.stderr || text)
  const read = answer.safeParse(outcome.structured)
  if (!read.success) return failed('it gave no answer that can be read', noise || outcome.text || text)
  const results = events.filter((event) => event.kind === 'result')
  const calls = events.flatMap((event) =>
    event.kind === 'called' && event.call.tool === tool && event.parent === undefined
      ? (answer.safeParse(event.call.input).data ?? [])
      : [],
  )
  // Whoever gets to print into its output says more than it did.
  if (results.length > 1 || calls.length > 1) return failed('it answered more than once')
  if (calls[0]?.verdict !== read.data.verdict)
    return failed('its answer did not come through the tool for it')
  return { answer: tidy(read.data) }
}

const json = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    // No JSON is no answer.
    return undefined
  }
}

/** What a command printed. */
export const printedAnswer = (text: string): Read => {
  const read = answer.safeParse(json(text.trim()))
  return read.success ? { answer: tidy(read.data) } : failed('it printed no verdict', text)
}

/** A COMPLETE that somebody else was asked about: who does not agree, or says nothing, has the last word. */
export const withSecond = (
  first: Answer,
  who: string,
  second: Read,
): Answer & { readonly opinions: string } => {
  if ('failed' in second) {
    const why = `second opinion: ${who} could not be asked: ${second.failed}`
    return {
      verdict: 'ISSUES',
      summary: why,
      message: `${why}. Finish again, and it is asked again.`,
      opinions: why,
    }
  }
  const { verdict, summary, message } = second.answer
  const opinions = `${who}: ${verdict}. ${summary}`
  if (verdict === 'COMPLETE') return { ...first, opinions }
  return {
    verdict,
    summary: clip(`second opinion: ${summary}`, limits.summary),
    message: clip(`second opinion: ${message || summary}`, limits.message),
    opinions,
  }
}
