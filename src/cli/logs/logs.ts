// `agency logs`: what an agent printed, as text. No control character of it reaches a terminal.
import { fail } from '../../base/error/fail.ts'
import { findKeeper } from '../../keeper/find.ts'
import { ending, endingOf, findAgent, type Place } from '../attach/find.ts'
import { openLook } from '../attach/view.ts'
import type { Outcome } from '../command/schema.ts'
import type { Call, Handler } from '../io.ts'
import { lastCard } from '../said/last.ts'
import { lastLines } from './count.ts'
import { cutLines } from './rules.ts'
import { linesOf, type Printed, printedBy } from './source.ts'

type Lines = (lines: readonly string[]) => readonly string[]

const refuse = (what: string, hint: string): never =>
  fail('unexpected_argument', { command: 'agency logs', what, hint })

const check = ({ flags, json, io }: Call, name: string): void => {
  if (flags.has('follow') && json)
    refuse('--json together with --follow', 'JSON is one object, told at the end: leave one of them out.')
  if (flags.has('raw') && json) refuse('--json together with --raw', 'Leave one of them out.')
  if (flags.has('raw') && io.stdout.isTTY)
    refuse(
      '--raw onto a terminal, where what the agent printed could act',
      `Send it to a file (\`agency logs ${name} --raw > FILE\`), or \`agency attach ${name}\`.`,
    )
}

const put = ({ io }: Call, bytes: Uint8Array): void =>
  void (io.stdout as unknown as { write(bytes: Uint8Array): void }).write(bytes)

/** What is there is shown as a terminal would; what comes, line by line as it arrives. */
const showing = (call: Call, last: Lines) => {
  const decoder = new TextDecoder()
  let rest = ''
  const say = (lines: readonly string[]): void => {
    if (lines.length > 0) call.say(lines.join('\n'))
  }
  const live = (bytes: Uint8Array): void => {
    const cut = cutLines(rest, decoder.decode(bytes, { stream: true }))
    rest = cut.rest
    say(cut.lines)
  }
  return {
    live,
    before: async (bytes: Buffer, { stream, size }: Pick<Printed, 'stream' | 'size'>): Promise<void> => {
      // A line that has not ended yet belongs to what comes.
      const whole = bytes.lastIndexOf(0x0a) + 1
      say(last(await linesOf({ stream, size, bytes: bytes.subarray(0, whole) })))
      live(bytes.subarray(whole))
    },
    end: (): void => {
      if (rest !== '') say(cutLines(rest, '\n').lines)
      rest = ''
    },
  }
}

const follow = async (call: Call, place: Place, last: Lines): Promise<Outcome> => {
  const { agent, directory } = place
  const raw = call.flags.has('raw')
  const shown = showing(call, last)
  let from: 0 | 'end' = 0
  for (let { keeper: found } = place; found !== undefined; found = await findKeeper(directory)) {
    const { view, stream, before, pump, close } = await openLook(found, from)
    call.defer(close)
    from = 'end'
    const size = view.size ?? undefined
    if (raw) for (const bytes of before) put(call, bytes)
    else await shown.before(Buffer.concat(before), { stream, size })
    const how = await pump((bytes) => (raw ? put(call, bytes) : shown.live(bytes)))
    shown.end()
    close()
    if (how.kind === 'ended') {
      call.progress(`"${agent}" ${ending(how.exit)}.`)
      return { data: { agent, exit: how.exit }, lines: [] }
    }
    if (how.kind === 'cut')
      call.warn(`${how.missed} bytes went by unread: they came faster than they could be printed.`)
  }
  call.progress(`"${agent}" ${await endingOf(place)}.`)
  return { data: { agent }, lines: [] }
}

export const run: Handler = async (call) => {
  const { name = '' } = call.values
  check(call, name)
  const last = lastLines(call)
  const place = await findAgent(call, name)
  if (call.flags.has('follow') && place.keeper !== undefined) return follow(call, place, last)
  const printed = await printedBy(place)
  if (call.flags.has('raw')) {
    put(call, printed.bytes)
    return { data: {}, lines: [] }
  }
  const lines = last(await linesOf(printed))
  const card = await lastCard(place, printed)
  return { data: { agent: place.agent, lines, ...card.data }, lines: [...lines, ...card.lines] }
}
