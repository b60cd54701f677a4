// Asks one model about the work, in a process of its own that may read and nothing else.
import { randomBytes } from 'node:crypto'
import type { Role } from '../../role/schema.ts'
import type { Programs } from '../../session/programs.ts'
import { loginOf } from '../aside/login.ts'
import { makePlace } from '../aside/place.ts'
import { type Ran, runOnce } from '../aside/run.ts'
import type { Thinker } from '../aside/thinker.ts'
import { answerIn, type Read, telling } from './answer/rules.ts'
import { shape } from './schema.ts'
import { type Find, wall, walledLogin } from './walls.ts'

export type Asking = {
  readonly root: string
  readonly agent: string
  readonly role: Role
  readonly tree: string
  readonly walls: boolean
  readonly thinker: Thinker
  readonly model: string
  readonly system: string
  readonly prompt: string
  /** Milliseconds. */
  readonly deadline: number
  readonly signal: AbortSignal
  readonly programs: Programs['walls']
  readonly find: Find
}

export type Told = { readonly read: Read; readonly cost?: number; readonly model?: string }

/** Files that it reads are printed too. */
const most = 32 * 1024 * 1024

const bare = async ({ root, thinker }: Asking) => ({
  caller: thinker.env,
  credentials: await loginOf(root),
  model: undefined,
})

export const ask = async (asking: Asking): Promise<Told> => {
  const { root, role, tree, walls, thinker, deadline, signal } = asking
  const { driver, program, env, scenario } = thinker
  const cookie = randomBytes(16).toString('hex')
  const place = await makePlace(root, cookie)
  try {
    const login = walls ? await walledLogin(root, role, env) : await bare(asking)
    const question = driver.question(program, {
      ...place,
      model: asking.model,
      system: asking.system,
      prompt: asking.prompt,
      shape,
      reads: { directory: tree, shell: walls },
      caller: login.caller,
      credentials: login.credentials,
    })
    await place.write(question.files)
    const own = scenario === undefined ? question.env : { ...question.env, AGENCY_SCENARIO: scenario }
    const launch = { ...question, env: own }
    const running = { launch, cwd: place.cwd, cookie, deadline, signal, most, keep: telling }
    if (!walls) return tell(await runOnce(running), driver)
    const { doors, cwd, ...walled } = await wall({ ...asking, place, launch, model: login.model })
    try {
      const inside = { ...launch, ...walled }
      return tell(await runOnce({ ...running, launch: inside, cwd, ready: doors.passed() }), driver)
    } finally {
      await doors.close()
    }
  } finally {
    // What stays is taken away by the next host.
    await place.remove().catch(() => {})
  }
}

const tell = (ran: Ran, driver: Thinker['driver']): Told => {
  const outcome = driver.judge(ran.events, ran.exit)
  const [started] = ran.events.filter((event) => event.kind === 'started')
  const read: Read = ran.broken === undefined ? answerIn({ ...ran, outcome }) : { failed: `it ${ran.broken}` }
  return {
    read,
    ...(outcome.total && { cost: outcome.total.costUsd }),
    ...(started && { model: started.model }),
  }
}
