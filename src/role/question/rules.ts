// A question as text for a terminal. Every word of it is the agent's: each stays on its line, and cannot look like ours.
import { oneLine } from '../../base/text/rules.ts'
import type { Question } from './schema.ts'

const longest = 600
/** More than anybody chooses from. */
const most = 30

const said = (text: string): string => oneLine(text, longest)

export const questionLines = (asked: Question): readonly string[] => {
  const { question, context, severity, options, recommended } = asked
  const choice = ({ label, description }: Question['options'][number], place: number): string => {
    const best = label === recommended ? ' (recommended)' : ''
    return `  ${place + 1}. ${said(label)}${best}${description === undefined ? '' : `: ${said(description)}`}`
  }
  return [
    `Question${severity === undefined ? '' : ` (${severity})`}: ${said(question)}`,
    ...(context === undefined ? [] : [`  Known: ${said(context)}`]),
    ...options.slice(0, most).map(choice),
    ...(options.length > most ? [`  … and ${options.length - most} more`] : []),
  ]
}
