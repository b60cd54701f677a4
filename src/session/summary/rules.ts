// A session in a few words, for lists and the status bar.
import { oneLine } from '../../base/text/rules.ts'
import { stateOf } from '../rules.ts'
import type { Session, SessionState } from '../schema.ts'

export type Summary = {
  readonly state: SessionState['name']
  /** `working (Bash)`, `blocked (permission: Bash, a1b2c3d4)`, `limited (the quota is used up, 5m)`. */
  readonly text: string
  readonly forMs: number
  readonly needsYou: boolean
  readonly turns: number
  readonly tokens: number
  readonly costUsd: number
  readonly background: number
  readonly queued: number
  /** What a person can do about it. */
  readonly next?: string
}

/** `12s`, `5m`, `2h5m`, `3d4h`. */
export const span = (ms: number): string => {
  const seconds = Math.max(0, Math.floor(ms / 1000))
  const [days, hours, minutes] = [
    Math.floor(seconds / 86_400),
    Math.floor(seconds / 3600) % 24,
    Math.floor(seconds / 60) % 60,
  ]
  if (days > 0) return hours > 0 ? `${days}d${hours}h` : `${days}d`
  if (hours > 0) return minutes > 0 ? `${hours}h${minutes}m` : `${hours}h`
  return minutes > 0 ? `${minutes}m` : `${seconds}s`
}

const detail = (state: SessionState, at: number): string | undefined => {
  switch (state.name) {
    case 'working':
      return state.tool ?? (state.doing === 'review' ? 'in review' : state.doing)
    case 'blocked':
      return `permission: ${state.tool}${state.approval === undefined ? '' : `, ${state.approval}`}`
    case 'limited':
      return `${state.what}, ${state.sure ? '' : 'try again in '}${span(state.until - at)}${state.sure ? ' left' : ''}`
    case 'error':
      return state.what
    case 'exited':
      return state.signal ?? `code ${state.code ?? '?'}`
    case 'unsupervised':
      return state.why
    default:
      return undefined
  }
}

const advice = (state: SessionState, agent: string): string | undefined => {
  switch (state.name) {
    case 'blocked':
      return state.approval === undefined
        ? `Type \`agency attach ${agent}\` and answer it.`
        : `Type \`agency approve ${state.approval}\` or \`agency deny ${state.approval}\`, or attach and answer it.`
    case 'error':
      return state.next
    case 'lost':
    case 'exited':
      return `Type \`agency session resume ${agent}\` to go on.`
    case 'unsupervised':
      return 'It is being stopped: it could act unseen. Type `agency doctor`.'
    default:
      return undefined
  }
}

export const summary = (session: Session, at: number): Summary => {
  const state = stateOf(session)
  const found = detail(state, at)
  const quiet =
    session.managed || isOver(state)
      ? undefined
      : `quiet for ${span(at - (session.output ?? session.launchedAt))}`
  const words = [found ?? quiet, background(session)].filter((word) => word !== undefined)
  const next = advice(state, session.agent)
  const { input, output, cacheRead, cacheWrite, costUsd } = session.usage
  return {
    state: state.name,
    text: words.length === 0 ? state.name : `${state.name} (${oneLine(words.join(', '), 120)})`,
    forMs: Math.max(0, at - session.since),
    needsYou: state.name === 'blocked' || state.name === 'error' || state.name === 'unsupervised',
    turns: session.turns,
    tokens: input + output + cacheRead + cacheWrite,
    costUsd,
    background: session.background.length,
    queued: session.queue.length,
    ...(next === undefined ? {} : { next }),
  }
}

const isOver = ({ name }: SessionState): boolean => name === 'exited' || name === 'lost'

const background = ({ background }: Session): string | undefined =>
  background.length === 0 ? undefined : `${background.length} in the background`
