// Runs a host in this process until it is told to end.
import type { EventEmitter } from 'node:events'
import { AgencyError, fail } from '../base/error/fail.ts'
import { type Host, type HostOptions, startHost } from './host.ts'

export type RunOptions = Omit<HostOptions, 'root'> & {
  /** Where signals come from: `process`. */
  readonly signals: Pick<EventEmitter, 'on' | 'off'>
  /** Started on demand: if another host was faster, that is as good. */
  readonly yielding?: boolean
  readonly ready?: (host: Host) => void
}

const names = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const

const startUnlessThere = async (
  root: string,
  { yielding, ...options }: RunOptions,
): Promise<Host | undefined> => {
  try {
    return await startHost({ ...options, root })
  } catch (error) {
    if (yielding && error instanceof AgencyError && error.code === 'host_running') return undefined
    throw error
  }
}

/** The exit code. The first signal drains, the second cuts running work short, the third waits for nothing. */
export const runHost = async (root: string, options: RunOptions): Promise<number> => {
  const { signals } = options
  let told = 0
  let mistaken = false
  let host: Host | undefined
  let give: (code: number) => void = () => {}
  const givenUp = new Promise<number>((resolve) => {
    give = resolve
  })
  const onSignal = (name: string): void => {
    told += 1
    if (told === 1) void host?.finish({ reason: name, leave: true })
    else if (told === 2) host?.hurry()
    else give(1)
  }
  // What state it left behind is unknown: end, and let the next host begin from what is stored.
  const onMistake = (error: unknown): void => {
    host?.fault(error)
    if (host && !mistaken) void host.finish({ reason: 'a mistake in agency', seconds: 0, leave: true })
    else give(1)
    mistaken = true
  }
  for (const name of names) signals.on(name, onSignal)
  signals.on('uncaughtException', onMistake)
  try {
    const started = await Promise.race([startUnlessThere(root, options), givenUp])
    if (typeof started === 'number') return started
    if (!started) return 0
    host = started
    // A signal that came while starting.
    if (told > 0) void host.finish({ reason: 'a signal', leave: true })
    options.ready?.(host)
    const ended = host.ended.then((reason) => (reason === 'root_gone' ? fail('root_gone', { root }) : 0))
    const code = await Promise.race([ended, givenUp])
    return mistaken ? 1 : code
  } finally {
    for (const name of names) signals.off(name, onSignal)
    signals.off('uncaughtException', onMistake)
  }
}
