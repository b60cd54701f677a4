// The process that does a task, and nobody around it: spelled as the host would spell it, started and read to its end.
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Ground } from '../soak/ground.ts'
import { instructionsBeside } from '../src/agent/headless/instructions.ts'
import { factsFor, programFor, roleFor } from '../src/agent/headless/prepare.ts'
import { agentFile } from '../src/agent/schema.ts'
import { programs } from '../src/session/programs.ts'
import { planTask, type TaskPlan } from '../src/task/plan/rules.ts'

export type BareOptions = {
  readonly ground: Ground
  /** The role that its agent has in the contest. */
  readonly role: string
  readonly prompt: string
}

export type Bare = () => Promise<number>

/** What makes it tell us of itself. */
const ours = /^(OTEL_.*|CLAUDE_CODE_ENABLE_TELEMETRY)$/

const stripped = ({ launch }: TaskPlan): Pick<TaskPlan['launch'], 'argv' | 'env'> => ({
  argv: launch.argv.filter((word) => !word.startsWith('--settings=')),
  env: Object.fromEntries(Object.entries(launch.env).filter(([name]) => !ours.test(name))),
})

const timed = async (
  [program = '', ...args]: readonly string[],
  env: Readonly<Record<string, string>>,
  { cwd, launch }: TaskPlan,
): Promise<number> => {
  const from = performance.now()
  const child = spawn(program, args, { cwd, env: { ...env }, stdio: 'pipe' })
  let [out, err] = ['', '']
  child.stdout.on('data', (piece) => (out += piece))
  child.stderr.on('data', (piece) => (err += piece))
  child.stdin.end(launch.stdin ?? '')
  const [code] = await once(child, 'close')
  const took = performance.now() - from
  if (code !== 0 || !out.includes('"type":"result"')) throw new Error(`${program} failed: ${err || out}`)
  return took
}

const environment = ({ env }: Ground): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )

export const bareOf = async ({ ground, role: name, prompt }: BareOptions): Promise<Bare> => {
  const { root } = ground
  const agent = 'bare'
  const env = environment(ground)
  const { hook, scripted } = programs()
  const file = agentFile.parse({ role: name, sandbox: { enabled: false } })
  const role = await roleFor(root, file)
  const { program, driver } = await programFor(role, { env, scripted })
  const instructions = await instructionsBeside(join(root, 'agents', agent, 'config.yaml'))
  const keeper = {
    hookUrl: 'http://127.0.0.1:1/hook',
    telemetryUrl: 'http://127.0.0.1:1',
    hookToken: 'x',
    telemetryToken: 'x',
    hookCommand: hook,
  }

  const prepared = async (): Promise<TaskPlan> => {
    const session = randomUUID()
    const directory = join(root, 'sessions', agent, session)
    const cwd = join(root, 'work', session)
    mkdirSync(cwd, { recursive: true })
    const known = { root, agent, role, program, env, cwd: realpathSync(cwd), prompt, instructions }
    const { facts } = await factsFor({ ...known, file, session, resumes: false })
    const state = join(root, 'sessions', agent, '.claude/.claude.json')
    const before = existsSync(state) ? { state: JSON.parse(readFileSync(state, 'utf8')) as unknown } : {}
    const planned = planTask({ ...facts, driver, keeper, ...before }, directory)
    if ('refusals' in planned) throw new Error(JSON.stringify(planned.refusals))
    for (const each of planned.plan.directories) mkdirSync(each, { recursive: true })
    for (const { path, text } of planned.plan.files) writeFileSync(path, text)
    return planned.plan
  }

  return async () => {
    const plan = await prepared()
    const { argv, env } = stripped(plan)
    return timed(argv, env, plan)
  }
}
