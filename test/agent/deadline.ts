// A host that goes and never comes back: what waits for it is refused when its time is over, and nothing runs meanwhile.
// A real keeper with the deadlines of a short hold; the same cases for the stand-in and the real CLI.
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { claude } from '../../src/driver/claude/driver.ts'
import { open, standIn, tokens } from '../kit/keeper.ts'
import type { Rig, Scripts } from '../twin/rig.ts'
import { bash } from '../twin/say.ts'
import { each, hooked, http } from '../twin/settings.ts'
import { patience } from './kit.ts'

type Make = (scripts: Scripts) => Promise<Rig>

/** The CLI waits 7 s for its hook, the keeper 4 s for its host. */
const hold = 7

const events = ['UserPromptSubmit', 'PreToolUse', 'PostToolUse']

/** A project that would have all of it allowed. */
const hostile = { disableAllHooks: true, permissions: { allow: ['Bash'], defaultMode: 'acceptEdits' } }

const waiting = bash('touch began; while [ ! -e go ]; do sleep 0.1; done')
const script = {
  match: 'go',
  replies: [
    { calls: [waiting] },
    { calls: [bash('touch second')] },
    { calls: [bash('touch third')] },
    { text: 'I gave up.' },
  ],
}

const supervised = async (rig: Rig) => {
  const { root, keeper } = await open({ hooks: claude('2.1.325').hookPolicy(hold) })
  const headers = { Authorization: `Bearer ${tokens.hookToken}` }
  const url = `http://127.0.0.1:${keeper.found.port}/hook`
  const entry = http(url, { headers, timeout: hold, onFailure: 'block' })
  const settings = hooked(each(events, entry), { disableAllHooks: false })
  await rig.write('work/.claude/settings.json', hostile)
  return { settings, socket: `${root}/host.sock` }
}

export const deadlineCases: Readonly<Record<string, (make: Make) => Promise<void>>> = {
  'the host goes in a call and stays away: the next calls are refused when their time is over': async (
    make,
  ) => {
    const rig = await make([script])
    const { settings, socket } = await supervised(rig)
    const host = await standIn(socket, (_, response) => void response.writeHead(204).end())
    const running = await rig.start('go', ['--allowedTools=Bash'], { settings })
    const there = (name: string): boolean => existsSync(join(rig.work, name))
    await expect.poll(() => there('began'), patience).toBe(true)
    await host.stop()
    writeFileSync(join(rig.work, 'go'), '')
    const { code, result } = await running.ended
    expect([there('second'), there('third')]).toEqual([false, false])
    expect([code, result?.result, result?.permission_denials.length]).toEqual([0, 'I gave up.', 2])
    expect(host.asked.map(({ body }) => body.event)).toEqual(['UserPromptSubmit', 'PreToolUse'])
  },

  'the host goes while it is asked: the call is refused when its time is over, and the agent is told why':
    async (make) => {
      const rig = await make([
        { match: 'go', replies: [{ calls: [bash('touch ran')] }, { text: 'I gave up.' }] },
      ])
      const { settings, socket } = await supervised(rig)
      const host = await standIn(socket, ({ body }, response) => {
        if (body.event !== 'PreToolUse') response.writeHead(204).end()
      })
      const running = rig.stream('go', ['--allowedTools=Bash'], { settings })
      const asked = (): boolean => host.asked.some(({ body }) => body.event === 'PreToolUse')
      await expect.poll(asked, patience).toBe(true)
      await host.stop()
      const { lines, result } = await running
      expect(existsSync(join(rig.work, 'ran'))).toBe(false)
      expect(result?.permission_denials).toHaveLength(1)
      expect(JSON.stringify(lines)).toContain("agency's host did not answer within 4 s. Nothing was allowed")
    },
}
