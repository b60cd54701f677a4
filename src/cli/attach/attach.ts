// `agency attach`: a person at an agent's terminal. Every way out gives the person's own terminal back.
import { setTimeout as wait } from 'node:timers/promises'
import { AgencyError, fail, failure } from '../../base/error/fail.ts'
import { type Found, findKeeper, readExit } from '../../keeper/find.ts'
import { type Attached, type Over, reachKeeper } from '../../keeper/reach.ts'
import type { Exit } from '../../keeper/schema.ts'
import type { Outcome } from '../command/schema.ts'
import type { Call, Handler } from '../io.ts'
import { ending, findAgent, liveKeeper } from './find.ts'
import { defaultKey, findKey, keyCode } from './key/rules.ts'
import { openScreen, type Screen } from './screen.ts'
import { watch } from './watch.ts'
import { needTerminal, takeWindow, type Window } from './window.ts'

export { hasTerminal } from './window.ts'

/** A window that is being dragged changes its size many times. */
const settled = 150

const keyOf = (given: string): number =>
  keyCode(given) ??
  fail('bad_value', {
    value: given,
    what: 'the option --detach-key',
    expected: 'Ctrl with one key that the agent does not need, such as ctrl-\\ or ctrl-]',
    hint: 'Ctrl-C, Enter, Tab, Backspace and Escape always go to the agent.',
  })

type Seat = { readonly found: Found; readonly window: Window; readonly screen: Screen }
type Left = Over | { readonly kind: 'detached' } | { readonly kind: 'resized' }

/** What was printed before now, for the picture to begin with; what comes after it goes on as `rest`. */
const replayOf = async (
  pieces: AsyncIterator<Buffer>,
  length: number,
): Promise<{ replay: Buffer[]; rest: Buffer | undefined }> => {
  const replay: Buffer[] = []
  for (let left = length; left > 0; ) {
    const { value, done } = await pieces.next()
    if (done) break
    replay.push(value.subarray(0, left))
    if (value.length > left) return { replay, rest: value.subarray(left) }
    left -= value.length
  }
  return { replay, rest: undefined }
}

/** One look at the session, from its whole screen until something ends it. */
const look = async (
  { found, screen }: Seat,
  first: boolean,
  seated: (view: Attached) => void,
  interrupted: Promise<Left>,
): Promise<Left> => {
  const keeper = await reachKeeper(found)
  let stale = false
  let view: Attached | undefined
  try {
    view = await keeper.attach({ stream: 'terminal', from: 0, size: screen.size() })
    // Asked after the attachment: what ended before it is told by nobody else.
    const { output, state, exit } = await keeper.status()
    const pieces = view.output[Symbol.asyncIterator]()
    const { replay, rest } = await replayOf(pieces, (output.terminal?.to ?? 0) - view.from)
    await screen.replay(replay, first)
    if (rest !== undefined) screen.live(rest)
    seated(view)
    if (state === 'ended' && exit !== null) return { kind: 'ended', exit }
    const pumped = (async () => {
      for (let next = await pieces.next(); !next.done && !stale; next = await pieces.next())
        screen.live(next.value)
    })()
    const over = view.over.then(async (how) => {
      await pumped
      return how
    })
    return await Promise.race([over, interrupted])
  } finally {
    stale = true
    view?.close()
    keeper.close()
  }
}

/** The connection broke: the session may have ended just now, or the keeper may stand and be asked again. */
const afterBreak = async (found: Found): Promise<Exit | undefined> => {
  const exit = await readExit(found.directory)
  if (exit !== undefined) return exit
  if ((await findKeeper(found.directory)) === undefined)
    throw failure('keeper_gone', { agent: found.agent, why: 'it was ended, and the agent with it' })
  // Not in a frenzy, should it break again.
  await wait(500)
  return undefined
}

const stay = async (seat: Seat, code: number): Promise<Left & { kind: 'detached' | 'ended' }> => {
  const { found, window, screen } = seat
  let view: Attached | undefined
  let early: Buffer[] = []
  let interrupt = (_: Left): void => {}
  let detached = false

  const send = (bytes: Buffer): void => {
    if (view === undefined) early = [...early, bytes].slice(-100)
    else
      view.input(bytes).then(
        () => screen.notice(undefined),
        (error: unknown) => {
          if (error instanceof AgencyError && error.code === 'input_full') screen.notice('takes no input now')
        },
      )
  }
  window.onTyped((bytes) => {
    const at = findKey(bytes.toString('latin1'), code)
    if (at !== 0) send(at < 0 ? bytes : bytes.subarray(0, at))
    if (at < 0) return
    detached = true
    interrupt({ kind: 'detached' })
  })
  let timer: NodeJS.Timeout | undefined
  window.onResized(() => {
    // At once, so that the agent draws for the window there is; the picture when the window has settled.
    view?.resize(screen.size()).catch(() => {})
    clearTimeout(timer)
    timer = setTimeout(() => interrupt({ kind: 'resized' }), settled)
  })

  try {
    for (let first = true; ; first = false) {
      const interrupted = new Promise<Left>((resolve) => {
        interrupt = resolve
      })
      if (detached) return { kind: 'detached' }
      const left = await look(
        seat,
        first,
        (now) => {
          view = now
          const typed = early
          early = []
          for (const bytes of typed) send(bytes)
        },
        interrupted,
      )
      view = undefined
      if (left.kind === 'ended' || left.kind === 'detached') return left
      const exit = left.kind === 'closed' ? await afterBreak(found) : undefined
      if (exit !== undefined) return { kind: 'ended', exit }
    }
  } finally {
    clearTimeout(timer)
  }
}

/** For whoever has just launched it. */
export const attachTo = async (call: Call, agent: string): Promise<Outcome> => {
  needTerminal(call, agent)
  const key = call.values['detach-key'] ?? defaultKey
  const code = keyOf(key)
  const place = await findAgent(call, agent)
  const found = await liveKeeper(place)
  const size = (): ReturnType<Window['size']> => window.size()
  const bar = !call.flags.has('no-bar')
  const screen = openScreen({ agent, key, bar, window: size, write: (bytes) => window.write(bytes) })
  const window: Window = takeWindow(call, screen.last)
  const watching = new AbortController()
  call.defer(() => watching.abort())
  if (bar) void watch(place.root, agent, screen.tell, watching.signal)
  const left = await Promise.race([stay({ found, window, screen }, code), window.gone])
  if (left.kind === 'detached')
    return {
      data: { agent, left: 'detached' },
      lines: [`Detached: "${agent}" goes on. Type \`agency attach ${agent}\` to come back.`],
    }
  return { data: { agent, left: 'ended', exit: left.exit }, lines: [`"${agent}" ${ending(left.exit)}.`] }
}

export const run: Handler = (call) => attachTo(call, call.values.name ?? '')
