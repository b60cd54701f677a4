// The host dies in the middle of a switch, at each of its steps: what it left is put there, and the next one goes on.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'vitest'
import { chance } from '../../soak/chance.ts'
import { alive } from '../../src/base/process/identity.ts'
import { keptRole } from '../../src/session/kept/schema.ts'
import { writeKept } from '../../src/session/kept.ts'
import { switchingFact } from '../../src/session/switch/rules.ts'
import type { Stage as Step, Switching } from '../../src/session/switch/schema.ts'
import { reduceOf } from '../../src/state/rules.ts'
import { openStore } from '../../src/store/sqlite.ts'
import { bash, write } from '../twin/say.ts'
import type { Make } from './cast.ts'
import { identified, patience, processesOf, type Stage } from './kit.ts'
import { begun, json, launch, made, rolesOf, staged, told, waits } from './switch.ts'
import { ask } from './tasks.ts'

const scripts = (cwd: string) => [
  { match: 'remember', replies: [{ text: 'The word is plum.' }] },
  {
    match: 'plough',
    replies: [{ calls: [bash(waits)] }, { calls: [write(join(cwd, 'inside'))] }, { text: 'Late.' }],
  },
  { match: 'try', replies: [{ calls: [write(join(cwd, 'new'))] }, { text: 'Tried.' }] },
]

const begin = async (make: Make, role: string): Promise<{ at: Stage; pid: number; session: string }> => {
  const at = await staged(make, scripts)
  await launch(at, role)
  await at.say('a', 'remember')
  const { pid = 0, session } = await at.until('a', { state: 'idle', turns: 1 })
  return { at, pid, session }
}

/** As a host leaves it that dies right after it has noted this. */
const leave = async (at: Stage, id: string, switching: Switching): Promise<void> => {
  const now = () => new Date()
  const store = await openStore({ file: join(at.root, 'agency.db'), reduce: reduceOf, now })
  await store.append([switchingFact(id, switching)])
  await store.close()
}

const between = (from: string, to: string, stage: Step, more: Partial<Switching> = {}): Switching => ({
  from,
  to,
  by: 'someone',
  stage,
  confirmed: false,
  ...more,
})

/** Both roles hold. */
const narrowed = async (at: Stage, to: string): Promise<void> => {
  const kept = keptRole.parse(json(at, 'role.json'))
  const other = to === 'reader' ? false : kept.role.capabilities.can_read_files
  const capabilities = {
    can_read_files: true,
    can_write_files: other,
    can_create_files: other,
    can_delete_files: other,
    can_execute_commands: other,
    can_delegate_to_roles: [],
  }
  await writeKept(at.directory('a'), { ...kept, next: { ...kept.role, name: to, capabilities } })
}

const start = async (at: Stage): Promise<void> => {
  const { code, err } = await at.agency(['start'])
  expect(code, err).toBe(0)
}

const last = (at: Stage, what: string) =>
  expect.poll(async () => (await told(at)).at(-1), patience).toBe(what)

/** It goes on as `doer`: in the same conversation, by another process. */
const wentOn = async (at: Stage, session: string): Promise<void> => {
  await at.until('a', { state: 'idle', role: 'doer', session, turns: 1 })
  await last(at, 'switched reader doer now')
  expect(await rolesOf(at)).toEqual(['doer', 'doer', 'doer', undefined])
  await at.say('a', 'try')
  await at.until('a', { state: 'idle', turns: 2 })
  expect(made(at, 'new')).toBe(true)
  expect(readFileSync(json(at, 'heard.json').path, 'utf8')).toContain('The word is plum.')
}

/** Nobody is there who would launch it again. */
const ended = async (at: Stage, pid: number): Promise<void> => {
  const old = identified(pid)
  await (await at.keeper('a')).end(5_000)
  expect(alive(old)).toBe(false)
}

