// Starts an attempt in a keeper of its own. Before its process begins it is stored: whoever finds it can tell how far it
// came.
import { writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname } from 'node:path'
import { AgencyError, fail } from '../../base/error/fail.ts'
import { readText } from '../../base/file/read.ts'
import { writeFleeting } from '../../base/file/write.ts'
import { isWithin } from '../../base/path/rules.ts'
import { type Undo, undoing } from '../../base/undo.ts'
import { layout } from '../../config/layout/rules.ts'
import type { Driver } from '../../driver/driver.ts'
import type { Order } from '../../driver/schema.ts'
import type { Keeper } from '../../keeper/reach.ts'
import type { Launch } from '../../keeper/schema.ts'
import type { Model } from '../../sandbox/relay/schema.ts'
import { wrapLaunch } from '../../sandbox/wrap.ts'
import { copyDefaults, makeDirectories, makePrivate, writeFiles } from '../../session/files.ts'
import { secretsOf } from '../../session/plan/env/rules.ts'
import type { PlannedFile, Refusal } from '../../session/plan/schema.ts'
import type { Programs } from '../../session/programs.ts'
import { isWalled, planTask, type TaskFacts, type TaskPlan } from '../../task/plan/rules.ts'
import type { TaskError } from '../../task/schema.ts'
import type { Opening } from './opening.ts'

export type Starting = {
  readonly facts: Omit<TaskFacts, 'keeper' | 'state' | 'driver'>
  readonly driver: Driver
  /** Of the attempt. */
  readonly directory: string
  /** What its work tree is, and what of others it reads. */
  readonly placed: { readonly kind: 'theirs' | 'clone' | 'work'; readonly borrows: readonly string[] }
  readonly model?: Model | undefined
  readonly walls: Programs['walls']
  readonly opening: Opening
  /** Shell words of the program that carries hooks. */
  readonly hook: string
  /** Stores the attempt, while the rest is prepared; false = it was wished away. */
  readonly store: () => Promise<boolean>
  /** Told before the process starts, so that no hook comes too early. */
  readonly watch: (keeper: Keeper) => void
}

export type Started = { readonly keeper: Keeper; readonly files: readonly PlannedFile[] }

const stateFile = async (config: string): Promise<unknown> => {
  const read = await readText(`${config}/.claude.json`, { limit: 16 * 1024 * 1024 })
  try {
    return 'text' in read ? JSON.parse(read.text) : undefined
  } catch {
    // The CLI takes a broken file for none, and so do we.
    return undefined
  }
}

/** Why nothing was started, as the task tells it. */
export class Refused extends Error {
  readonly type: TaskError['type']
  constructor(refusals: readonly Refusal[]) {
    super(refusals.map(({ text }) => text).join('; '))
    this.type = refusals.some(({ code }) => code.startsWith('sandbox')) ? 'sandbox_error' : 'launch_error'
  }
}

const nobody: Order['keeper'] = {
  hookUrl: 'http://127.0.0.1:0/hook',
  telemetryUrl: 'http://127.0.0.1:0',
  hookToken: '',
  telemetryToken: '',
  hookCommand: '',
}

const accept = (planned: ReturnType<typeof planTask>) => {
  if ('refusals' in planned) throw new Refused(planned.refusals)
  return planned.plan
}

/** All are waited for, also when one fails: what still writes could not be taken back. */
const allOf = async <All extends readonly Promise<unknown>[]>(...all: All) => {
  await Promise.allSettled(all)
  return Promise.all(all)
}

/** Into a directory that was just made, for a process that does not outlive this machine: nothing is synced. */
const writeNew = async (files: readonly PlannedFile[]): Promise<void> => {
  for (const { path, text, mode } of files) await writeFile(path, text, { mode, flag: 'wx' })
}

type Unwalled = Pick<TaskPlan, 'launch' | 'cwd' | 'order'> & { readonly port: number }

