// A session that is about to start, written down and listened to before its child can say anything.
import { stat } from 'node:fs/promises'
import type { Meter } from '../budget/meter.ts'
import type { Driver } from '../driver/driver.ts'
import type { Start } from '../driver/schema.ts'
import type { Keeper } from '../keeper/reach.ts'
import { saveHeard } from '../session/heard.ts'
import type { Plan } from '../session/plan/schema.ts'
import { launchFact } from '../session/record/rules.ts'
import type { SessionRecord } from '../session/record/schema.ts'
import { launched } from '../session/rules.ts'
import type { Place } from '../session/tail.ts'
import type { Store } from '../store/store.ts'
import { toldIn } from './asked.ts'
import { type Live, type LiveOptions, liveOf } from './live.ts'
import { patienceOf, roleOf } from './patience.ts'
import type { Reviewers, Thinker } from './reviewer/reviewer.ts'

export type Surroundings = Pick<
  LiveOptions,
  | 'root'
  | 'now'
  | 'record'
  | 'append'
  | 'written'
  | 'desk'
  | 'book'
  | 'approvals'
  | 'budgets'
  | 'freed'
  | 'log'
  | 'works'
> & {
  readonly reviewers: Reviewers
  readonly store: Store
  /** How long its first hook may take. */
  readonly reportMs: number
}

export type Entering = {
  readonly keeper: Keeper
  readonly plan: Plan
  readonly start: Start
  readonly meter: Meter
  readonly driver?: Driver
}

/** 0 where there is none. */
export const sizeOf = (path: string): Promise<number> =>
  stat(path).then(
    ({ size }) => size,
    () => 0,
  )

/** From where its transcript is heard: what a resumed session said before was heard then. */
const transcriptOf = async ({ plan, start, driver }: Entering): Promise<Place | undefined> => {
  const config = plan.order?.paths.config
  if (config === undefined || driver === undefined) return undefined
  const path = driver.transcriptPath(config, plan.cwd, start.id)
  return { path, offset: await sizeOf(path) }
}

/** In the environment of whoever launched it. */
const thinkerOf = ({ launch, order }: Plan, driver: Driver | undefined): Thinker | undefined => {
  const [program] = launch.argv
  if (program === undefined || driver === undefined || order === undefined) return undefined
  return { program, driver, env: order.environment.caller, scenario: launch.env.AGENCY_SCENARIO }
}

export const enterAgent = async (around: Surroundings, entering: Entering): Promise<Live> => {
  const { store, reportMs, reviewers, ...context } = around
  const { keeper, plan, driver, meter } = entering
  // As its keeper knows it. What is launched again there may be in another conversation by now.
  const id = keeper.found.session
  const { id: conversation } = entering.start
  const { agent, role, pod, managed, cwd, overrides, forkedFrom } = plan
  const at = context.now()
  const before = (await store.load(`session:${id}`))?.state as SessionRecord | undefined
  const told = { id: conversation, agent, managed, reviewer: plan.reviewer, at, reportMs }
  const { asked, closed } = before === undefined ? { asked: [], closed: [] } : await toldIn(store, id)
  const ids = [...new Set([id, conversation])]
  const calls = { asked: [...asked], closed: [...closed] }
  const born = { ...launched({ ...told, ...(before && { before }) }), ids, ...calls }
  const transcript = await transcriptOf(entering)
  if (transcript !== undefined) saveHeard(keeper.found.directory, transcript)
  const { turns, usage } = born
  const named = { ...(role === undefined ? {} : { role }), ...(pod === undefined ? {} : { pod }) }
  const origin = forkedFrom === undefined ? {} : { forked_from: forkedFrom }
  await store.append([launchFact(id, { agent, ...named, managed, cwd, overrides, ...origin, turns, usage })])
  return liveOf({
    ...context,
    patience: patienceOf(context.root, named),
    called: thinkerOf(plan, driver),
    review: reviewers.of({
      subject: id,
      kin: role ?? agent,
      directory: keeper.found.directory,
      called: thinkerOf(plan, driver),
      role: () => roleOf(context.root, named),
    }),
    facts: { name: agent, ...named, queue: plan.queue, cwd, launched: new Date(at).toISOString() },
    born,
    subject: id,
    driver,
    keeper,
    meter,
    transcript,
    heartbeat: plan.heartbeat,
  })
}
