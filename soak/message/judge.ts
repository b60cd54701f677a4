// Whether what was promised of messages is true: by the agent's own transcript and by the journal.
import type { Event } from '../../src/journal/schema.ts'
import { type Lane, type Life, lanes, type Message } from '../../src/message/schema.ts'
import { type Letter, summary } from './plan.ts'

export type Line = {
  readonly type?: string
  readonly operation?: string
  readonly reason?: string
  readonly content?: unknown
  readonly promptSource?: string
  readonly timestamp?: string
  readonly message?: { readonly content?: unknown }
}

/** A message in a turn. `how`: it began the turn, waited in the queue for it, or went in with a tool's result. */
export type Entry = {
  readonly id: string
  readonly how: 'typed' | 'queued' | 'absorbed'
  readonly text: string
  /** Its place among the lines. */
  readonly place: number
}

export type Evidence = {
  readonly letters: readonly Letter[]
  readonly lines: readonly Line[]
  readonly events: readonly Event[]
  /** The text that was left for the agent in a file. */
  readonly file: (id: string) => string | undefined
}

const header = /^\[agency (\S+) from (\S+)\]\n/

export const entriesIn = (lines: readonly Line[]): readonly Entry[] =>
  lines.flatMap((line, place): Entry[] => {
    const absorbed = line.operation === 'remove' && line.reason === 'absorbed_mid_turn'
    const prompted = line.type === 'user' && line.promptSource !== undefined
    const text = absorbed ? line.content : prompted ? line.message?.content : undefined
    if (typeof text !== 'string') return []
    const [, id] = header.exec(text) ?? []
    if (id === undefined) return []
    const how = absorbed ? 'absorbed' : line.promptSource === 'queued' ? 'queued' : 'typed'
    return [{ id, how, text, place }]
  })

const once = ({ letters }: Evidence, entries: readonly Entry[]): readonly string[] =>
  letters.flatMap(({ id }) => {
    const times = entries.filter((entry) => entry.id === id).length
    return times === 1 ? [] : [`${id} entered ${times} turns`]
  })

const whole = ({ letters, file }: Evidence, entries: readonly Entry[]): readonly string[] =>
  letters.flatMap(({ id, from, text, arrives }) => {
    const got = entries.find((entry) => entry.id === id)?.text
    if (got === undefined) return []
    if (arrives !== undefined)
      return got === `[agency ${id} from ${from.name}]\n${arrives}` ? [] : [`${id} did not arrive whole`]
    return file(id) === text && got.includes(`${id}.md`) ? [] : [`the file of ${id} is not its text`]
  })

const isLazy = (lane: Lane): boolean => lane === 'idle' || lane === 'idle-first'

/** Within a lane as they were sent, except idle-first, which is served newest first. */
const inLane = ({ letters }: Evidence, entries: readonly Entry[]): readonly string[] =>
  lanes
    .filter((lane) => lane !== 'idle-first')
    .flatMap((lane) => {
      const sent = letters.filter((letter) => letter.lane === lane).map(({ id }) => id)
      const came = entries.map(({ id }) => id).filter((id) => sent.includes(id))
      const wrong = came.findIndex((id, at) => at < sent.length && id !== sent[at])
      return wrong < 0 ? [] : [`${came[wrong]} came in the place of ${sent[wrong]} in the lane ${lane}`]
    })

/** What waits for an idle agent begins a turn: it is never put behind or into one. */
const whenIdle = ({ letters }: Evidence, entries: readonly Entry[]): readonly string[] =>
  letters.flatMap(({ id, lane }) => {
    const entry = entries.find((one) => one.id === id)
    return entry && isLazy(lane) && entry.how !== 'typed' ? [`${id} was for an idle agent: ${entry.how}`] : []
  })

type Change = {
  readonly id: string
  readonly life: Life
  readonly data: Partial<Message>
  readonly at: number
}

const changesIn = (events: readonly Event[]): readonly Change[] =>
  events.flatMap(({ type, subject, data, at }) =>
    type === 'message.queued' || type === 'message.changed'
      ? [{ id: subject.slice('message:'.length), life: data.life as Life, data, at: Date.parse(at) }]
      : [],
  )

const follows: Readonly<Record<Life, readonly Life[]>> = {
  queued: ['queued', 'sent'],
  sent: ['queued', 'accepted', 'started', 'failed'],
  // A short turn may be over before the transcript tells that it began.
  accepted: ['queued', 'started', 'ended'],
  // Of a session that was killed before it had written the prompt down.
  started: ['queued', 'started', 'ended'],
  ended: [],
  failed: [],
  withdrawn: [],
}

const forward = ({ letters }: Evidence, changes: readonly Change[]): readonly string[] =>
  letters.flatMap(({ id }) => {
    const lives = changes.filter((change) => change.id === id).map(({ life }) => life)
    const wrong = lives.findIndex((life, at) => at > 0 && !follows[lives[at - 1] as Life].includes(life))
    if (lives[0] !== 'queued' || wrong >= 0) return [`${id} lived ${lives.join(', ')}`]
    return lives.at(-1) === 'ended' ? [] : [`${id} is left ${lives.at(-1)}: ${lives.join(', ')}`]
  })

