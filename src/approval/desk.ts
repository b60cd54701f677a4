// All approvals of a root. Every change is one transaction that asks the rules, so of two answers the second finds the
// first, and a question that was asked is there for the next host.
import { createHash } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { type AgencyError, fail, failure } from '../base/error/fail.ts'
import type { Log } from '../base/log/open.ts'
import type { Fact } from '../journal/schema.ts'
import type { Store } from '../store/store.ts'
import {
  askFact,
  changeFact,
  forgetFact,
  hear,
  isLate,
  isOpen,
  isRemembered,
  isSettled,
  outcome,
  ruleOf,
  shownInput,
} from './rules.ts'
import type { Answering, Approval, ApprovalSignal, Question } from './schema.ts'

/** Before it is masked and cut. */
export type Asking = Omit<Question, 'input' | 'cut' | 'rule' | 'expires'> & {
  readonly input: unknown
  /** Milliseconds that people may take; undefined = as long as the agent waits. */
  readonly patience?: number
}

export type Approvals = {
  /** Resolves when it is stored. Under the same session and hook it is the same; `answer` = decided already. */
  ask(asking: Asking, answer?: Answering): Promise<Approval>
  /** Resolves when it is stored; fails where another answer was first. */
  answer(id: string, answer: Answering): Promise<Approval>
  /** Resolves when nobody has to answer it any more. */
  answered(id: string): Promise<Approval>
  /** What the session has told. Never fails: what cannot be stored now is tried again. */
  tell(id: string, signal: ApprovalSignal): Promise<void>
  /** The session is over, and all that it asked. */
  over(session: string, why: string): Promise<void>
  /** Resolves when it is known who won, or after so many milliseconds. */
  until(id: string, patience: number): Promise<Approval>
  find(id: string): Approval
  byHook(session: string, hook: string): Approval | undefined
  /** Oldest first. */
  list(session?: string): readonly Approval[]
  /** Called after each change; returns how to stop. */
  watch(see: (approval: Approval) => void): () => void
  close(): void
}

export type ApprovalsOptions = {
  readonly store: Store
  readonly now: () => number
  readonly log: Pick<Log, 'warn'>
  /** Takes out what must not be kept. */
  readonly mask: () => Promise<(text: string) => string>
  /** Milliseconds until a store that failed is tried again. */
  readonly again?: number
}

/** Settled ones that are kept at hand; the journal has all. */
const most = 200
/** A timer does not count the time that the machine sleeps, so it is looked at the clock this often. */
const longest = 60_000

const byAge = (one: Approval, other: Approval): number => one.at - other.at || (one.id < other.id ? -1 : 1)

/** Short enough to be typed. The same question has the same, whichever host is asked; `turn` where it is taken. */
const idOf = ({ session, hook }: Pick<Question, 'session' | 'hook'>, turn: number): string => {
  const digest = createHash('sha256')
    .update(JSON.stringify([session, hook, turn]))
    .digest()
  return `a${digest.readBigUInt64BE().toString(36).padStart(8, '0').slice(-7)}`
}

const refusal = (approval: Approval): AgencyError =>
  failure('approval_settled', {
    id: approval.id,
    how: outcome(approval),
    also: {
      agent: approval.agent,
      life: approval.life,
      won: approval.receipt?.won ?? approval.answer?.via ?? null,
      verdict: approval.receipt?.verdict ?? approval.answer?.verdict ?? null,
    },
  })

