// What is decided about one call, and by which layer.
import type { Role } from '../../role/schema.ts'
import type { Other, Place } from '../call/schema.ts'

/** What of a role decides about calls. */
export type Judged = Pick<Role, 'name' | 'capabilities' | 'tools' | 'permission_mode'> & {
  readonly permissions: Pick<Role['permissions'], 'allow' | 'deny'>
}

/** From the mildest to the strictest. `none`: nothing is said, and the CLI goes on as if nobody had been asked. */
export const verdicts = ['none', 'allow', 'ask', 'deny'] as const
export type Verdict = (typeof verdicts)[number]

/** `own`: what agency itself, its hooks and the git outside obey. `gate`: a review is needed first. */
export const layers = ['tools', 'own', 'capabilities', 'rules', 'gate', 'budget', 'sandbox'] as const
export type Layer = (typeof layers)[number]

export type Opinion = {
  readonly layer: Layer
  readonly verdict: Verdict
  /** What made it: a rule of the role, a capability it lacks, a file that is agency's. */
  readonly rule?: string
  readonly reason: string
}

export type Decision = {
  readonly verdict: Verdict
  /** The strictest; of several, the first layer's. */
  readonly by: Opinion
  /** One of each layer. */
  readonly opinions: readonly Opinion[]
}

/** Where the call happens, without links. */
export type Ground = Place & {
  readonly root: string
  /** Of the agent; absent where none runs yet. */
  readonly session?: string
  /** Where its CLI keeps its settings. */
  readonly config?: string
}

export type State = {
  readonly place: Ground
  /** The tree is mounted read-only within walls. */
  readonly sandboxed: boolean
  /** A review that is needed. */
  readonly gate?: Opinion
  /** A limit that is reached. */
  readonly budget?: Opinion
  /** The call by the other names of its programs, as far as they were looked for. */
  readonly others?: readonly Other[]
}

/** By absolute path. What could not be looked at is not here, and then the strictest is assumed of it. */
export type Facts = {
  readonly [path: string]: {
    readonly exists: boolean
    /** Where it lies without links, or would if it were there. */
    readonly real: string
  }
}
