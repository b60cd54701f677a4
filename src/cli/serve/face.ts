// Stands in the foreground for a component that a host runs: tells what becomes of it, and ends it when told to.
import { setTimeout as pause } from 'node:timers/promises'
import { AgencyError, fail } from '../../base/error/fail.ts'
import type { Client } from '../../client/call.ts'
import { reach } from '../../client/start.ts'
import type { Brought } from '../../host/component.ts'
import { isOver } from '../../registry/rules.ts'
import { askBring, askStop, type Components, componentsOf } from '../host/ask.ts'
import { patienceOf } from '../host/end.ts'
import type { Call } from '../io.ts'
import type { Told } from './told.ts'

type Entry = Components[number]

const every = 300
/** How long the next host may take to come, when one has gone. */
const handover = 15_000
const passing = ['connection_lost', 'host_absent', 'draining', 'not_ready']

const isPassing = (error: unknown): boolean => error instanceof AgencyError && passing.includes(error.code)

const lineOf = ({ id, state, port, message }: Entry): string => {
  const place = port === undefined ? '' : ` at http://127.0.0.1:${port}`
  return `${id} is ${state}${place}${message === undefined ? '' : `: ${message}`}`
}

export type FaceOptions = {
  readonly root: string
  readonly brought: Brought
  readonly told: Told
  /** The host was in this process, and has ended. */
  readonly over: () => boolean
}

type Met = { readonly client: Client; readonly entry: Entry }

/** Undefined = there is nobody to wait for. */
const bring = async ({ root, brought, over }: FaceOptions): Promise<Met | undefined> => {
  for (const late = performance.now() + handover; !over(); await pause(every))
    try {
      const client = await reach(root)
      return { client, entry: await askBring(client, brought) }
    } catch (error) {
      if (!isPassing(error) || performance.now() > late) throw error
    }
  return undefined
}

/** Until it is over. The first signal drains, the second cuts short, the third waits for nothing. */
const watch = async (call: Call, { root, told }: FaceOptions, { client, entry }: Met): Promise<Entry> => {
  const timeout_seconds = await patienceOf(root, call)
  const { id } = entry
  let now = entry
  let said = ''
  for (let asked = 0; !isOver(now.state); ) {
    // Its tasks are told by its log.
    if (now.state !== 'working' && lineOf(now) !== said) {
      said = lineOf(now)
      call.say(said)
    }
    if (told.times() > asked) {
      asked = told.times()
      if (asked > 2) fail('still_there', { what: id, seconds: timeout_seconds })
      await askStop(client, id, asked === 1 ? { timeout_seconds } : { force: true })
    }
    await told.moreThan(asked, every)
    const components = await componentsOf(client)
    now = components.find((each) => each.id === id) ?? fail('host_absent', { root })
  }
  return now
}

/** How it ended; undefined = the host was told to end, and what it ran goes on with its keepers. */
export const face = async (call: Call, options: FaceOptions): Promise<Entry | undefined> => {
  for (;;) {
    const met = await bring(options)
    if (met === undefined) return undefined
    try {
      return await watch(call, options, met)
    } catch (error) {
      // That host has gone. The next one is brought it anew: its work goes on with its keepers meanwhile.
      if (!isPassing(error)) throw error
    }
  }
}
