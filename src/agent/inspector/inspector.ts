// An independent look at work: a process that may read the tree and says COMPLETE or ISSUES. Fails closed: whatever goes
// wrong is no verdict, and nothing but a verdict lets anything pass.
import { randomBytes } from 'node:crypto'
import { realpath } from 'node:fs/promises'
import { clip, oneLine } from '../../base/text/rules.ts'
import { activity } from '../../journal/rules.ts'
import type { Fact } from '../../journal/schema.ts'
import { most as longest, type Review, type Setting } from '../../review/schema.ts'
import type { Role } from '../../role/schema.ts'
import { findBuilder } from '../../sandbox/find.ts'
import { asksForWalls } from '../../session/plan/rules.ts'
import type { Environment } from '../../session/plan/schema.ts'
import type { Programs } from '../../session/programs.ts'
import { hosted, type Thinker } from '../aside/thinker.ts'
import { turnsOf } from '../aside/turns.ts'
import { withSecond } from './answer/rules.ts'
import { ask, type Told } from './ask.ts'
import { askCommand } from './command.ts'
import { look } from './look.ts'
import { promptOf, systemPrompt, model as usual } from './rules.ts'
import type { Answer, Inspected } from './schema.ts'
import { type Find, wallTrouble, wallWords } from './walls.ts'

export type { Inspected } from './schema.ts'

export type Work = {
  readonly agent: string
  readonly session: string
  /** Of the session. */
  readonly directory: string
  readonly tree: string
  readonly role: Role
  readonly setting: Setting
  readonly review: Review
  readonly attempt: string
  /** The tree as it is now: what `snapshot` gave. */
  readonly now: string
  /** As the agent was launched; absent = by its role, in the host's own environment. */
  readonly called?: Thinker | undefined
}

export type Inspect = (work: Work, gone: AbortSignal) => Promise<Inspected>

export type InspectorOptions = {
  readonly root: string
  readonly env: Environment
  readonly programs: () => Pick<Programs, 'scripted' | 'walls'>
  readonly record: (...facts: readonly Fact[]) => void
  /** Takes out what must not be kept. */
  readonly mask: () => Promise<(text: string) => string>
  /** At once. */
  readonly most?: number
  readonly find?: Find
}

export type Inspector = {
  readonly inspect: Inspect
  /** Ends those that are at work. */
  close(): void
}

type Verdict = Extract<Inspected, { kind: 'verdict' }>
type Looking = { readonly end: number; readonly signal: AbortSignal }

const failed = (why: string): Inspected => ({ kind: 'failed', why: clip(oneLine(why), longest.why) })

const verdictOf = (
  answer: Answer & { opinions?: string },
  walls: boolean,
  told: readonly Told[],
): Verdict => {
  const { verdict, summary, message, opinions } = answer
  const costs = told.flatMap(({ cost }) => cost ?? [])
  const [by] = told.flatMap(({ model }) => model ?? [])
  return {
    kind: 'verdict',
    verdict,
    summary,
    ...(message && { message }),
    ...(opinions && { opinions: clip(opinions, longest.opinions) }),
    ...(costs.length > 0 && { cost_usd: costs.reduce((sum, cost) => sum + cost, 0) }),
    ...(by !== undefined && { model: by }),
    walls,
  }
}

export const inspectorOf = (options: InspectorOptions): Inspector => {
  const { root, env, record, mask, most = 4, find = findBuilder } = options
  const turns = turnsOf(most)
  const closing = new AbortController()

  const walled = async (work: Work, tree: string, thinker: Thinker): Promise<boolean | Inspected> => {
    const trouble = await wallTrouble({ root, tree, env: thinker.env }, find)
    if (trouble === undefined) return true
    // Nobody asked for them: then it has no shell, and that is in the record.
    if (!asksForWalls(work.role)) return false
    return failed(`there can be no walls around the reviewer: ${trouble.cause}. ${trouble.fix}`)
  }

  const think = async (work: Work, { end, signal }: Looking): Promise<Inspected> => {
    const { reviewer } = work.setting
    const programs = options.programs()
    const thinker = work.called ?? (await hosted(work.role, env, programs.scripted))
    const tree = await realpath(work.tree)
    const walls = await walled(work, tree, thinker)
    if (typeof walls !== 'boolean') return walls
    const prompt = promptOf(
      { ...(await look({ ...work, root, tree }, work.review)), walls },
      randomBytes(12).toString('hex'),
    )
    if (prompt.kind === 'refused') return verdictOf({ ...prompt, verdict: 'ISSUES' }, walls, [])
    const left = (): number => Math.max(1, end - performance.now())
    const asking = (model: string) => ({
      ...{ root, agent: work.agent, role: work.role, tree, walls, thinker, model, find, signal },
      ...{ system: systemPrompt(reviewer.instructions), prompt: prompt.text },
      ...{ deadline: left(), programs: programs.walls },
    })
    const first = await ask(asking(reviewer.model ?? usual))
    if ('failed' in first.read) return failed(`the reviewer failed: ${first.read.failed}`)
    const { answer } = first.read
    const other = reviewer.second_opinion
    if (answer.verdict !== 'COMPLETE' || other === undefined) return verdictOf(answer, walls, [first])
    if (other.command !== undefined) {
      const { command } = other
      const commanded = { root, command, env: thinker.env, text: prompt.text, deadline: left(), signal }
      const read = await askCommand(commanded)
      return verdictOf(withSecond(answer, oneLine(command.join(' '), 100), read), walls, [first])
    }
    const second = await ask(asking(other.model ?? usual))
    const who = second.model ?? other.model ?? usual
    return verdictOf(withSecond(answer, who, second.read), walls, [first, second])
  }

  const inTurn = async (work: Work, signal: AbortSignal): Promise<Inspected> => {
    const giveBack = await turns.take(signal)
    if (giveBack === undefined) return failed('nobody waits for the review any more')
    try {
      return await think(work, {
        end: performance.now() + work.setting.reviewer.deadline_seconds * 1000,
        signal,
      })
    } catch (error) {
      return failed(`the reviewer could not be asked: ${wallWords(error)}`)
    } finally {
      giveBack()
    }
  }

  const hidden = async (said: Inspected): Promise<Inspected> => {
    const hide = await mask()
    if (said.kind === 'failed') return { ...said, why: hide(said.why) }
    const { summary, message, opinions } = said
    return {
      ...said,
      summary: hide(summary),
      ...(message !== undefined && { message: hide(message) }),
      ...(opinions !== undefined && { opinions: hide(opinions) }),
    }
  }

  const inspect: Inspect = async (work, gone) => {
    const began = performance.now()
    const signal = AbortSignal.any([closing.signal, gone])
    const said = await hidden(await inTurn(work, signal)).catch((error: Error) => failed(error.message))
    const { attempt, session, now: tree } = work
    const ms = Math.round(performance.now() - began)
    record(activity('review.inspected', session, { attempt, tree, ms, ...said }))
    return signal.aborted ? failed('nobody waits for the review any more') : said
  }

  return { inspect, close: () => closing.abort() }
}
