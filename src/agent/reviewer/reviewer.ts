// An AI that looks at a request for permission before a person is asked. Fails closed: garbage, silence, a crash, too much
// to do, or a mistake of ours is an `ask`.
import { createHash, randomBytes } from 'node:crypto'
import { activity } from '../../journal/rules.ts'
import type { Fact } from '../../journal/schema.ts'
import { asksPerson } from '../../permission/tool/rules.ts'
import type { Role } from '../../role/schema.ts'
import type { Environment } from '../../session/plan/schema.ts'
import { loginOf } from '../aside/login.ts'
import { makePlace } from '../aside/place.ts'
import { runOnce } from '../aside/run.ts'
import { hosted, type Thinker } from '../aside/thinker.ts'
import { turnsOf } from '../aside/turns.ts'
import { begin, closed, ended } from './breaker/rules.ts'
import { instructionsIn } from './instructions.ts'
import { brokenOff, model, opinionOf, promptOf, systemPrompt } from './rules.ts'
import { type Breaker, type Opinion, type Request, shape, type Verdict } from './schema.ts'

export type { Thinker } from '../aside/thinker.ts'

export type Reviewed = {
  /** The session, as the journal knows it. */
  readonly subject: string
  /** Those that fail together: the role, or the agent where it has none. */
  readonly kin: string
  /** Of the session: the instructions are there. */
  readonly directory: string
  /** As it was launched; absent = by its role, in the host's own environment: whoever launched it may be gone. */
  readonly called?: Thinker | undefined
  readonly role: () => Promise<Role>
  /** Told when it begins to think and when it is done. */
  readonly thinking?: (begins: boolean) => void
}

export type Review = (
  request: Request,
  /** Nobody wants the answer any more. */
  left?: AbortSignal,
) => Promise<{ readonly verdict: Verdict; readonly reason: string }>

export type ReviewersOptions = {
  readonly root: string
  readonly env: Environment
  /** The program that behaves like Claude Code. */
  readonly scripted: () => string
  readonly now: () => number
  readonly record: (...facts: readonly Fact[]) => void
  /** Takes out what must not be kept. */
  readonly mask: () => Promise<(text: string) => string>
  /** Milliseconds from the request to an answer, the wait for a turn included. */
  readonly deadline?: number
  /** At once. */
  readonly most?: number
}

export type Reviewers = {
  of(session: Reviewed): Review
  /** Ends those that think. */
  close(): void
}

const defaults = { deadline: 55_000, most: 4 }

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

/** What a review came to: `cost` and `model` where the CLI has told them. */
type Told = Opinion & { readonly cost?: number; readonly model?: string }

const think = async (
  root: string,
  request: Request,
  instructions: string,
  { program, driver, env, scenario }: Thinker,
  { deadline, signal }: { readonly deadline: number; readonly signal: AbortSignal },
): Promise<Told> => {
  const cookie = randomBytes(16).toString('hex')
  const place = await makePlace(root, cookie)
  try {
    const { text, doubt } = promptOf(request, randomBytes(12).toString('hex'), sha256)
    const launch = driver.question(program, {
      ...place,
      model,
      system: systemPrompt(instructions),
      prompt: text,
      shape,
      caller: env,
      credentials: await loginOf(root),
    })
    await place.write(launch.files)
    const own = scenario === undefined ? launch.env : { ...launch.env, AGENCY_SCENARIO: scenario }
    const ran = await runOnce({ launch: { ...launch, env: own }, cwd: place.cwd, cookie, deadline, signal })
    const outcome = driver.judge(ran.events, ran.exit)
    const [started] = ran.events.filter((event) => event.kind === 'started')
    const opinion =
      ran.broken === undefined
        ? opinionOf({ ...ran, outcome }, doubt)
        : brokenOff(ran.broken, ran.text || ran.exit.stderr)
    return {
      ...opinion,
      ...(outcome.total && { cost: outcome.total.costUsd }),
      ...(started && { model: started.model }),
    }
  } finally {
    // What stays is taken away by the next host.
    await place.remove().catch(() => {})
  }
}

export const reviewersOf = (options: ReviewersOptions): Reviewers => {
  const { root, now, record, mask, deadline = defaults.deadline, most = defaults.most } = options
  const turns = turnsOf(most)
  const breakers = new Map<string, Breaker>()
  const closing = new AbortController()

  const inTurn = async (request: Request, session: Reviewed, instructions: string, left: AbortSignal) => {
    const began = performance.now()
    const late = AbortSignal.timeout(deadline)
    const giveBack = await turns.take(AbortSignal.any([late, left]))
    // Not its fault: the others took too long.
    if (giveBack === undefined)
      return { verdict: 'ask', reason: 'the reviewer had no time for it' } satisfies Told
    try {
      const thinker = session.called ?? (await hosted(await session.role(), options.env, options.scripted()))
      const rest = Math.max(1, deadline - (performance.now() - began))
      return await think(root, request, instructions, thinker, { deadline: rest, signal: left })
    } catch (error) {
      return brokenOff(`could not be asked: ${(error as Error).message}`, '')
    } finally {
      giveBack()
    }
  }

  const tell = async (session: Reviewed, request: Request, told: Told, began: number): Promise<Opinion> => {
    const masked = await mask()
    const hide = (text: string): string => request.hide?.(masked(text)) ?? masked(text)
    const { verdict, failed, said, cost, model: by } = told
    const reason = hide(told.reason)
    const { tool, call } = request
    record(
      activity('session.reviewed', session.subject, {
        tool,
        ...(call !== undefined && { call }),
        verdict,
        reason,
        ms: Math.round(performance.now() - began),
        ...(cost !== undefined && { cost_usd: cost }),
        ...(by !== undefined && { model: by }),
        ...(failed && { failed }),
        ...(said !== undefined && { said: hide(said) }),
      }),
    )
    return { verdict, reason }
  }

  const review = async (session: Reviewed, request: Request, left: AbortSignal): Promise<Opinion> => {
    // A plan to be accepted, a question: nobody answers those for a person.
    if (asksPerson(request.tool)) return { verdict: 'ask', reason: 'it is itself a question to a person' }
    const instructions = await instructionsIn(session.directory)
    if (instructions === undefined) return { verdict: 'ask', reason: 'the role has no reviewer' }
    const began = performance.now()
    const { kin } = session
    const { breaker, refused } = begin(breakers.get(kin) ?? closed, now())
    breakers.set(kin, breaker)
    if (refused !== undefined) return tell(session, request, { verdict: 'ask', reason: refused }, began)
    session.thinking?.(true)
    const told = await inTurn(request, session, instructions, left).finally(() => session.thinking?.(false))
    // Broken off because nobody waits says nothing of the reviewer.
    if (left.aborted) return { verdict: 'ask', reason: 'nobody waits for it any more' }
    breakers.set(kin, ended(breakers.get(kin) ?? closed, !told.failed, now()))
    return tell(session, request, told, began)
  }

  return {
    of:
      (session) =>
      async (request, left = closing.signal) => {
        try {
          return await review(session, request, AbortSignal.any([closing.signal, left]))
        } catch (error) {
          return { verdict: 'ask', reason: `the reviewer could not be asked: ${(error as Error).message}` }
        }
      },
    close: () => closing.abort(),
  }
}
