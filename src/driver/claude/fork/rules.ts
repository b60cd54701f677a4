// The conversation of one session as the beginning of another.
//
// `--fork-session` would do it, but only with the first prompt, and then into a file that begins with all that its
// parent said: whoever reads along takes that for work of the new session, done without asking anybody. A copy that
// is there before the launch, and is resumed, has a known end.
import { readTranscript } from '../transcript/rules.ts'

type Json = Readonly<Record<string, unknown>>
type Read = { readonly line: Json; readonly calls: readonly string[]; readonly ends: readonly string[] }

const parse = (text: string): Json | undefined => {
  try {
    const line: unknown = JSON.parse(text)
    return typeof line === 'object' && line !== null && !Array.isArray(line) ? (line as Json) : undefined
  } catch {
    // Torn by a crash: the CLI passes over it too.
    return undefined
  }
}

const read = (text: string): readonly Read[] => {
  const line = parse(text)
  if (line === undefined) return []
  const events = readTranscript(text)
  return [
    {
      line,
      calls: events.flatMap((event) => (event.kind === 'called' ? [event.call.id] : [])),
      ends: events.flatMap((event) => (event.kind === 'ended' ? [event.ended.call] : [])),
    },
  ]
}

/** Up to the first call that has no end: its parent is still at it, and to the copy it would look interrupted. */
const settled = (lines: readonly Read[]): readonly Read[] => {
  const ended = new Set(lines.flatMap(({ ends }) => ends))
  const open = lines.findIndex(({ calls }) => calls.some((call) => !ended.has(call)))
  // What is cut off may hold the end of an earlier call.
  return open === -1 ? lines : settled(lines.slice(0, open))
}

const isSaid = ({ line }: Read): boolean => line.type === 'user' || line.type === 'assistant'

/** undefined = nothing was said yet. A last line that is still being written is left out. */
export const forkTranscript = (
  text: string,
  { from, to }: { readonly from: string; readonly to: string },
): string | undefined => {
  const whole = text.slice(0, text.lastIndexOf('\n') + 1)
  const kept = settled(whole.split('\n').flatMap(read))
  if (!kept.some(isSaid)) return undefined
  const renamed = (line: Json): Json =>
    Object.fromEntries(
      Object.entries(line).map(([key, value]) => [
        key,
        /^session_?id$/i.test(key) && value === from ? to : value,
      ]),
    )
  return kept.map(({ line }) => `${JSON.stringify(renamed(line))}\n`).join('')
}
