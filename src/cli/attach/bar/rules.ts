// The last row while attached: who this is, what it does, how to leave.
import { narrow } from '../../../base/text/rules.ts'

export type Facts = {
  readonly role?: string | undefined
  /** `working (Bash)`, `blocked (permission: Bash)`. */
  readonly state: string
  readonly needsYou?: boolean | undefined
  readonly costUsd?: number | undefined
}

export type Shown = {
  readonly agent: string
  /** Undefined = the host is away: the agent goes on, but nobody says what it does. */
  readonly facts: Facts | undefined
  readonly key: string
  /** Something the person should know now. */
  readonly notice?: string | undefined
}

const capital = (key: string): string => key.replace(/^ctrl-/i, 'Ctrl-')

export const barText = ({ agent, facts, key, notice }: Shown, columns: number): string => {
  const state = facts === undefined ? 'host away' : facts.state
  const parts = [agent, facts?.role, notice ?? state].filter((part) => part !== undefined && part !== '')
  const cost = facts?.costUsd === undefined ? '' : `$${facts.costUsd.toFixed(2)}  `
  const left = ` ${parts.map((part) => narrow(part ?? '')).join(' | ')} `
  const right = ` ${cost}${capital(key)} detaches `
  if (left.length + right.length <= columns) return left.padEnd(columns - right.length) + right
  return left.slice(0, columns).padEnd(columns)
}

/** Draws it without moving the cursor, whatever the program has set for its own text. */
export const drawnBar = (shown: Shown, { columns, rows }: { columns: number; rows: number }): string => {
  const colour = shown.facts?.needsYou ? '30;43' : '7'
  // The last cell stays empty: text in it makes some terminals scroll.
  const text = barText(shown, columns - 1)
  return `\u001b7\u001b[?6l\u001b(B\u000f\u001b[4l\u001b[${rows};1H\u001b[0;${colour}m${text}\u001b[0m\u001b[K\u001b8`
}
