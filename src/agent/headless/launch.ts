// From a task that is to be done to its attempt: what it needs is gathered, the attempt is stored, its process started.
import { fail, failure } from '../../base/error/fail.ts'
import type { Spares } from '../../keeper/spare.ts'
import type { Role } from '../../role/schema.ts'
import type { Environment } from '../../session/plan/schema.ts'
import type { Programs } from '../../session/programs.ts'
import { begin, goOn, hadBegun, hasBegun } from '../../task/attempt/rules.ts'
import { readPrompt } from '../../task/history/read.ts'
import { attemptDirectory, configOf, holdOf } from '../../task/plan/rules.ts'
import type { Task } from '../../task/schema.ts'
import { sizeOf } from '../enter.ts'
import type { AgentFile } from '../schema.ts'
import { type Attempt, type AttemptOptions, beginAttempt } from './attempt.ts'
import { openKeeper } from './opening.ts'
import { makePlace, treeOf } from './place.ts'
import { type Found, factsFor } from './prepare.ts'
import { hadAnother } from './switch.ts'

/** What all attempts of an agent have in common. */
export type LaunchOptions = {
  readonly root: string
  readonly agent: string
  readonly file: () => AgentFile
  /** The host's unix socket. */
  readonly host: string
  readonly programs: Pick<Programs, 'hook' | 'scripted' | 'walls'>
  readonly spares: () => Spares
  readonly env: Environment
  readonly instructions: () => Promise<string>
  readonly now: () => number
}

/** What a task came with that is stored nowhere, or only without its secrets. */
export type Private = {
  readonly env: Environment
  readonly prompt: string
  /** The one that the task was checked against. */
  readonly role: Role
}

export type Launching = {
  /** Resolves when what has become of the task is on the disk. */
  readonly change: (id: string, rule: (task: Task) => Task) => Promise<Task>
  /** Read for this attempt. */
  readonly role: Role
  readonly found: Found
  readonly own: Private | undefined
  /** What it may cost. */
  readonly maxCostUsd: number | undefined
  readonly counted: boolean
  readonly earFor: (
    task: Task,
    where: Pick<AttemptOptions, 'directory' | 'tree' | 'driver'>,
  ) => AttemptOptions
  /** Told before its process starts. */
  readonly began: (attempt: Attempt) => void
}

const promptOf = async (
  root: string,
  task: Task,
  offset: number,
  own: Private | undefined,
): Promise<string> => {
  if (hasBegun(task, offset)) return goOn
  const { prompts = 1 } = task
  const first = prompts === 1 ? own?.prompt : undefined
  const prompt = first ?? (await readPrompt(root, task.id, prompts))
  return prompt ?? fail('internal', { what: `the prompt of ${task.id} is gone` })
}

/** undefined = it was wished away before it was stored. */
export const launch = async (
  options: LaunchOptions,
  task: Task,
  { role, found, own, change, maxCostUsd, counted, earFor, began }: Launching,
): Promise<Attempt | undefined> => {
  const { root, agent, now, host, env, programs } = options
  const { program, driver } = found
  const { session } = task
  const file = options.file()
  const place = { root, agent, file, role, session }
  const cwd = await makePlace(place, task.attempt === undefined && task.total === undefined)
  const transcript = driver.transcriptPath(configOf(root, agent), cwd, session)
  const offset = await sizeOf(transcript)
  const switched = offset > 0 && (await hadAnother(root, agent, transcript))
  // Lost after all: it may have done half of it, and is not to be gone on with.
  if (hadBegun(task, offset))
    throw failure('keeper_gone', { agent, why: 'it was killed when the task had just begun' })
  const number = (task.attempt?.number ?? 0) + 1
  const directory = attemptDirectory(root, agent, task.id, { number })
  // Only now: a work tree may take longer to make than a keeper waits.
  const opening = await openKeeper({
    agent,
    session,
    directory,
    driver,
    spares: options.spares(),
    host,
    holdSeconds: holdOf(role),
  })

  const prepare = async () => {
    const [prompt, instructions, placed] = await Promise.all([
      promptOf(root, task, offset, own),
      options.instructions(),
      treeOf(place),
    ])
    const told = { prompt, instructions, switched, maxCostUsd, counted, resumes: offset > 0 }
    const known = { ...place, program, env, cwd, ...told }
    const facts = await factsFor({ ...known, model: task.asked?.model, taskEnv: own?.env })
    return { ...facts, placed, opening, walls: programs.walls, hook: programs.hook }
  }
  const store = async (): Promise<boolean> => {
    const { wish, state, attempt } = await change(task.id, (one) =>
      one.wish === undefined ? begin(one, offset, now()) : one,
    )
    return wish === undefined && state === 'working' && attempt?.number === number
  }
  try {
    const starting = await prepare()
    const secrets = [...Object.values(own?.env ?? {}), ...Object.values(starting.facts.credentials)]
    const heard = { ...earFor(task, { directory, tree: cwd, driver }), secrets }
    return await beginAttempt(heard, { ...starting, store }, began)
  } catch (error) {
    await opening.undo()
    throw error
  }
}
