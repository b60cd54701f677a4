// The last answer of an agent, from what its CLI has written down; and the plan or question in it.
import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { readStream } from '../../driver/claude/stream/rules.ts'
import { readTranscript } from '../../driver/claude/transcript/rules.ts'
import { type Card, cardIn, cardLines } from '../../role/said/rules.ts'
import { readHeard } from '../../session/heard.ts'
import type { Place } from '../attach/find.ts'
import type { Printed } from '../logs/source.ts'

/** An answer stands at the end; a longer one is not looked for. */
const tail = 512 * 1024

/** '' = there is none. The agent may have put anything in its place: never waits, follows no link. */
const endOf = async (path: string): Promise<string> => {
  const flags = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW
  const handle = await open(path, flags).catch(() => undefined)
  if (handle === undefined) return ''
  try {
    const facts = await handle.stat()
    if (!facts.isFile()) return ''
    const from = Math.max(0, facts.size - tail)
    const { buffer, bytesRead } = await handle.read(
      Buffer.alloc(facts.size - from),
      0,
      facts.size - from,
      from,
    )
    return buffer.subarray(0, bytesRead).toString('utf8')
  } finally {
    await handle.close()
  }
}

const inTranscript = (text: string): string => {
  let last = ''
  for (const line of text.split('\n'))
    for (const event of readTranscript(line)) {
      if (event.kind === 'said' && event.subagent === undefined) last = event.text
      // It was answered.
      if (event.kind === 'prompted') last = ''
    }
  return last
}

const inStream = (bytes: Buffer): string => {
  const lines = bytes.subarray(-tail).toString('utf8').split('\n')
  const said = lines.flatMap((line) => readStream(line)).filter((event) => event.kind === 'said')
  return said.findLast(({ parent }) => parent === undefined)?.text ?? ''
}

export type Said = { readonly data: Readonly<Record<string, unknown>>; readonly lines: readonly string[] }

const nothing: Said = { data: {}, lines: [] }

const howToGoOn = (card: Card, agent: string): string =>
  card.kind === 'plan'
    ? `Type \`agency role switch ${agent} actor\` to have it carried out, or \`agency send ${agent} "…"\` to discuss it.`
    : `Type \`agency send ${agent} "…"\` to answer.`

/** What stands below the screen of an agent, or its output. */
export const lastCard = async (place: Place, printed: Printed): Promise<Said> => {
  const heard = await readHeard(place.directory)
  if (heard === undefined && printed.stream === 'terminal') return nothing
  const text = heard === undefined ? inStream(printed.bytes) : inTranscript(await endOf(heard.path))
  const card = cardIn(text)
  if (card === undefined) return nothing
  const data = card.kind === 'plan' ? { plan: card.plan } : { question: card.question }
  return { data, lines: ['', ...cardLines(card), howToGoOn(card, place.agent)] }
}
