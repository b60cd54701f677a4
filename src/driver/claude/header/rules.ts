// The line every delivered message begins with. Without it a text that starts with `!` would run as a shell
// command past every hook, and `/exit` would end the session.
import type { Header, Origin } from '../../schema.ts'
import { withoutFetches } from '../mention/rules.ts'

const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g
const pasteMarks = /\u001b\[20[01]~/g

/**
 * What may be typed into a terminal: text, tabs and line ends, nothing a terminal obeys. With every escape
 * character gone no end of the paste can be forged, however the pieces of one are nested.
 */
export const printable = (text: string): string =>
  text
    .replace(/\r\n?/g, '\n')
    .replace(pasteMarks, '')
    .replace(controls, '')
    .replace(/\p{Surrogate}/gu, '\ufffd')

/** A word of the header: one line, and nothing that could close it. */
const word = (text: string): string =>
  printable(text)
    .replace(/[\s[\]]+/g, '-')
    .slice(0, 120) || '-'

export const headerLine = ({ id, sender }: Header): string => `[agency ${word(id)} from ${word(sender)}]`

export const withHeader = (header: Header, text: string): string =>
  `${headerLine(header)}\n${withoutFetches(printable(text))}`

/**
 * The header of a prompt. It may stand behind a draft that a person had already typed; it must be in the
 * first line, because a later line is only text somebody quotes.
 */
export const findHeader = (prompt: string): Header | undefined => {
  const end = prompt.indexOf('\n')
  const [, id, sender] =
    /\[agency ([^\s[\]]+) from ([^\s[\]]+)\]$/.exec(end < 0 ? prompt : prompt.slice(0, end)) ?? []
  return id === undefined || sender === undefined ? undefined : { id, sender }
}

/** A bracketed paste: line ends inside it do not submit. */
export const paste = (text: string): string => `\u001b[200~${printable(text)}\u001b[201~`

/** A background task's end arrives as a prompt of its own; nobody typed it. */
export const promptOrigin = (prompt: string): Origin => {
  if (findHeader(prompt)) return 'message'
  return prompt.startsWith('<task-notification>') ? 'notification' : 'person'
}
