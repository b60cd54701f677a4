// Commands of the gate itself. The working agent may not give verdicts nor play hook events; its reviewer may decide.
import type { Call } from '../../../permission/call/schema.ts'
import { matchPattern } from '../../../permission/match/rules.ts'
import { readShell } from '../../../permission/shell/rules.ts'
import type { Word } from '../../../permission/shell/schema.ts'

const verdicts = ['roz decide*', 'agency review decide*', 'h2 review decide*']
const events = ['roz hook*', 'agency hook*', 'h2 hook*']

const runs = (patterns: readonly string[], call: Call): boolean =>
  patterns.some((pattern) => matchPattern(`Bash:${pattern}`, call).match === 'yes')

/**
 * Stops carelessness, not malice: what cannot be decided passes, because a call that is not gated must be left to
 * Claude Code. The program itself refuses a verdict without its secret.
 */
export const forbidden = (call: Call): 'decide' | 'hook' | undefined => {
  const { command } = call.input
  // Most commands name none of them, and reading one takes milliseconds.
  if (call.tool !== 'Bash' || typeof command !== 'string' || !/roz|agency|h2/.test(command)) return undefined
  if (runs(verdicts, call)) return 'decide'
  return runs(events, call) ? 'hook' : undefined
}

const literal = ({ pieces }: Word): string | undefined =>
  pieces.some((piece) => piece === null) ? undefined : pieces.join('')

/**
 * Whether it is one of the gate's own commands for a reviewer and nothing else: begun as the gate gave it, every word
 * known, nothing written, nothing run beside it. That one needs nobody's permission: it does only what the gate does.
 */
export const isReviewersOwn = (call: Call, program: string): boolean => {
  const { command } = call.input
  if (call.tool !== 'Bash' || typeof command !== 'string' || !command.startsWith(`${program} `)) return false
  const { commands, codes, doubts, effects } = readShell(command)
  const [only] = commands
  if (only === undefined || commands.length > 1 || only.open || codes.length > 0 || doubts.length > 0)
    return false
  if (effects.writes.length + effects.deletes.length + effects.fetches.length > 0) return false
  const words = only.words.map(literal)
  return words.every((word) => word !== undefined) && /^(decide|context)$/.test(words[1] ?? '')
}
