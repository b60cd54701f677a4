// The role of an agent is switched while it lives: the same cases for the stand-in and the real CLI.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { alive } from '../../src/base/process/identity.ts'
import type { Scenario } from '../../src/driver/scripted/scenario/schema.ts'
import { bash, write } from '../twin/say.ts'
import type { Make } from './cast.ts'
import { identified, patience, type Stage } from './kit.ts'
import { ask } from './tasks.ts'

const reading = 'capabilities: {can_read_files: true}\n'
const acting = 'permissions: {allow: [Bash, Write]}\n'
const talk = { replies: [{ text: 'Heard.', times: 0 }] }
export const waits = 'touch began; while [ ! -e go ]; do sleep 0.1; done; touch ended'

/** Roles of the program that is tried: `reader` may only read, `doer` may do everything. */
export const staged = async (make: Make, scripts: (cwd: string) => Scenario['scripts']): Promise<Stage> => {
  const scenario: { scripts: Scenario['scripts'][number][] } = { scripts: [] }
  const at = await make(scenario)
  scenario.scripts.push(...scripts(at.cwd), talk)
  if (at.env.AGENCY_SCENARIO !== undefined) writeFileSync(at.env.AGENCY_SCENARIO, JSON.stringify(scenario))
  const base = readFileSync(join(at.root, 'roles/s.yaml'), 'utf8')
  for (const [name, more] of Object.entries({ reader: reading, doer: acting }))
    writeFileSync(join(at.root, `roles/${name}.yaml`), `${base.replace('name: s', `name: ${name}`)}${more}`)
  return at
}

export const launch = async (at: Stage, role: string): Promise<void> => {
  const { code, err } = await at.agency(['run', '--role', role, '--name', 'a', '--detach'])
  expect(code, err).toBe(0)
  await at.until('a', { state: 'idle' })
}

export const made = (at: Stage, file: string): boolean => existsSync(join(at.cwd, file))
export const json = (at: Stage, file: string) =>
  JSON.parse(readFileSync(join(at.directory('a'), file), 'utf8'))

/** What every place says of the role: the list, what a resume goes by, what calls are judged by. */
export const rolesOf = async (at: Stage) => [
  (await at.agent('a'))?.role,
  json(at, 'session.json').role,
  json(at, 'role.json').role.name,
  json(at, 'role.json').next,
]

/** What the journal says of switches, in its order. */
export const told = async (at: Stage): Promise<readonly string[]> => {
  const types = ['session.switching', 'session.switched', 'session.unswitched']
  const events = (await Promise.all(types.map((type) => at.journal(type)))).flat()
  return events
    .sort((one, other) => one.seq - other.seq)
    .map(({ type, data }) =>
      [type.slice('session.'.length), data.from, data.to, data.stage ?? data.when].join(' '),
    )
}

const wholeSwitch = (from: string, to: string): readonly string[] => [
  ...['asked', 'narrowed', 'stopping', 'relaunching'].map((stage) => `switching ${from} ${to} ${stage}`),
  `switched ${from} ${to} now`,
]

export const begun = (at: Stage) => expect.poll(() => made(at, 'began'), patience).toBe(true)

