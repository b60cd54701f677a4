// What `agency budget show` prints.
import type { BudgetLine } from '../../../budget/api.ts'
import { nameOf, shown, whoOf } from '../../../budget/told/rules.ts'
import { table } from '../../output/rules.ts'

const states = { free: '', near: 'nearly used up', reached: 'used up' } as const

const rowOf = ({ who, limit, per, used, of, state }: BudgetLine): string[] => [
  whoOf(who),
  nameOf(limit),
  per === 'day' ? 'today' : 'in all',
  shown(limit, used),
  shown(limit, of),
  `${Math.min(999, Math.floor((used / of) * 100))} %`,
  states[state],
]

export const tableOf = (lines: readonly BudgetLine[]): string[] =>
  table([['WHO', 'LIMIT', 'COUNTED', 'USED', 'OF', 'PART', 'STATE'], ...lines.map(rowOf)])
