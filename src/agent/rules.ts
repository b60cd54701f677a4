import type { HookEvent } from '../driver/schema.ts'
import type { Exit } from '../keeper/schema.ts'
import type { Message } from '../message/schema.ts'
import type { Spoken } from '../review/schema.ts'
import { stateOf } from '../session/rules.ts'
import type { KeeperEvent, Session } from '../session/schema.ts'

/** How a session ended, as far as anybody knows. */
export type Ended = { readonly how: 'exited'; readonly exit: Exit } | { readonly how: 'lost' }

export const endEvent = (ended: Ended): KeeperEvent =>
  ended.how === 'lost'
    ? { kind: 'lost' }
    : { kind: 'exited', code: ended.exit.code, signal: ended.exit.signal }

/** The end of what was never launched. */
export const unlaunched = (at: number, iso: (at: number) => string): Ended => ({
  how: 'exited',
  exit: { launch: 1, code: null, signal: null, at: iso(at), asked: true, forced: false, left: [] },
})

/** Why the first hook of a session will not come; undefined while it may. */
export const silenceOf = (session: Session): string | undefined => {
  const state = stateOf(session)
  if (state.name === 'unsupervised') return state.why
  if (state.name === 'lost') return 'its keeper was killed'
  if (state.name !== 'exited') return undefined
  return `it ended (${state.signal ?? `exit code ${state.code ?? 'unknown'}`}) before its first hook reported`
}

/**
 * Whether a hook may say that the conversation goes on in this file: a hook is the agent's own voice, and whoever is
 * led away from its transcript does not see what it does. `known` is where the conversation was heard so far.
 */
export const isTranscript = (path: string, known: string): boolean => {
  const projects = known.split('/').slice(0, -2).join('/')
  const parts = path.startsWith(`${projects}/`) ? path.slice(projects.length + 1).split('/') : []
  const [folder = '', file = ''] = parts
  return parts.length === 2 && !/^\.*$/.test(folder) && /^[\w-]+\.jsonl$/.test(file)
}

/**
 * A prompt whose hook the host before has heard, and not answered any more: it is told again. It carries the id of the
 * turn that it began, as one does that is queued behind that turn, and would be taken for such a one for ever.
 * `inherited` is the turn that this host has found. What no message has begun is known by that nobody has told
 * anything of its turn; of one that was queued after all, the transcript tells too.
 */
export const isRepeated = (
  event: HookEvent,
  { turn, told }: Session,
  messages: readonly Message[],
  inherited: Session['turn'],
): boolean => {
  if (event.kind !== 'prompted' || event.turn === undefined || turn?.id !== event.turn) return false
  const { header } = event
  return header === undefined
    ? turn === inherited && told !== event.turn
    : messages.some((one) => one.id === header.id && one.turn === event.turn)
}

/**
 * What a prompt asks for, and whether a person does. What came through us is known by its id, not by what the hook says of
 * it; a task is a request of its own, whoever gave it.
 */
export const spokenIn = (
  { text, origin, header }: Pick<Extract<HookEvent, { kind: 'prompted' }>, 'text' | 'origin' | 'header'>,
  messages: readonly Message[],
): Spoken => {
  const message = header && messages.find(({ id }) => id === header.id)
  if (message === undefined) return { text, person: origin === 'person' }
  const { from, id } = message
  const task = from.kind === 'agency' && id.startsWith('task-')
  const person = task || from.kind === 'person' || from.kind === 'bridge'
  return { text: message.text, person, ...(!person && { work: true }) }
}
