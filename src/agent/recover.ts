// What a host that starts finds of the agents before it: sessions whose keepers live go on, the others have ended or
// were lost, and keepers that no session knows are ended.
import { rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Approvals } from '../approval/desk.ts'
import { AgencyError } from '../base/error/fail.ts'
import type { Log } from '../base/log/open.ts'
import { alive } from '../base/process/identity.ts'
import type { Budgets } from '../budget/book.ts'
import type { Meter } from '../budget/meter.ts'
import { layout } from '../config/layout/rules.ts'
import { claude } from '../driver/claude/driver.ts'
import type { Fact } from '../journal/schema.ts'
import { type Found, findKeepers } from '../keeper/find.ts'
import { type Keeper, reachKeeper } from '../keeper/reach.ts'
import { type Box, closeMessages } from '../message/box.ts'
import type { Desk } from '../message/desk.ts'
import type { Message } from '../message/schema.ts'
import { isOver } from '../registry/rules.ts'
import { defaultRole } from '../role/builtin/schema.ts'
import { dismiss } from '../session/dismiss.ts'
import { type Heard, readHeard, readSessionFile } from '../session/heard.ts'
import { changeOf, recovered } from '../session/record/rules.ts'
import type { SessionRecord } from '../session/record/schema.ts'
import { hear, launched } from '../session/rules.ts'
import type { Session } from '../session/schema.ts'
import { type Kept, nextStep } from '../session/switch/rules.ts'
import { openTail, type Place } from '../session/tail.ts'
import type { Store } from '../store/store.ts'
import type { Book } from '../task/book.ts'
import { messageIdOf, type Standing } from '../task/rules.ts'
import { toldIn as callsIn } from './asked.ts'
import { asking } from './asking.ts'
import { endingIn } from './bond.ts'
import { sizeOf } from './enter.ts'
import { afterEnd, standingOf } from './escalate.ts'
import { type Live, liveOf } from './live.ts'
import { pastOf } from './past.ts'
import { patienceOf, roleOf } from './patience.ts'
import type { WorkReviews } from './reviewed.ts'
import { instructionsIn } from './reviewer/instructions.ts'
import type { Reviewers } from './reviewer/reviewer.ts'
import { endEvent } from './rules.ts'
import { keptOf } from './switch/held.ts'

export type RecoverOptions = {
  readonly root: string
  readonly store: Store
  readonly reportMs: number
  readonly now: () => number
  readonly record: (...facts: readonly Fact[]) => void
  readonly append: (facts: readonly Fact[]) => Promise<unknown>
  readonly written: () => Promise<boolean>
  readonly desk: Desk
  readonly book: Book
  /** An agent may take what waits for one. */
  readonly freed: () => void
  readonly approvals: Approvals
  readonly reviewers: Reviewers
  readonly works: WorkReviews
  readonly budgets: Budgets
  readonly log: Log
}

type Known = { readonly id: string; readonly record: SessionRecord }

/** Reading is the same for every version that is driven. */
const reader = claude('2.1.325')
const grace = 5_000
const patience = 20_000
const doubtMs = 10_000

const bornOf = ({ id, record }: Known, { now, reportMs }: RecoverOptions, reviewer = false): Session => {
  const { agent, managed, launched: at } = record
  const born = launched({ id, agent, managed, reviewer, at: Date.parse(at), reportMs })
  // The host was away: whoever has to report gets the whole time again.
  return { ...born, reportBy: now() + reportMs }
}

const sinceOf = ({ record }: Known): number => Date.parse(record.since)

const factsOf = ({ agent: name, role, managed, pod, cwd, launched: at }: SessionRecord) => ({
  name,
  // One that was launched before roles were noted.
  role: role ?? (managed ? defaultRole : undefined),
  pod,
  cwd,
  launched: at,
})

/** The turns that were begun in what nobody has heard yet. */
const turnsIn = async (from: Place): Promise<readonly string[]> => {
  const turns: string[] = []
  const line = (text: string): void => {
    for (const event of reader.readTranscript(text))
      if (event.kind === 'prompted' && event.turn !== undefined) turns.push(event.turn)
  }
  await openTail({ from, line, moved: () => {}, pause: () => patience }).close()
  return turns
}

/** The turn that the transcript was telling of, where it was heard last. */
const toldIn = (session: Session, heard: Heard | undefined): Session => ({
  ...session,
  ...(heard?.told !== undefined && { told: heard.told }),
  ...(heard?.fresh && { fresh: true }),
})