export const openApprovals = async (options: ApprovalsOptions): Promise<Approvals> => {
  const { store, now, log, mask, again = 5_000 } = options
  const all = new Map<string, Approval>()
  const watchers = new Set<(approval: Approval) => void>()
  let timer: NodeJS.Timeout | undefined
  const ended = new Set<string>()
  let closed = false

  for (const { state } of (await store.list('approval')).kept) {
    const approval = state as Approval
    all.set(approval.id, approval)
  }

  const list: Approvals['list'] = (session) =>
    [...all.values()].filter((one) => session === undefined || one.session === session).sort(byAge)
  const byHook: Approvals['byHook'] = (session, hook) =>
    [...all.values()].find((one) => one.session === session && one.hook === hook)
  const find: Approvals['find'] = (id) =>
    all.get(id) ?? fail('not_found', { what: `approval "${id}"`, see: 'Type `agency approval list --all`.' })

  const keep = (approval: Approval): void => {
    all.set(approval.id, approval)
    for (const see of [...watchers]) see(approval)
    arm()
  }

  const change = async (
    id: string,
    signal: ApprovalSignal,
  ): Promise<{ before: Approval; after: Approval }> => {
    find(id)
    const changed = await store.transact(`approval:${id}`, (kept) => {
      const before = (kept?.state as Approval | undefined) ?? find(id)
      const after = hear(before, signal, now())
      const fact = changeFact(before, after)
      return { facts: fact === undefined ? [] : [fact], value: { before, after } }
    })
    if (changed.after !== changed.before) keep(changed.after)
    return changed
  }

  const tell: Approvals['tell'] = async (id, signal) => {
    // Asked of the rules first: most of what a session tells changes nothing, and need not be written.
    for (let warned = false; !closed; warned = true)
      try {
        const known = all.get(id)
        if (known === undefined || hear(known, signal, now()) === known) return
        await change(id, signal)
        return
      } catch (error) {
        if (!warned)
          log.warn(`what became of approval ${id} is not stored yet`, { reason: (error as Error).message })
        await wait(again, undefined, { ref: false })
      }
  }

  /** Whose end is being stored. */
  const ending = new Set<string>()
  const isDue = (one: Approval): boolean => isOpen(one) && one.expires !== undefined && !ending.has(one.id)

  const strike = (): void => {
    for (const { id } of [...all.values()].filter((one) => isDue(one) && isLate(one, now()))) {
      ending.add(id)
      void tell(id, { from: 'clock' }).then(() => ending.delete(id))
    }
    arm()
  }

  const arm = (): void => {
    clearTimeout(timer)
    const times = [...all.values()].filter(isDue).map(({ expires = 0 }) => expires)
    if (closed || times.length === 0) return
    timer = setTimeout(strike, Math.min(Math.max(Math.min(...times) - now(), 10), longest)).unref()
  }

  /** What a session may still go by, "always", stays as long as the session. */
  const forget = async (): Promise<void> => {
    const old = list().filter(
      (one) => isSettled(one) && (one.answer?.always === undefined || ended.has(one.session)),
    )
    const facts: readonly Fact[] = old.slice(0, Math.max(0, old.length - most)).map(forgetFact)
    if (facts.length === 0) return
    await store.append(facts)
    for (const { id } of old.slice(0, facts.length)) all.delete(id)
  }

  const draft = async (asking: Asking, id: string): Promise<Approval> => {
    const { input, patience, ...rest } = asking
    const hide = await mask()
    const table = typeof input === 'object' && input !== null ? (input as Record<string, unknown>) : {}
    const rule = ruleOf(asking.tool, table)
    // A rule with a secret in it is none that could be kept.
    const kept = rule !== undefined && hide(rule) === rule ? { rule } : {}
    const at = now()
    const late = patience === undefined ? {} : { expires: at + patience }
    return { ...rest, ...shownInput(input, hide), ...kept, ...late, id, at, life: 'asked' }
  }

  /** undefined = that id is another one's. */
  const put = async (approval: Approval, answer: Answering | undefined): Promise<Approval | undefined> => {
    const given = answer === undefined ? approval : hear(approval, { from: 'answer', answer }, now())
    const fact = changeFact(approval, given)
    const found = await store.transact(`approval:${approval.id}`, (kept) => {
      const before = kept?.state as Approval | undefined
      if (before === undefined)
        return { facts: [askFact(approval), ...(fact === undefined ? [] : [fact])], value: given }
      const ours = before.session === approval.session && before.hook === approval.hook
      return { facts: [], value: ours ? before : undefined }
    })
    if (found !== undefined) keep(found)
    return found
  }

  const ask: Approvals['ask'] = async (asking, answer) => {
    const known = byHook(asking.session, asking.hook)
    if (known !== undefined) return known
    for (let turn = 0; ; turn += 1) {
      const stored = await put(await draft(asking, idOf(asking, turn)), answer)
      if (stored === undefined) continue
      // Nobody waits for it, and the next time it is tried again.
      void forget().catch((error: Error) => log.warn('old approvals stay known', { reason: error.message }))
      return stored
    }
  }

  arm()
  return {
    ask,
    find,
    byHook,
    list,
    tell,
    answer: async (id, answer) => {
      const { before, after } = await change(id, { from: 'answer', answer })
      if (after !== before) return after
      // Its time is over, and the clock has not struck yet.
      if (isOpen(after)) await change(id, { from: 'clock' })
      throw refusal(find(id))
    },
    answered: (id) =>
      new Promise((resolve) => {
        const see = (approval: Approval): void => {
          if (approval.id !== id || isOpen(approval)) return
          watchers.delete(see)
          resolve(approval)
        }
        watchers.add(see)
        see(find(id))
      }),
    until: (id, patience) =>
      new Promise((resolve) => {
        const first = find(id)
        const finish = (): void => {
          clearTimeout(late)
          watchers.delete(see)
          resolve(all.get(id) ?? first)
        }
        const see = (approval: Approval): void => {
          if (approval.id === id && isSettled(approval)) finish()
        }
        const late = setTimeout(finish, patience).unref()
        watchers.add(see)
        see(first)
      }),
    over: async (session, why) => {
      ended.add(session)
      await Promise.all(list(session).map(({ id }) => tell(id, { from: 'over', why })))
    },
    watch: (see) => {
      watchers.add(see)
      return () => watchers.delete(see)
    },
    close: () => {
      closed = true
      clearTimeout(timer)
    },
  }
}

export const remembered = (approvals: Approvals, { session, tool, input }: Asking): boolean => {
  const table = typeof input === 'object' && input !== null ? (input as Record<string, unknown>) : {}
  return isRemembered(approvals.list(session), session, ruleOf(tool, table))
}