export const switchCases: Readonly<Record<string, (make: Make) => Promise<void>>> = {
  'idle: what was not offered is, in the same conversation, and it lasts': async (make) => {
    const at = await staged(make, (cwd) => [
      { match: 'try one', replies: [{ calls: [write(join(cwd, 'one'))] }, { text: 'Tried.' }] },
      { match: 'try two', replies: [{ calls: [write(join(cwd, 'two'))] }, { text: 'Done.' }] },
      { match: 'try three', replies: [{ calls: [write(join(cwd, 'three'))] }, { text: 'Done.' }] },
    ])
    await launch(at, 'reader')
    await at.say('a', 'try one')
    const before = await at.until('a', { state: 'idle', turns: 1, role: 'reader' })
    const old = identified(before.pid)
    expect(made(at, 'one')).toBe(false)
    const said = await at.agency(['role', 'switch', 'a', 'doer'])
    expect([said.code, said.out], said.err).toEqual([0, '"a" goes on as doer; it was reader.\n'])
    const after = await at.until('a', { state: 'idle', role: 'doer', session: before.session, turns: 1 })
    expect([after.keeper, after.pid === old.pid]).toEqual([before.keeper, false])
    await at.say('a', 'try two')
    await at.until('a', { state: 'idle', turns: 2 })
    expect(made(at, 'two')).toBe(true)
    expect(await rolesOf(at)).toEqual(['doer', 'doer', 'doer', undefined])
    expect(await told(at)).toEqual(wholeSwitch('reader', 'doer'))
    expect(existsSync(join(at.directory('a'), 'settings.json'))).toBe(false)
    // Asked again it is so already, and nothing happens.
    const again = await ask(at, 'PUT', '/agents/a/role', { role: 'doer' })
    expect(again).toMatchObject({ status: 200, body: { agent: 'a', from: 'doer', to: 'doer', when: 'now' } })
    expect((await at.agent('a'))?.pid).toBe(after.pid)
    // Ended and resumed it still has it; switched while it rests, it has that when it is resumed.
    expect((await at.agency(['stop', 'a'])).code).toBe(0)
    expect((await at.agency(['role', 'switch', 'a', 'reader'])).out).toContain('agency session resume a')
    await at.until('a', { state: 'exited', role: 'reader' })
    expect((await at.agency(['session', 'resume', 'a', '--detach'])).code).toBe(0)
    await at.until('a', { state: 'idle', role: 'reader', session: before.session })
    await at.say('a', 'try three')
    await at.until('a', { state: 'idle', turns: 3 })
    expect(made(at, 'three')).toBe(false)
  },

  'while a tool runs: refused with what would be interrupted, then confirmed; the call ends, the next write is denied':
    async (make) => {
      const at = await staged(make, (cwd) => [
        { match: 'plough', replies: [{ calls: [bash(waits)] }, { text: 'Late.' }] },
        { match: 'try', replies: [{ calls: [write(join(cwd, 'new'))] }, { text: 'Tried.' }] },
      ])
      await launch(at, 'doer')
      await at.say('a', 'plough')
      await begun(at)
      const before = await at.until('a', { state: 'working', text: 'working (Bash)' })
      const refused = await ask(at, 'PUT', '/agents/a/role', { role: 'reader' })
      expect(refused).toMatchObject({
        status: 409,
        body: { error: 'switch_interrupts', problems: ['the call of Bash that runs'] },
      })
      const typed = await at.agency(['role', 'switch', 'a', 'reader'])
      expect([typed.code, typed.err]).toEqual([1, expect.stringContaining('the call of Bash that runs')])
      // Nothing has changed by that.
      expect(await rolesOf(at)).toEqual(['doer', 'doer', 'doer', undefined])
      expect(await told(at)).toEqual([])
      expect((await at.agent('a'))?.pid).toBe(before.pid)
      const said = await at.agency(['role', 'switch', 'a', 'reader', '--yes'])
      expect(said.code, said.err).toBe(0)
      await at.until('a', { state: 'idle', role: 'reader', session: before.session })
      writeFileSync(join(at.cwd, 'go'), '')
      await at.say('a', 'try')
      await at.until('a', { state: 'idle' })
      await expect.poll(async () => (await at.agent('a'))?.turns, patience).toBeGreaterThan(0)
      // The call was ended with its process: nobody was there to see the file.
      expect([made(at, 'ended'), made(at, 'new')]).toEqual([false, false])
      expect(await told(at)).toEqual(wholeSwitch('doer', 'reader'))
    },

  'the host is killed when the old process has just ended: the next one goes on': async (make) => {
    const at = await staged(make, (cwd) => [
      { match: 'remember', replies: [{ text: 'The word is plum.' }] },
      { match: 'try', replies: [{ calls: [write(join(cwd, 'new'))] }, { text: 'Done.' }] },
    ])
    await launch(at, 'reader')
    await at.say('a', 'remember')
    const before = await at.until('a', { state: 'idle', turns: 1 })
    const old = identified(before.pid)
    const asked = ask(at, 'PUT', '/agents/a/role', { role: 'doer' }).catch(() => 'the line broke')
    await expect.poll(() => alive(old), { ...patience, interval: 5 }).toBe(false)
    await at.killHost()
    await asked
    expect((await at.agency(['start'])).code).toBe(0)
    const after = await at.until('a', { state: 'idle', role: 'doer', session: before.session, turns: 1 })
    expect(after.keeper).toBe(before.keeper)
    await expect.poll(() => rolesOf(at), patience).toEqual(['doer', 'doer', 'doer', undefined])
    await expect.poll(async () => (await told(at)).at(-1), patience).toBe('switched reader doer now')
    await at.say('a', 'try')
    await at.until('a', { state: 'idle', turns: 2 })
    expect(made(at, 'new')).toBe(true)
    const { path } = json(at, 'heard.json')
    expect(readFileSync(path, 'utf8')).toContain('The word is plum.')
  },
}