export const brokenCases: Readonly<Record<string, (make: Make) => Promise<void>>> = {
  'asked, and asked again of the next host: it is switched, and not said to be what it was': async (make) => {
    const { at, session } = await begin(make, 'reader')
    await at.killHost()
    await leave(at, session, between('reader', 'doer', 'asked'))
    const starting = start(at)
    // From its first moment on: what it found half asked is withdrawn meanwhile.
    const put = () =>
      ask(at, 'PUT', '/agents/a/role', { role: 'doer' }).catch(() => ({ status: 0, body: {} }))
    let got = await put()
    while (got.status === 0 || got.status >= 500) got = await put()
    expect(got).toMatchObject({ status: 200, body: { from: 'reader', to: 'doer' } })
    await starting
    await wentOn(at, session)
  },

  'asked: nothing had changed, and nothing does': async (make) => {
    const { at, pid, session } = await begin(make, 'reader')
    await at.killHost()
    await leave(at, session, between('reader', 'doer', 'asked'))
    await narrowed(at, 'doer')
    await start(at)
    await last(at, 'unswitched reader doer ')
    await at.until('a', { state: 'idle', role: 'reader', pid })
    expect(await rolesOf(at)).toEqual(['reader', 'reader', 'reader', undefined])
  },

  'narrowed in a turn that nobody agreed to interrupt: what it does next is refused, and then it is switched':
    async (make) => {
      const { at, session, pid } = await begin(make, 'doer')
      await at.say('a', 'plough')
      await begun(at)
      await at.until('a', { state: 'working', text: 'working (Bash)' })
      await at.killHost()
      await leave(at, session, between('doer', 'reader', 'narrowed'))
      await narrowed(at, 'reader')
      await start(at)
      // The call that runs is left alone.
      await at.until('a', { role: 'doer', pid })
      writeFileSync(join(at.cwd, 'go'), '')
      await last(at, 'switched doer reader now')
      await at.until('a', { state: 'idle', role: 'reader', session })
      expect([made(at, 'ended'), made(at, 'inside')]).toEqual([true, false])
      const decided = (await at.journal('session.decided')).map(
        ({ data }) => `${data.tool} ${data.verdict} ${data.reason}`,
      )
      expect(decided.at(-1)).toBe('Write deny the role "reader" lacks can_write_files, which Write needs')
      expect(await rolesOf(at)).toEqual(['reader', 'reader', 'reader', undefined])
    },

  'narrowed, and it ended by itself: it has the role once it is resumed': async (make) => {
    const { at, pid, session } = await begin(make, 'reader')
    await at.killHost()
    await leave(at, session, between('reader', 'doer', 'narrowed'))
    await ended(at, pid)
    await start(at)
    await last(at, 'switched reader doer resume')
    await at.until('a', { state: 'exited', role: 'doer' })
    expect((await at.agency(['session', 'resume', 'a', '--detach'])).code).toBe(0)
    await at.until('a', { state: 'idle', role: 'doer', session })
    expect(await rolesOf(at)).toEqual(['doer', 'doer', 'doer', undefined])
  },

  'stopping, and it still runs: it is ended and launched again': async (make) => {
    const { at, pid, session } = await begin(make, 'reader')
    const old = identified(pid)
    await at.killHost()
    await leave(at, session, between('reader', 'doer', 'stopping', { launches: 1 }))
    await start(at)
    await wentOn(at, session)
    expect(alive(old)).toBe(false)
  },

  'stopping, and it has ended: its keeper still knows how it was launched': async (make) => {
    const { at, pid, session } = await begin(make, 'reader')
    await at.killHost()
    await leave(at, session, between('reader', 'doer', 'stopping', { launches: 1 }))
    await ended(at, pid)
    await start(at)
    await wentOn(at, session)
  },

  'relaunching, and nothing was launched': async (make) => {
    const { at, pid, session } = await begin(make, 'reader')
    await at.killHost()
    await leave(at, session, between('reader', 'doer', 'relaunching', { launches: 1 }))
    await ended(at, pid)
    await start(at)
    await wentOn(at, session)
  },

  'relaunching, and it was launched: that one stays': async (make) => {
    const { at, session } = await begin(make, 'reader')
    expect((await at.agency(['role', 'switch', 'a', 'doer'])).code).toBe(0)
    const { pid = 0 } = await at.until('a', { state: 'idle', role: 'doer' })
    await at.killHost()
    await leave(at, session, between('reader', 'doer', 'relaunching', { launches: 1 }))
    await start(at)
    await wentOn(at, session)
    expect((await at.agent('a'))?.pid).toBe(pid)
  },

  'its keeper was killed too: it is lost, and has the role once it is resumed': async (make) => {
    const { at, session } = await begin(make, 'reader')
    const keeper = await at.keeper('a')
    await at.killHost()
    await leave(at, session, between('reader', 'doer', 'stopping', { launches: 1 }))
    process.kill(keeper.found.pid, 'SIGKILL')
    await expect.poll(() => processesOf(keeper), patience).toEqual([])
    await start(at)
    await last(at, 'switched reader doer resume')
    await at.until('a', { state: 'lost', role: 'doer' })
    expect((await at.agency(['session', 'resume', 'a', '--detach'])).code).toBe(0)
    await at.until('a', { state: 'idle', role: 'doer', session })
  },
}

/** Whatever the moment: it ends as the one or the other, in every place, and is the same conversation. */
export const killedSwitches = async (
  make: Make,
  { seed, rounds }: { readonly seed: number; readonly rounds: number },
): Promise<void> => {
  const { at, session } = await begin(make, 'reader')
  const random = chance(seed)
  let role = 'reader'
  for (let round = 0; round < rounds; round += 1) {
    const to = role === 'reader' ? 'doer' : 'reader'
    const asked = ask(at, 'PUT', '/agents/a/role', { role: to }).catch(() => undefined)
    await wait(random.below(random.pick([30, 150, 500, 1500])))
    await at.killHost()
    await asked
    await start(at)
    await expect
      .poll(async () => {
        const [listed, ...others] = await rolesOf(at)
        const underWay = (await told(at)).at(-1)?.startsWith('switching') ?? false
        return underWay || [listed, listed, undefined].some((one, place) => one !== others[place])
      }, patience)
      .toBe(false)
    const now = await at.until('a', { state: 'idle', session, turns: 1 })
    role = now.role ?? ''
    expect(['reader', 'doer']).toContain(role)
    const keeper = await at.keeper('a')
    expect((await keeper.status()).child?.pid).toBe(now.pid)
    keeper.close()
  }
  const said = await at.agency(['role', 'switch', 'a', 'doer'])
  expect(said.code, said.err).toBe(0)
  await at.say('a', 'try')
  await at.until('a', { state: 'idle', session, turns: 2 })
  expect(made(at, 'new')).toBe(true)
  expect(readFileSync(json(at, 'heard.json').path, 'utf8')).toContain('The word is plum.')
}