/** What its transcript says that nobody has heard: which of its messages entered a turn. */
const hearRest = async (
  box: Box,
  before: Session,
  directory: string,
  { now }: RecoverOptions,
): Promise<void> => {
  const heard = await readHeard(directory)
  let session = toldIn(before, heard)
  const line = (text: string): void => {
    for (const event of reader.readTranscript(text)) {
      box.hear({ from: 'transcript', event }, session)
      session = hear(session, { from: 'transcript', event }, now())
    }
  }
  if (heard !== undefined)
    await openTail({ from: heard, line, moved: () => {}, pause: () => patience }).close()
  closeMessages(box, session, heard !== undefined)
}

const meterFor = ({ id, record: { agent, role, pod } }: Known, { budgets }: RecoverOptions): Meter =>
  budgets.meter({ agent, role, pod }, id)

/** Whether the work of a session that is over counts. */
const leftIn = async (session: string, { works }: RecoverOptions): Promise<() => Standing> => {
  const standing = afterEnd(standingOf(await works.find(session), undefined))
  return () => standing
}

/** Its keeper is gone: what it left says how it ended. */
const settle = async (known: Known, options: RecoverOptions): Promise<Live> => {
  const how = await endingIn(layout(options.root).session(known.record.agent))
  const before = recovered(bornOf(known, options), known.record, { asked: [], since: sinceOf(known) })
  const box = options.desk.box(known.record.agent)
  await hearRest(box, before, layout(options.root).session(known.record.agent), options)
  const after = hear(before, { from: 'keeper', event: endEvent(how) }, options.now())
  const fact = changeOf(known.id, before, after)
  if (fact !== undefined) await options.append([fact])
  void options.approvals.over(known.id, 'its session ended')
  meterFor(known, options).over(how.how === 'exited' ? Date.parse(how.exit.at) : undefined)
  const standing = await leftIn(known.id, options)
  return pastOf(factsOf(known.record), after, known.id, { ...options, standing })
}

/** What its messages tell of the turns of a session. */
const informed = (session: Session, messages: readonly Message[], at: number): Session => {
  const turnsOf = (life: Message['life']): readonly string[] =>
    messages.flatMap((one) => (one.life === life && one.turn !== undefined ? [one.turn] : []))
  const ended = [...new Set([...session.ended, ...turnsOf('ended')])].slice(-50)
  const id = turnsOf('started').at(-1)
  if (session.turn === undefined) return { ...session, ended }
  const turn = { ...session.turn, ...(id !== undefined && { id }) }
  // It was interrupted before this host came: nobody will tell if that was before any output.
  const escaped = messages.some((one) => one.life === 'queued' && one.escapedAt !== undefined)
  return { ...session, ended, turn, ...(escaped && { doubt: at + doubtMs }) }
}

const revive = async (
  known: Known,
  keeper: Keeper,
  options: RecoverOptions,
  keep: boolean,
): Promise<Live> => {
  const { id, record } = known
  const { directory } = keeper.found
  const { root, now, append, written, desk, book, approvals, reviewers, works, budgets, freed, log } = options
  const [{ asked, closed }, heard, file, instructions] = await Promise.all([
    callsIn(options.store, id),
    readHeard(directory),
    record.managed ? readSessionFile(directory) : undefined,
    record.managed ? instructionsIn(directory) : undefined,
  ])
  // The CLI may have begun another conversation since the launch.
  const current = file?.session_id ?? id
  const ids = [...new Set([id, current])]
  const born = bornOf(known, options, instructions !== undefined)
  const session = informed(
    {
      ...asking(recovered(born, record, { asked, since: sinceOf(known) }), approvals, id),
      id: current,
      ids,
      closed: [...closed],
    },
    desk.box(record.agent).messages(),
    now(),
  )
  // Where nobody knows how far it was heard, it is heard from now on.
  const path = reader.transcriptPath(`${directory}/.claude`, record.cwd, current)
  const transcript = heard ?? { path, offset: await sizeOf(path) }
  // While it was idle every turn that its transcript tells of was over.
  const over = record.state.name === 'idle' ? await turnsIn(transcript) : []
  return liveOf({
    now,
    append,
    written,
    desk,
    book,
    freed,
    approvals,
    works,
    budgets,
    meter: meterFor(known, options),
    patience: patienceOf(options.root, record),
    review: reviewers.of({
      subject: id,
      kin: record.role ?? record.agent,
      directory,
      role: () => roleOf(root, record),
    }),
    log,
    root,
    record: options.record,
    facts: { ...factsOf(record), queue: file?.queue },
    born: { ...toldIn(session, heard), ended: [...session.ended, ...over].slice(-50) },
    subject: id,
    driver: record.managed ? reader : undefined,
    keeper,
    transcript,
    heartbeat: file?.heartbeat,
    keep,
  })
}

