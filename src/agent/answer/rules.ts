// What the host says to a hook. A hook event is the agent's own voice: it can be refused, and never gains anything.

import { isWithin } from '../../base/path/rules.ts'
import { oneLine } from '../../base/text/rules.ts'
import type { Answer, HookEvent } from '../../driver/schema.ts'
import type { Decision, Opinion } from '../../permission/decide/schema.ts'

const none: Answer = { kind: 'none' }

/** More files in one prompt than anybody means. */
export const mostReads = 1_000

/** A file that a prompt may fetch, and where it really lies. */
export type Read = { readonly path: string; readonly real: string }

/** The CLI may read a mentioned file without a call, so nobody else would be asked about it. */
const onPrompt = (reads: readonly Read[], tree: string): Answer => {
  if (reads.length > mostReads)
    return { kind: 'deny', reason: `The prompt mentions ${reads.length} files: too many to look at.` }
  const outside = reads.find(({ path, real }) => path.startsWith('~') || !isWithin(tree, real))
  if (outside === undefined) return none
  const reason = `The prompt would read ${outside.path}, which is outside the work tree ${tree}. Retrying will not help.`
  return { kind: 'deny', reason }
}

/** What an administrator decides is not ours to hold up. */
const onConfig = (source: string): Answer =>
  source === 'policy_settings'
    ? none
    : {
        kind: 'deny',
        reason:
          'The settings of an agent stay as they were at its launch; a changed file counts from the next.',
      }

/** Where nothing is refused there is no opinion: to say "allow" would skip the CLI's own question. */
export const answerOf = (event: HookEvent, tree: string, reads: readonly Read[]): Answer => {
  if (event.kind === 'prompted') return onPrompt(reads, tree)
  return event.kind === 'config_changed' ? onConfig(event.source) : none
}

/** Where the role cannot be read, or something broke. */
export const undecided = (why: string): Decision => {
  const by: Opinion = {
    layer: 'tools',
    verdict: 'deny',
    reason: `it cannot be decided now (${oneLine(why)})`,
  }
  return { verdict: 'deny', by, opinions: [by] }
}

/**
 * A call that the role allows stays without an opinion too: the CLI has the same rules. Headless, a question of
 * this hook would be a refusal without anybody asked, so it is said as one.
 */
export const answerTo = ({ verdict, by }: Pick<Decision, 'verdict' | 'by'>, terminal: boolean): Answer => {
  if (verdict === 'none' || verdict === 'allow') return none
  if (verdict === 'ask' && terminal) return { kind: 'ask', reason: `agency: ${by.reason}.` }
  // Nothing more may be used, not even by a model that hears the refusal.
  const interrupt = by.layer === 'budget' ? { interrupt: true } : {}
  return { kind: 'deny', reason: `Refused by agency: ${by.reason}. Retrying will not help.`, ...interrupt }
}
