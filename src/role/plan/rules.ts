// A plan as text for a terminal. Every word of it is the agent's: each stays on its line, and cannot look like ours.
import { oneLine } from '../../base/text/rules.ts'
import type { Plan } from './schema.ts'

const longest = 600
/** More than anybody reads; a plan may be made to flood a screen. */
const most = 60

const said = (text: string): string => oneLine(text, longest)

const shown = <T>(items: readonly T[], lines: (item: T, place: number) => readonly string[]): string[] => [
  ...items.slice(0, most).flatMap(lines),
  ...(items.length > most ? [`  … and ${items.length - most} more`] : []),
]

const list = (title: string, items: readonly string[] = []): string[] =>
  items.length === 0 ? [] : [`  ${title}:`, ...shown(items, (item) => [`  - ${said(item)}`])]

const stepLines = ({ action, reason, files = [], check }: Plan['steps'][number], place: number): string[] => [
  `  ${place + 1}. ${said(action)}`,
  ...(reason === undefined ? [] : [`     why: ${said(reason)}`]),
  ...(files.length === 0 ? [] : [`     files: ${said(files.slice(0, most).join(', '))}`]),
  ...(check === undefined ? [] : [`     check: ${said(check)}`]),
]

export const planLines = ({ goal, steps, risks, prerequisites, questions }: Plan): readonly string[] => [
  `Plan: ${said(goal)}`,
  ...list('Needed first', prerequisites),
  ...shown(steps, stepLines),
  ...list('Risks', risks),
  ...list('Open questions', questions),
]
