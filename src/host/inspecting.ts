// Stand-in until the reviewer's process is there.
import { randomBytes } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { programFor } from '../agent/headless/prepare.ts'
import type { Inspect } from '../agent/inspector/inspector.ts'
import { answer, shape } from '../agent/inspector/schema.ts'
import { makePlace } from '../agent/reviewer/place.ts'
import { runOnce } from '../agent/reviewer/run.ts'
import { type Programs, programs } from '../session/programs.ts'

export const standIn =
  (root: string, given: Programs | undefined): Inspect =>
  async (work, gone) => {
    const env = process.env as Record<string, string>
    const cookie = randomBytes(16).toString('hex')
    const place = await makePlace(root, cookie)
    try {
      const { program, driver } = await programFor(work.role, {
        env,
        scripted: (given ?? programs()).scripted,
      })
      const launch = driver.question(program, {
        ...place,
        model: 'haiku',
        system: 'Review.',
        prompt: `Work to review ${(await readdir(work.tree)).join(' ')}`,
        shape,
        caller: env,
        credentials: {},
      })
      await place.write(launch.files)
      const own = { ...launch.env, ...(env.AGENCY_SCENARIO && { AGENCY_SCENARIO: env.AGENCY_SCENARIO }) }
      const ran = await runOnce({
        launch: { ...launch, env: own },
        cwd: place.cwd,
        cookie,
        deadline: 600_000,
        signal: gone,
      })
      const outcome = driver.judge(ran.events, ran.exit)
      const said = answer.safeParse(outcome.ok ? outcome.structured : undefined)
      if (!said.success) return { kind: 'failed', why: outcome.ok ? 'no verdict' : outcome.message }
      const { message, ...rest } = said.data
      return { kind: 'verdict', ...rest, ...(message !== undefined && { message }), walls: false }
    } finally {
      await place.remove().catch(() => {})
    }
  }
