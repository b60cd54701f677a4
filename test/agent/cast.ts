// An agent of either program behind a real host: what is tried with the stand-in is tried with the real CLI too.
import { resolve } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Scenario } from '../../src/driver/scripted/scenario/schema.ts'
import { serveApi } from '../claude/api/serve.ts'
import { key } from '../twin/place.ts'
import { binaries, type Program } from '../twin/rig.ts'
import { type Stage, stage } from './kit.ts'

/** A root whose role `s` plays the scenario; `more` = further fields of the role. */
export type Make = (scenario: Scenario, more?: string) => Promise<Stage>

const real = async (at: Stage, scenario: Scenario): Promise<void> => {
  const api = await serveApi(scenario)
  onTestFinished(api.close)
  Object.assign(at.env, {
    CLAUDE_BIN: binaries.claude,
    ANTHROPIC_API_KEY: key,
    ANTHROPIC_BASE_URL: api.url,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    SHELL: '/bin/bash',
  })
}

export const castOf =
  (program: Program): Make =>
  async (scenario, more = '') => {
    const type = program === 'scripted' ? 'agent_type: scripted\n' : ''
    const at = await stage(scenario, { s: `name: s\n${type}instructions: Work.\n${more}` })
    // Agents call it by its name.
    at.env.PATH = `${resolve('bin')}:${at.env.PATH}`
    if (program === 'claude') await real(at, scenario)
    return at
  }