/** A message is stored before the desk knows it, and the journal is written a moment later than things happen. */
const slack = 2000

/** Whoever is sent, no other that waited came before it. */
const inTurn = ({ letters }: Evidence, changes: readonly Change[]): readonly string[] => {
  const waiting = new Map<string, number>()
  const lane = new Map(letters.map((letter) => [letter.id, letter.lane]))
  const age = new Map(letters.map(({ id }, at) => [id, at]))
  const before = (one: string, other: string): boolean => {
    const [a, b] = [lane.get(one) as Lane, lane.get(other) as Lane]
    if (a !== b) return lanes.indexOf(a) < lanes.indexOf(b)
    const older = (age.get(one) ?? 0) < (age.get(other) ?? 0)
    return a === 'idle-first' ? !older : older
  }
  return changes.flatMap(({ id, life, data, at }) => {
    if (!age.has(id)) return []
    if (life === 'queued' && !waiting.has(id)) waiting.set(id, at)
    if (life !== 'queued') waiting.delete(id)
    if (life !== 'sent') return []
    const sent = data.sentAt ?? at
    const passed = [...waiting].find(([other, since]) => since + slack < sent && before(other, id))
    return passed === undefined ? [] : [`${id} was sent before ${passed[0]}`]
  })
}

const textsIn = (line: Line): readonly string[] =>
  Array.isArray(line.message?.content)
    ? (line.message.content as { type?: string; text?: string }[]).flatMap(({ type, text }) =>
        type === 'text' && text !== undefined ? [text] : [],
      )
    : []

const isPrompt = (line: Line): boolean => line.type === 'user' && line.promptSource !== undefined

const isStop = (line: Line): boolean =>
  textsIn(line).some((text) => text.startsWith('[Request interrupted by user'))

/** The lines of the turn that the entry is in: up to the next prompt to which nothing had been said. */
const turnOf = (lines: readonly Line[], { place, how }: Entry): readonly Line[] => {
  const rest = lines.slice(place + 1)
  const said = rest.findIndex(({ type }) => type === 'assistant')
  if (said < 0) return []
  const end = rest.findIndex((line, at) => at > said && isPrompt(line))
  const before = rest.slice(0, said)
  // Cut before a word was said: what is said then is said to another prompt. Only those that leave the queue together
  // are in one turn, and the line that tells of the cut may stand on either side of the next of them.
  const parted = before.findIndex((line) => isStop(line) || line.operation === 'dequeue')
  const others = before.slice(how === 'typed' || parted < 0 ? 0 : parted)
  const overtaken = (how === 'typed' || parted >= 0) && others.some(isPrompt)
  return overtaken || before.some((line) => line.promptSource === 'typed')
    ? []
    : rest.slice(0, end < 0 ? undefined : end)
}

/** The line of an interruption may stand behind the prompts that were queued, before anything is said to them. */
const isCut = (lines: readonly Line[], entry: Entry): boolean => {
  const turn = turnOf(lines, entry)
  const rest = lines.slice(entry.place + 1 + turn.length)
  const said = rest.findIndex(({ type }) => type === 'assistant')
  const behind = rest.slice(0, said < 0 ? undefined : said)
  return [...turn, ...behind].some(isStop)
}

/** What compacting writes down belongs to no turn. */
const isSummary = (line: Line): boolean => textsIn(line).includes(summary)

/** When the session was ended or killed, perhaps before anybody was told that a turn had come to its end. */
const endingsIn = (events: readonly Event[]): readonly number[] =>
  events.flatMap(({ type, data, at }) => {
    const { name = '' } = (data.state ?? {}) as { name?: string }
    return type === 'session.changed' && /^(draining|exited|lost)$/.test(name) ? [Date.parse(at)] : []
  })
const near = 5000

/** It has ended only when its turn has, and it was interrupted only if the turn has no last word. */
const truly = (
  { lines, events }: Evidence,
  entries: readonly Entry[],
  changes: readonly Change[],
): readonly string[] =>
  entries.flatMap((entry) => {
    const end = changes.find(({ id, life }) => id === entry.id && life === 'ended')
    const spoken = turnOf(lines, entry).filter((line) => line.type === 'assistant' && !isSummary(line))
    const last = spoken.at(-1)
    if (end === undefined || last === undefined) return []
    if (end.at < Date.parse(last.timestamp ?? '')) return [`${entry.id} had ended before its turn did`]
    const cut = isCut(lines, entry)
    const finished = !cut && textsIn(last).some((text) => /^(Done|Heard)/.test(text))
    const killed = endingsIn(events).some((time) => Math.abs(time - end.at) < near)
    return finished && !killed && end.data.reason === 'the turn was interrupted'
      ? [`${entry.id} is said to be interrupted, but was answered`]
      : []
  })

/** All that is wrong, in words. */
export const judge = (evidence: Evidence): readonly string[] => {
  const entries = entriesIn(evidence.lines)
  const changes = changesIn(evidence.events)
  return [
    ...once(evidence, entries),
    ...whole(evidence, entries),
    ...inLane(evidence, entries),
    ...whenIdle(evidence, entries),
    ...forward(evidence, changes),
    ...inTurn(evidence, changes),
    ...truly(evidence, entries, changes),
  ]
}
