// Decides every call of a session before it runs: looks at the files it names, asks the rules, and keeps what they said.
import { realpath } from 'node:fs/promises'
import { homedir } from 'node:os'
import { isTable } from '../base/table/rules.ts'
import type { Answer } from '../driver/schema.ts'
import { activity } from '../journal/rules.ts'
import type { Fact } from '../journal/schema.ts'
import { othersOf } from '../permission/alias/look.ts'
import { decide, pathsOf, see } from '../permission/decide/rules.ts'
import type { Decision, Ground, Judged, Opinion } from '../permission/decide/schema.ts'
import { lookAt } from '../permission/look.ts'
import { type Near, nearOf } from '../permission/near.ts'
import type { Role } from '../role/schema.ts'
import { readKept } from '../session/kept.ts'
import { during } from '../session/switch/rules.ts'
import { answerTo, undecided } from './answer/rules.ts'
import type { Judge } from './hooks.ts'

/** Under what a session is judged. */
export type Law = {
  readonly role: Judged
  /** While its role is switched: what this one refuses is refused too. */
  readonly next?: Judged | undefined
  /** Its tree is mounted read-only within walls. */
  readonly sandboxed: boolean
}

export type KeptLaw = {
  readonly law: () => Promise<Law>
  /** What is kept was replaced: it is read before the next call. */
  renew(): void
}

export type JudgeOptions = {
  readonly subject: string
  /** Asked for every call: what is switched holds from the next one on. */
  readonly law: () => Promise<Law>
  readonly ground: Omit<Ground, 'cwd' | 'home'> & { readonly home?: string | undefined }
  /** A person sits at its terminal, and may be asked by the CLI. */
  readonly terminal: boolean
  /** A limit that is reached; asked for each call. */
  readonly budget?: ((call: string) => Promise<Opinion | undefined>) | undefined
  readonly record: (...facts: readonly Fact[]) => void
}

/** As it was launched; where that was not kept, as its role is now, without walls that nobody can vouch for. */
export const keptLaw = (directory: string, load: () => Promise<Role>): KeptLaw => {
  let known: Promise<Law> | undefined
  const find = async (): Promise<Law> => {
    const kept = await readKept(directory)
    if (kept === undefined) return { role: await load(), sandboxed: false }
    return { role: kept.role, next: kept.next, sandboxed: kept.tree === 'read-only' }
  }
  return {
    law: () => {
      known ??= find()
      // What failed once may have been repaired.
      known.catch(() => {
        known = undefined
      })
      return known
    },
    renew: () => {
      known = undefined
    },
  }
}

/** The agent's files are looked at without links, and so is what they are compared with. */
const plain = async (given: JudgeOptions['ground']): Promise<Omit<Ground, 'cwd'>> => {
  const real = (path: string): Promise<string> => realpath(path).catch(() => path)
  const { root, tree, session, config, home = homedir() } = given
  return {
    home,
    root: await real(root),
    tree: await real(tree),
    ...(session === undefined ? {} : { session: await real(session) }),
    ...(config === undefined ? {} : { config: await real(config) }),
  }
}

/** Where a call happens that is made in this directory. */
export const placesIn = (ground: JudgeOptions['ground']): ((cwd: string) => Promise<Ground>) => {
  let found: ReturnType<typeof plain> | undefined
  return async (cwd) => {
    found ??= plain(ground)
    return { ...(await found), cwd }
  }
}

type Asked = Parameters<Judge>[0]

type Under = Pick<JudgeOptions, 'law' | 'ground'>

/** Whether it matters which program a name really is; to look takes longer than the rest of a decision. */
const isNamed = (...roles: readonly (Judged | undefined)[]): boolean =>
  roles.some((role) => role?.permissions.deny.some((rule) => /^Bash[(:]/.test(rule)))

const deciderOf = ({ law, ground }: Under) => {
  const placeOf = placesIn(ground)
  let looking: Promise<Near> | undefined
  return async (tool: string, input: unknown, cwd: string, budget?: Opinion): Promise<Decision> => {
    const { role, next, sandboxed } = await law()
    const place = await placeOf(cwd)
    looking ??= nearOf(place.tree)
    const near = await looking
    const call = { tool, input: isTable(input) ? input : {} }
    const seen = see(call, place)
    const facts = await lookAt(pathsOf(call, place, seen), near)
    const others = isNamed(role, next) ? await othersOf(call, place, process.env.PATH ?? '') : []
    const state = { place, sandboxed, others, ...(budget === undefined ? {} : { budget }) }
    const held = decide(role, state, call, facts, seen)
    return next === undefined ? held : during(held, decide(next, state, call, facts, seen), next, call)
  }
}

/** Why a call is refused, whoever would allow it; undefined = it is not. */
export type Forbids = (tool: string, input: unknown, cwd: string) => Promise<string | undefined>

export const forbidsOf = (under: Under): Forbids => {
  const decided = deciderOf(under)
  return async (tool, input, cwd) => {
    const { verdict, by } = await decided(tool, input, cwd).catch((error: Error) => undecided(error.message))
    return verdict === 'deny' ? `${by.reason}.` : undefined
  }
}

export const judgeOf = ({ subject, law, ground, terminal, budget, record }: JudgeOptions): Judge => {
  const keep = ({ id: call, tool }: Asked['call'], { verdict, by }: Decision): void => {
    const { layer, rule, reason } = by
    const named = rule === undefined ? {} : { rule }
    record(activity('session.decided', subject, { call, tool, verdict, layer, ...named, reason }))
  }

  const decided = deciderOf({ law, ground })

  return async (event): Promise<Answer> => {
    // What cannot be decided is refused at once: unanswered, the agent would hang until the deadline for the same.
    const { tool, input } = event.call
    const limit = async () => budget?.(event.call.id)
    const decision = await limit()
      .then((reached) => decided(tool, input, event.cwd, reached))
      .catch((error: Error) => undecided(error.message))
    if (decision.verdict !== 'none') keep(event.call, decision)
    return answerTo(decision, terminal)
  }
}
