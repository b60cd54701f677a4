// How a host ends, whole or in parts. Latched: the first word decides how, later ones can only make it sooner.
import { setMaxListeners } from 'node:events'
import type { Undo } from '../base/undo.ts'
import type { Asked } from './component.ts'
import { type Crew, refuseIfBusy } from './crew.ts'
import type { Ground } from './ground.ts'
import type { Member } from './member.ts'
import type { Watch } from './watch.ts'

export type HowToEnd = {
  readonly reason: string
  /** How long running work may go on; `drain_seconds` of the config if absent. */
  readonly seconds?: number | undefined
  /** Agents' sessions stay with their keepers. */
  readonly leave: boolean
}

export type Endings = {
  /** Resolves when nothing is left. */
  finish(how: HowToEnd): Promise<void>
  /** Both begin to end what was asked, and return how many seconds that may take. */
  endAll(asked: Asked & { readonly all?: boolean | undefined }): number
  endMembers(members: readonly Member[], asked: Asked): number
  /** No more patience with running work. */
  hurry(): void
  /** Aborts when patience is over. */
  readonly hurried: AbortSignal
  begun(): boolean
  /** Resolves with the reason when nothing is left. */
  readonly ended: Promise<string>
}

export type EndingOptions = {
  readonly ground: Ground
  readonly watch: Watch
  readonly undo: Undo
  readonly crew: () => Crew | undefined
}

export const endingsOf = ({ ground, watch, undo, crew }: EndingOptions): Endings => {
  const { log, record, config } = ground
  const impatience = new AbortController()
  // Every agent listens: more than ten are no leak.
  setMaxListeners(0, impatience.signal)
  let ending: Promise<void> | undefined
  let over: (reason: string) => void = () => {}
  const ended = new Promise<string>((resolve) => {
    over = resolve
  })

  const end = async ({ reason, leave }: HowToEnd, seconds: number): Promise<void> => {
    log.info('the host is draining', { reason, seconds })
    record('draining', { reason })
    const all = crew()
    await all?.finish(all.members(), { hurry: impatience.signal, leave })
    watch.end()
    log.info('the host closes', { reason })
    await undo.run(log)
    over(reason)
  }
  const finish = (how: HowToEnd): Promise<void> => {
    const { seconds = config.drain_seconds } = how
    setTimeout(() => impatience.abort(), seconds * 1000).unref()
    ending ??= end(how, seconds)
    return ending
  }
  const patience = ({ force, timeout_seconds }: Asked): number =>
    force ? 0 : (timeout_seconds ?? config.drain_seconds)

  return {
    finish,
    endAll: (asked) => {
      const seconds = patience(asked)
      void finish({ reason: 'asked over the API', seconds, leave: !asked.all })
      return seconds
    },
    endMembers: (members, asked) => {
      refuseIfBusy(members, asked)
      const seconds = patience(asked)
      const hurry = AbortSignal.any([impatience.signal, AbortSignal.timeout(seconds * 1000)])
      setMaxListeners(0, hurry)
      void crew()?.finish(members, { hurry, leave: false })
      return seconds
    },
    hurry: () => impatience.abort(),
    hurried: impatience.signal,
    begun: () => ending !== undefined,
    ended,
  }
}
