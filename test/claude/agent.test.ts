// The daily work, on the real CLI and on its stand-in: launched by a role through the host, talked to, seen, stopped,
// resumed.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Scenario } from '../../src/driver/scripted/scenario/schema.ts'
import { patience, processesOf, type Stage, stage } from '../agent/kit.ts'
import { key } from '../twin/place.ts'
import { binaries, type Program } from '../twin/rig.ts'
import { serveApi } from './api/serve.ts'

const scenario: Scenario = {
  scripts: [
    {
      match: 'look around',
      replies: [
        { calls: [{ name: 'Bash', input: { command: 'until [ -e go ]; do sleep 0.1; done; echo seen' } }] },
        { text: 'The house has two doors.' },
      ],
    },
    { match: 'and now', replies: [{ text: 'Still two doors.' }] },
  ],
}

const architect = (program: Program): string =>
  `name: architect\nagent_type: ${program}\ninstructions: You draw plans.\npermissions:\n  allow: ['Bash']\n`

/** A stage whose agents are the program, with the scripted model behind it. */
const staged = async (program: Program): Promise<Stage> => {
  const at = await stage(scenario, { architect: architect(program) })
  if (program === 'scripted') return at
  const api = await serveApi(scenario)
  onTestFinished(api.close)
  Object.assign(at.env, {
    CLAUDE_BIN: binaries.claude,
    ANTHROPIC_BASE_URL: api.url,
    ANTHROPIC_API_KEY: key,
    TERM: 'xterm-256color',
    LANG: 'C.UTF-8',
    DISABLE_AUTOUPDATER: '1',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  })
  return at
}

for (const program of ['claude', 'scripted'] as const) {
  test(`${program}: run, talk, list, peek, stop, resume`, async () => {
    const at = await staged(program)
    const launched = await at.agency(['run', '--role', 'architect', '--name', 'arch-1', '--detach'])
    expect([launched.code, launched.out], launched.err).toEqual([
      0,
      expect.stringContaining('"arch-1" is up'),
    ])
    const { session } = await at.until('arch-1', { state: 'idle' })

    await at.say('arch-1', 'look around')
    await at.until('arch-1', { state: 'working' })
    writeFileSync(join(at.cwd, 'go'), '')
    await at.until('arch-1', { state: 'idle', turns: 1 })
    await expect
      .poll(async () => (await at.agency(['peek', 'arch-1'])).out, patience)
      .toContain('The house has two doors.')

    const keeper = await at.keeper('arch-1')
    expect(processesOf(keeper).length).toBeGreaterThan(0)
    const stopped = await at.agency(['stop', 'arch-1'])
    expect(stopped.code, stopped.err).toBe(0)
    expect(processesOf(keeper)).toEqual([])

    const resumed = await at.agency(['session', 'resume', 'arch-1', '--detach'])
    expect(resumed.code, resumed.err).toBe(0)
    expect(await at.until('arch-1', { state: 'idle' })).toMatchObject({ session })
    await at.say('arch-1', 'and now')
    await expect
      .poll(async () => (await at.agency(['peek', 'arch-1'])).out, patience)
      .toContain('Still two doors.')
    expect((await at.agency(['shutdown', '--all'])).code).toBe(0)
  })
}
