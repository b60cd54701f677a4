// Starts a session as it was planned: work tree, keeper, files, child; and waits until it has reported. Whatever
// fails, everything is taken back in reverse order.
import { randomBytes } from 'node:crypto'
import { dirname } from 'node:path'
import { AgencyError, fail, failure } from '../base/error/fail.ts'
import { readText } from '../base/file/read.ts'
import { oneLine } from '../base/text/rules.ts'
import { type Undo, undoing } from '../base/undo.ts'
import { layout } from '../config/layout/rules.ts'
import type { Order } from '../driver/schema.ts'
import { placesOf } from '../keeper/find.ts'
import { readScrollback } from '../keeper/output.ts'
import type { Keeper } from '../keeper/reach.ts'
import type { HookPolicy, Launched, Size } from '../keeper/schema.ts'
import { screenOf } from '../keeper/screen.ts'
import { startKeeper } from '../keeper/start.ts'
import { fallenIn } from '../sandbox/trouble/rules.ts'
import { createClone } from '../worktree/clone.ts'
import { createWorktree } from '../worktree/create.ts'
import { removeWorktree } from '../worktree/remove.ts'
import { dismiss } from './dismiss.ts'
import { copyDefaults, dropFile, makeDirectories, makePrivate, removeRead, writeFiles } from './files.ts'
import { secretsOf } from './plan/env/rules.ts'
import type { Plan } from './plan/schema.ts'
import type { Prepared } from './prepare.ts'
import type { Programs } from './programs.ts'
import { orderOf } from './walls.ts'

export type Watched = {
  readonly reported: Promise<void>
  /** Resolves when nothing of the session is left. */
  end(grace: number): Promise<unknown>
}

export type Again = {
  readonly keeper: Keeper
  readonly tokens: Pick<Order['keeper'], 'hookToken' | 'telemetryToken'>
}

export type Launching = {
  readonly root: string
  readonly prepared: Prepared
  /** What the conversation begins with, as the CLI keeps it. */
  readonly history?: string | undefined
  /** The first plan: its name is reserved. */
  readonly plan: Plan
  /** It is launched again, in the keeper and the tree it has. */
  readonly again?: Again | undefined
  readonly programs: Pick<Programs, 'keeper' | 'hook' | 'walls'>
  /** The host's unix socket. */
  readonly host: string
  readonly size: Size
  /**
   * Told of the session before its child starts, so that no hook comes too early. `reported` resolves with its
   * first hook and rejects with the reason why none will come.
   */
  readonly watch: (keeper: Keeper, plan: Plan) => Promise<Watched>
}

export type Session = { readonly plan: Plan; readonly keeper: Keeper; readonly child: Launched }

/** A keeper that nobody told what to do was forgotten. */
const launchDeadline = 120_000
const grace = 5_000

/** No hook ever comes: nobody knows the token. */
const noHooks: HookPolicy = {
  field: 'hook_event_name',
  events: {},
  otherwise: { deadline: 1_000, denials: [] },
}

const secret = (): string => randomBytes(32).toString('hex')

const makeTree = async ({ root, plan, again }: Launching, undo: Undo): Promise<void> => {
  const { worktree, agent } = plan
  if (worktree === undefined || again !== undefined) return
  const settings = { branch_from: worktree.from, use_detached_head: worktree.branch === undefined }
  const make = worktree.kind === 'clone' ? createClone : createWorktree
  const made = await make({ root, agent, directory: worktree.repository, settings })
  if (!made.reused)
    undo.add(`remove the worktree ${made.path}`, () => removeWorktree({ root, agent, live: false }))
}

const newKeeper = async (launching: Launching): Promise<Again> => {
  const { root, prepared, plan, programs, host, size } = launching
  const tokens = { hookToken: secret(), telemetryToken: secret() }
  const keeper = await startKeeper({
    program: programs.keeper,
    opening: {
      agent: plan.agent,
      session: prepared.start.id,
      directory: layout(root).session(plan.agent),
      terminal: size,
      host,
      ...tokens,
      hooks: prepared.driver?.hookPolicy(plan.order?.holdSeconds ?? 0) ?? noHooks,
      launchDeadline,
    },
  })
  return { keeper, tokens }
}

const openKeeper = async (launching: Launching) => {
  const { keeper, tokens } = launching.again ?? (await newKeeper(launching))
  const base = `http://127.0.0.1:${keeper.found.port}`
  const { hook: hookCommand } = launching.programs
  const address = { hookUrl: `${base}/hook`, telemetryUrl: base, hookCommand, ...tokens }
  return { keeper, address: address satisfies Order['keeper'] }
}

