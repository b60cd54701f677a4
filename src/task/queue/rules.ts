// Which of the agents that are free does which of the tasks that wait, and why the others wait.
import type { Message } from '../../message/schema.ts'
import type { ComponentState } from '../../registry/schema.ts'
import { stateOf } from '../../session/rules.ts'
import type { Session } from '../../session/schema.ts'
import type { Task } from '../schema.ts'

export type Candidate = {
  readonly name: string
  readonly role?: string | undefined
  readonly pod?: string | undefined
  readonly labels: readonly string[]
  readonly state: ComponentState
  /** Since when it has nothing to do; undefined = it has. */
  readonly freeSince?: number | undefined
  /** What it has, where its state does not say. */
  readonly busy?: string | undefined
  /** It runs already: what a task asks of its process comes too late. */
  readonly terminal?: boolean | undefined
  /** The one it is in, and goes on with. */
  readonly session?: string | undefined
  /** A person may be at its terminal: it gets only what names it. */
  readonly named?: boolean | undefined
}

const passing: readonly Message['life'][] = ['queued', 'sent', 'accepted']

/**
 * Whether an agent at a terminal has nothing before it, so that it may be handed what nobody told it of. A line that a
 * person has begun stays theirs however long it lies there; a prompt that came back to it may be `ours`, of a task that
 * was cancelled.
 */
export const isAtRest = (session: Session, messages: readonly Message[], ours: boolean): boolean =>
  stateOf(session).name === 'idle' &&
  session.typed === undefined &&
  (!session.draft || ours) &&
  !messages.some(({ life }) => passing.includes(life))

export type Wanted = Pick<Task, 'select' | 'by' | 'asked'> & Partial<Pick<Task, 'session'>>

const needsProcess = ({ asked = {} }: Wanted): boolean =>
  asked.model !== undefined ||
  asked.keepOpen === true ||
  asked.resumable === true ||
  (asked.credentials ?? []).length > 0

export const fits = (wanted: Wanted, candidate: Candidate): boolean => {
  const { select = {}, by, asked } = wanted
  const { name, role, pod, labels, named, terminal, session } = candidate
  return (
    (select.agent === undefined ? !named : select.agent === name) &&
    (select.role === undefined || select.role === role) &&
    (select.pod === undefined || select.pod === pod) &&
    (select.labels ?? []).every((label) => labels.includes(label)) &&
    (by === undefined || (role !== undefined && by.roles.includes(role))) &&
    !(terminal && (needsProcess(wanted) || (asked?.session && wanted.session !== session)))
  )
}

/** The most important first; of equals the oldest. */
export const inOrder = (one: Task, other: Task): number =>
  (other.priority ?? 0) - (one.priority ?? 0) || one.at - other.at || (one.id < other.id ? -1 : 1)

const isDue = ({ notBefore = 0 }: Task, at: number): boolean => notBefore <= at

export type Claim = { readonly task: string; readonly agent: string }

/** Who waits for one agent, as to go on with its session, holds up nobody: it is passed over until that one is free. */
export const claims = (
  waiting: readonly Task[],
  candidates: readonly Candidate[],
  at: number,
): readonly Claim[] => {
  // Who has been idle longest comes first, so that all get something to do.
  const free = candidates
    .filter(({ freeSince }) => freeSince !== undefined)
    .toSorted(
      (one, other) => (one.freeSince ?? 0) - (other.freeSince ?? 0) || (one.name < other.name ? -1 : 1),
    )
  const found: Claim[] = []
  for (const task of waiting.filter((one) => isDue(one, at)).toSorted(inOrder)) {
    const place = free.findIndex((one) => fits(task, one))
    const [agent] = place < 0 ? [] : free.splice(place, 1)
    if (agent !== undefined) found.push({ task: task.id, agent: agent.name })
    if (free.length === 0) break
  }
  return found
}

/** When the next one that waits for its time is due. */
export const nextDue = (waiting: readonly Task[], at: number): number | undefined => {
  const times = waiting.flatMap(({ notBefore = 0 }) => (notBefore > at ? [notBefore] : []))
  return times.length === 0 ? undefined : Math.min(...times)
}

const quoted = (words: readonly string[]): string => words.map((word) => `"${word}"`).join(' or ')

/** Which agents it is for, as in “there is no …”. */
const whom = ({ select = {}, by }: Wanted): string => {
  const { agent, role, pod, labels = [] } = select
  const roles = role === undefined ? (by?.roles ?? []) : [role]
  const having = [
    ...(roles.length === 0 ? [] : [`the role ${quoted(roles)}`]),
    ...labels.map((label) => `the label "${label}"`),
  ]
  return [
    agent === undefined ? 'agent' : `agent "${agent}"`,
    ...(having.length === 0 ? [] : [`with ${having.join(' and ')}`]),
    ...(pod === undefined ? [] : [`in the pod "${pod}"`]),
  ].join(' ')
}

/** More of them are counted, not named. */
const mostNamed = 3

const busyIn = (fitting: readonly Candidate[]): string => {
  if (fitting.length === 0) return 'there is none any more'
  if (fitting.length > mostNamed) return `none of ${fitting.length} is free`
  return fitting
    .toSorted((one, other) => (one.name < other.name ? -1 : 1))
    .map(({ name, state, busy = state === 'error' ? 'in error' : state }) => `${name} is ${busy}`)
    .join(', ')
}

export type Standing = {
  readonly waiting: readonly Task[]
  readonly candidates: readonly Candidate[]
  readonly paused: boolean
  readonly at: number
  readonly iso: (at: number) => string
}

/** Why it waits, as in “it waits …”; undefined = an agent is about to begin it. */
export const whyWaiting = (task: Task, standing: Standing): string | undefined => {
  const { waiting, candidates, paused, at, iso } = standing
  if (paused) return 'because tasks that wait are paused'
  if (!isDue(task, at)) return `until ${iso(task.notBefore ?? 0)}`
  if (claims(waiting, candidates, at).some((one) => one.task === task.id)) return undefined
  const fitting = candidates.filter((one) => fits(task, one))
  const first = waiting.filter((one) => isDue(one, at) && inOrder(one, task) < 0).length
  const taken = fitting.some(({ freeSince }) => freeSince !== undefined)
  const why = taken ? `${first} ${first === 1 ? 'comes' : 'come'} before it` : busyIn(fitting)
  return `for ${task.select?.agent === undefined ? 'an' : 'the'} ${whom(task)}: ${why}`
}

export type Obstacle = { readonly why: string; readonly hint: string }

/** Why nobody could ever do it: who would wait for nobody is refused. */
export const obstacleOf = (wanted: Wanted, candidates: readonly Candidate[]): Obstacle | undefined => {
  if (candidates.some((one) => fits(wanted, one))) return undefined
  const shy = candidates.find((one) => fits(wanted, { ...one, named: false }))
  if (shy !== undefined)
    return {
      why: `"${shy.name}" is at a terminal, where a person may be, and takes only what names it`,
      hint: `Type --agent ${shy.name}, or launch it from a role that says \`queue: true\`.`,
    }
  if (candidates.some((one) => fits(wanted, { ...one, named: false, terminal: false })))
    return {
      why: 'the agents that fit are at a terminal, where a task has no model, credentials, keep_open or resumable of its own',
      hint: 'Leave those out, or make a headless agent: a file agents/NAME/config.yaml.',
    }
  return {
    why: `there is no ${whom(wanted)}`,
    hint: 'Type `agency list` to see the agents; a headless one is made by a file agents/NAME/config.yaml.',
  }
}