/** Within the walls that its role asks for; without any it is the plan's own launch. */
const walled = async (
  { facts, directory, placed, walls, model }: Starting,
  { launch: { argv, env }, cwd, port, order }: Unwalled,
  undo: Undo,
): Promise<Pick<Launch, 'argv' | 'env' | 'cwd' | 'walls'>> => {
  const { role, root, agent } = facts
  if (!isWalled(role) || role.sandbox === undefined) return { argv: [...argv], env: { ...env }, cwd }
  const { can_write_files: write, can_create_files: create, can_delete_files: remove } = role.capabilities
  const { config, tmp, settings } = order.paths
  const wrapped = await wrapLaunch({
    agent,
    settings: role.sandbox,
    root,
    home: facts.env.HOME || homedir(),
    tree: { path: cwd, access: write || create || remove ? 'write' : 'read', kind: placed.kind },
    session: directory,
    writable: [config, tmp],
    readable: [
      settings,
      ...(env.AGENCY_SCENARIO === undefined ? [] : [env.AGENCY_SCENARIO]),
      ...placed.borrows,
    ],
    launch: { argv, env },
    terminal: false,
    port,
    model,
    programs: walls,
  })
  undo.add('take the walls down', wrapped.undo)
  return { argv: [...wrapped.argv], env: { ...wrapped.env }, cwd: wrapped.cwd, walls: wrapped.walls }
}

/** undefined = it was wished away, and nothing is left of it. */
export const startAttempt = async (starting: Starting): Promise<Started | undefined> => {
  const { facts, driver, directory, opening, hook, watch } = starting
  const plan = (keeper: Order['keeper'], state?: unknown) =>
    accept(planTask({ ...facts, driver, keeper, ...(state === undefined ? {} : { state }) }, directory))
  const isOwn = ({ path }: PlannedFile): boolean => isWithin(directory, path)
  const undo = undoing()
  const takeBack = async (): Promise<void> => {
    // First of all whatever runs.
    await opening.undo()
    await undo.run()
  }
  const stored = starting.store()
  try {
    const first = plan(nobody)
    const { config } = first.order.paths
    const remember = async (): Promise<void> => {
      await makeDirectories(first.directories, undo)
      await copyDefaults(layout(facts.root).claudeConfig, config)
      await makePrivate(config, dirname(driver.transcriptPath(config, facts.cwd, facts.start.id)))
      const { files } = plan(nobody, await stateFile(config))
      // What is lost of these is written again for the next attempt: a sync would only cost time.
      await writeFiles(
        files.filter((file) => !isOwn(file)),
        undo,
        writeFleeting,
      )
    }
    // None of these hangs on another, and each takes as long.
    const [{ keeper, tokens }, isWanted] = await allOf(opening.keeper, stored, remember())
    if (!isWanted) {
      await takeBack()
      return undefined
    }
    const base = `http://127.0.0.1:${keeper.found.port}`
    const address = { hookUrl: `${base}/hook`, telemetryUrl: base, hookCommand: hook, ...tokens }
    const { files, launch, cwd } = plan(address)
    await writeNew(files.filter(isOwn))
    const order = await walled(starting, { launch, cwd, port: keeper.found.port, order: first.order }, undo)
    watch(keeper)
    await keeper.launch({
      ...order,
      ...(launch.stdin === undefined ? {} : { stdin: launch.stdin }),
      secrets: secretsOf(first.order),
    })
    return { keeper, files }
  } catch (error) {
    await Promise.allSettled([stored])
    await takeBack()
    throw error
  }
}

/** Not the fault of the task: the process that was to keep it is gone. */
export const isKeepers = (error: unknown): error is AgencyError =>
  error instanceof AgencyError && error.code.startsWith('keeper_')

/** What a task is told of a start that failed. */
export const startError = (error: unknown): TaskError => {
  if (error instanceof Refused) return { type: error.type, message: error.message, retryable: false }
  if (error instanceof AgencyError && error.code === 'sandbox_error')
    return { type: 'sandbox_error', message: `${error.message} ${error.words.next}`, retryable: false }
  if (error instanceof AgencyError && error.code === 'budget_exceeded')
    return { type: 'budget_exceeded', message: `${error.message} ${error.words.next}`, retryable: false }
  if (error instanceof AgencyError) {
    const message = [error.message, error.words?.next].filter(Boolean).join(' ')
    return { type: 'launch_error', message, retryable: true }
  }
  if (error instanceof Error && 'syscall' in error)
    return { type: 'launch_error', message: error.message, retryable: true }
  return fail('internal', { what: `an attempt could not be started: ${String(error)}` })
}