const stateFile = async (config: string): Promise<unknown> => {
  const read = await readText(`${config}/.claude.json`, { limit: 16 * 1024 * 1024 })
  if (!('text' in read)) return undefined
  try {
    return JSON.parse(read.text)
  } catch {
    // The CLI takes a broken file for none, and so do we.
    return undefined
  }
}

/** There before the launch: what is resumed is heard from its end on. Only we may read it. */
const makeTranscript = async (
  { prepared: { driver, start }, plan, history }: Launching,
  undo: Undo,
): Promise<void> => {
  const config = plan.order?.paths.config
  if (driver === undefined || config === undefined) return
  const path = driver.transcriptPath(config, plan.cwd, start.id)
  await makePrivate(config, dirname(path))
  if (history === undefined) return
  await writeFiles([{ path, text: history, mode: 0o600, once: false }], undo)
}

const shownLast = 15

/** What its terminal shows: there stands why it did not begin. */
const lastScreen = async (directory: string, size: Size): Promise<readonly string[]> => {
  const { lines } = await screenOf(readScrollback(placesOf(directory).scrollback), size)
  return lines
    .map((line) => oneLine(line, 200))
    .filter((line) => line !== '')
    .slice(-shownLast)
}

const start = async (launching: Launching, undo: Undo): Promise<Session> => {
  const { root, prepared } = launching
  const directory = layout(root).session(launching.plan.agent)
  await makeTree(launching, undo)
  await makeDirectories([directory, ...launching.plan.directories], undo)
  const config = launching.plan.order?.paths.config
  if (config !== undefined) await copyDefaults(layout(root).claudeConfig, config)
  const state = config === undefined ? undefined : await stateFile(config)
  await makeTranscript(launching, undo)
  // Behind the end of the session: as long as it lives, its walls stand.
  let takeDown = async (): Promise<void> => {}
  undo.add('take the walls down', () => takeDown())
  const { keeper, address } = await openKeeper(launching)
  let end: Watched['end'] = (patience) => dismiss(keeper, patience)
  undo.add('end the session', () => end(grace))
  const plan = prepared.plan({ keeper: address, state })
  if (plan.role === undefined) await dropFile(`${directory}/session.json`, undo)
  if (!plan.reviewer) await dropFile(`${directory}/permission-reviewer.md`, undo)
  await writeFiles(plan.files, undo)
  const watched = await launching.watch(keeper, plan)
  const { reported } = watched
  // From here on the keeper has another master.
  end = watched.end
  // Judged below; until then a rejection must not look unhandled.
  reported.catch(() => undefined)
  const { home, model, caller } = prepared
  const walls = await orderOf({ root, home, plan, model, keeper, programs: launching.programs.walls })
  takeDown = walls.undo
  const secrets = plan.order === undefined ? [] : secretsOf(plan.order)
  const child = await keeper.launch({ ...walls.order, secrets, caller: { ...caller } })
  await reported.catch(async (error: Error) => {
    const problems = await lastScreen(directory, launching.size)
    const { agent } = plan
    const fallen = plan.sandbox === undefined ? undefined : fallenIn(problems)
    if (fallen !== undefined)
      throw failure('sandbox_error', { agent, why: fallen.cause, fix: fallen.fix, cause: error })
    throw failure('launch_failed', { agent, why: error.message, problems, cause: error })
  })
  await removeRead(plan.files)
  return { plan, keeper, child }
}

/** No space, no permission, a file where a directory should be: not our mistake. */
const inWords = (error: unknown): unknown =>
  error instanceof Error && 'syscall' in error
    ? failure('refused_by_system', { what: `${error.message}.`, cause: error })
    : error

export const launchSession = async (launching: Launching): Promise<Session> => {
  const undo = undoing()
  try {
    return await start(launching, undo)
  } catch (thrown) {
    const error = inWords(thrown)
    const left: string[] = []
    await undo.run({ error: (what, facts) => left.push(`${what}: ${String(facts?.reason)}`) })
    if (!(error instanceof AgencyError) || left.length === 0) throw error
    const { agent } = launching.plan
    return fail('launch_failed', {
      agent,
      why: error.message,
      problems: [...error.problems, ...left],
      cause: error,
    })
  }
}
