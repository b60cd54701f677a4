// What is typed for a message. The header line comes from the driver.
import { oneLine } from '../../base/text/rules.ts'
import type { Message } from '../schema.ts'

/** A paste longer than this is slow to draw and hard to read: it becomes a file. */
export const longestPaste = { characters: 8000, lines: 200 }

export type Body = {
  readonly paste: string
  readonly file?: { readonly path: string; readonly text: string }
}

const isLong = (text: string): boolean =>
  text.length > longestPaste.characters || text.split('\n').length > longestPaste.lines

const request = ({ id, from, expects }: Message): string =>
  expects === undefined
    ? ''
    : `\n\n(A response is expected. Send it with: agency send ${oneLine(from.name, 100)} --closes ${id} "...")`

/** An agent that may not read files gets all of it in the paste. */
export const bodyOf = (
  message: Message,
  { directory, mayRead }: { readonly directory: string; readonly mayRead: boolean },
): Body => {
  const { id, text } = message
  if (!mayRead || !isLong(text)) return { paste: `${text}${request(message)}` }
  const path = `${directory}/messages/${id}.md`
  const paste = `Read the whole message in ${path}. It begins: ${oneLine(text, 300)}${request(message)}`
  return { paste, file: { path, text } }
}
