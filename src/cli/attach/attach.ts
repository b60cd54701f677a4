// `agency attach`: a person at an agent's terminal. Every way out gives the person's own terminal back.
import { setTimeout as wait } from 'node:timers/promises'
import { fail, failure } from '../../base/error/fail.ts'
import { loadConfig } from '../../config/load.ts'
import { type Found, findKeeper, readExit } from '../../keeper/find.ts'
import type { Attached, Over } from '../../keeper/reach.ts'
import type { Exit } from '../../keeper/schema.ts'
import type { Outcome } from '../command/schema.ts'
import type { Call, Handler } from '../io.ts'
import { ending, findAgent, liveKeeper } from './find.ts'
import { defaultKey, findKey, keyCode } from './key/rules.ts'
import { openScreen, type Screen } from './screen.ts'
import { openLook } from './view.ts'
import { watch } from './watch.ts'
import { needTerminal, takeWindow, type Window } from './window.ts'

export { hasTerminal } from './window.ts'

/** A window that is being dragged changes its size many times. */
const settled = 150

/** A config that is broken is no reason not to come in. */
const chosenKey = async ({ values, io }: Call, root: string): Promise<string> =>
  values['detach-key'] ?? (await loadConfig(root, io.env)).value?.attach.detach_key ?? defaultKey

const codeOf = (given: string): number =>
  keyCode(given) ??
  fail('bad_value', {
    value: given,
    what: 'the option --detach-key',
    expected: 'Ctrl with one key that the agent does not need, such as ctrl-\\ or ctrl-]',
    hint: 'Ctrl-C, Enter, Tab, Backspace and Escape always go to the agent.',
  })

type Seat = { readonly found: Found; readonly window: Window; readonly screen: Screen }
type Detached = { readonly kind: 'detached' }
type Left = Over | Detached | { readonly kind: 'resized' }

/** One look at the session, from its whole screen until something ends it. */
const look = async (
  { found, screen }: Seat,
  first: boolean,
  seated: (view: Attached) => void,
  interrupted: Promise<Left>,
): Promise<Left> => {
  const full = (is: boolean): void => screen.notice(is ? 'takes no input now' : undefined)
  const { view, before, pump, close } = await openLook(found, 0, { size: screen.size(), full })
  try {
    // Said on the connection before, which cannot take it back.
    full(false)
    await screen.replay(before, first)
    seated(view)
    return await Promise.race([pump(screen.live), interrupted])
  } finally {
    close()
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

const stay = async (seat: Seat, code: number): Promise<(Over & { kind: 'ended' }) | Detached> => {
  const { found, window, screen } = seat
  let view: Attached | undefined
  const early: Buffer[] = []
  let repaint = (_: Left): void => {}
  let leave = (_: Detached): void => {}
  const leaving = new Promise<Detached>((resolve) => {
    leave = resolve
  })

  const send = (bytes: Buffer): void => {
    if (view === undefined) early.push(bytes)
    else view.input(bytes)
  }
  window.onTyped((bytes) => {
    const at = findKey(bytes.toString('latin1'), code)
    if (at !== 0) send(at < 0 ? bytes : bytes.subarray(0, at))
    if (at >= 0) leave({ kind: 'detached' })
  })
  let timer: NodeJS.Timeout | undefined
  window.onResized(() => {
    // At once, so that the agent draws for the window there is; the picture when the window has settled.
    view?.resize(screen.size()).catch(() => {
      // The view is over, or has no terminal: `look` hears of the one, and the other has no size.
    })
    clearTimeout(timer)
    timer = setTimeout(() => repaint({ kind: 'resized' }), settled)
  })

  try {
    for (let first = true; ; first = false) {
      const resized = new Promise<Left>((resolve) => {
        repaint = resolve
      })
      const seated = (now: Attached): void => {
        view = now
        for (const bytes of early.splice(0)) send(bytes)
      }
      // Also while it waits for a keeper that says nothing.
      const left = await Promise.race([look(seat, first, seated, Promise.race([resized, leaving])), leaving])
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
  const place = await findAgent(call, agent)
  const key = await chosenKey(call, place.root)
  const code = codeOf(key)
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