/** They hold the secret of its hooks; whoever would have removed them once they were read is gone. */
const forgetSettings = (live: Live, directory: string, log: Log): void => {
  const remove = () => rm(join(directory, 'settings.json'), { force: true })
  void live.reported.then(remove, remove).catch((error: Error) => {
    log.warn('settings that were read are still there', { agent: live.name, reason: error.message })
  })
}

/** Nobody knows what it does: fails closed. */
const evict = async (keeper: Keeper, log: Log): Promise<void> => {
  log.warn('a keeper that no session knows is ended', { agent: keeper.found.agent, pid: keeper.found.pid })
  await dismiss(keeper, grace)
}

/** One that lives and is only busy is waited for; one of another version will not become ours. */
const reachPatiently = async (found: Found): Promise<Keeper> => {
  for (const late = performance.now() + patience; ; await wait(100)) {
    try {
      return await reachKeeper(found)
    } catch (error) {
      const other = error instanceof AgencyError && error.code === 'keeper_version'
      if (other || !alive(found) || performance.now() > late) throw error
    }
  }
}

/** It is told to end, or was, to be launched again: its keeper is needed for that. */
const awaitsLaunch = ({ switching }: SessionRecord, kept: Kept): boolean => {
  if (switching === undefined || switching.stage === 'narrowed') return false
  return ['stop', 'relaunch'].includes(nextStep(switching, kept))
}

const meet = async (
  found: Found,
  known: Known | undefined,
  options: RecoverOptions,
): Promise<Live | undefined> => {
  const keeper = await reachPatiently(found)
  const status = await keeper.status()
  const { state, child, launches } = status
  const over = known === undefined || isOver(known.record.state.name)
  const keep = known !== undefined && awaitsLaunch(known.record, keptOf(status))
  if (keep && state === 'ended') {
    keeper.close()
    return settle(known, options)
  }
  if (over || launches === 0) {
    await evict(keeper, options.log)
    return over ? undefined : settle(known, options)
  }
  const live = await revive(known, keeper, options, keep)
  if (known.record.managed) forgetSettings(live, found.directory, options.log)
  if (child !== null) live.runs(child.pid)
  // It ended while nobody listened: asking for the end tells how. What got away is still to be stopped.
  if (state === 'ended') await live.end(0)
  else if (live.state().name === 'unsupervised') void live.end(grace)
  return live
}

/** Its session was over before the host went, and nobody wrote down what that means for its task. */
const strand = async (agent: string, options: RecoverOptions): Promise<void> => {
  const { book, desk, now, reportMs } = options
  const standing = await leftIn(book.open(agent)[0]?.session ?? '', options)
  for (const task of book.open(agent))
    desk.box(agent).tell(messageIdOf(task), { from: 'over', complete: false })
  const born = launched({ id: agent, agent, managed: true, reviewer: false, at: now(), reportMs })
  const session: Session = { ...born, over: { how: 'lost' } }
  pastOf({ name: agent, cwd: '', launched: '' }, session, agent, { ...options, standing })
}

/** Those whose keepers live, and those that ended or were lost meanwhile. */
export const recover = async (options: RecoverOptions): Promise<readonly Live[]> => {
  const { root, store, log } = options
  const { kept } = await store.list('session')
  const sessions = kept.map(
    ({ subject, state }): Known => ({
      id: subject.slice('session:'.length),
      record: state as SessionRecord,
    }),
  )
  // Below them lie the keepers of single tasks, which are not ours.
  const places = layout(root).sessions
  const keepers = (await findKeepers(root)).filter(({ directory }) => dirname(directory) === places)
  const failed = (found: Found) => (error: Error) => {
    log.error('a keeper could not be met', { agent: found.agent, reason: error.message })
    return undefined
  }
  const met = await Promise.all(
    keepers.map((found) =>
      meet(
        found,
        sessions.find(({ id }) => id === found.session),
        options,
      ).catch(failed(found)),
    ),
  )
  const held = new Set(keepers.map(({ session }) => session))
  const gone = sessions.filter(({ id, record }) => !held.has(id) && !isOver(record.state.name))
  const settled = await Promise.all(gone.map((known) => settle(known, options)))
  const living = sessions.filter(({ record }) => !isOver(record.state.name)).map(({ record }) => record.agent)
  for (const agent of options.book.busy()) if (!living.includes(agent)) await strand(agent, options)
  return [...settled, ...met.filter((live) => live !== undefined)]
}
