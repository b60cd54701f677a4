// Which of the agents that are free does which of the tasks that wait.
import type { Select, Task } from '../schema.ts'

export type Candidate = {
  readonly name: string
  readonly role?: string | undefined
  readonly pod?: string | undefined
  readonly labels: readonly string[]
  /** Since when it has nothing to do; undefined = it has. */
  readonly freeSince?: number | undefined
  /** A person may be at its terminal: it gets only what names it. */
  readonly named?: boolean | undefined
}

export const fits = (select: Select, { name, role, pod, labels, named }: Candidate): boolean =>
  (select.agent === undefined ? !named : select.agent === name) &&
  (select.role === undefined || select.role === role) &&
  (select.pod === undefined || select.pod === pod) &&
  (select.labels ?? []).every((label) => labels.includes(label))

/** The most important first; of equals the oldest. */
const inOrder = (one: Task, other: Task): number =>
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
    const place = free.findIndex((one) => fits(task.select ?? {}, one))
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

/** Whether anybody could ever do it; who waits for nobody is refused. */
export const isHopeless = (select: Select, candidates: readonly Candidate[]): boolean =>
  !candidates.some((one) => fits(select, one))
