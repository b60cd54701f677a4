// Agents in a world of their own: the scripted program behind a real host, keeper and terminal.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, onTestFinished } from 'vitest'
import type { AgentEntry } from '../../src/agent/api.ts'
import type { AgencyError } from '../../src/base/error/fail.ts'
import { end } from '../../src/base/process/end.ts'
import { alive, type Identity, identify } from '../../src/base/process/identity.ts'
import { agentsOf } from '../../src/cli/agent/ask.ts'
import { readHostFile } from '../../src/client/address.ts'
import { call } from '../../src/client/call.ts'
import { events } from '../../src/client/events.ts'
import { route } from '../../src/client/route.ts'
import { reach } from '../../src/client/start.ts'
import type { Scenario } from '../../src/driver/scripted/scenario/schema.ts'
import type { host as api } from '../../src/host/api.ts'
import type { Event } from '../../src/journal/schema.ts'
import { findKeeper, findKeepers, placesOf } from '../../src/keeper/find.ts'
import { members } from '../../src/keeper/members.ts'
import { readScrollback } from '../../src/keeper/output.ts'
import { type Keeper, reachKeeper } from '../../src/keeper/reach.ts'
import { screenOf } from '../../src/keeper/screen.ts'
import { type Said, type World, world } from '../cli/kit.ts'

/** Generous: a busy machine is no failure. */
export const patience = { timeout: 60_000, interval: 50 }

export type Stage = World & {
  readonly run: (name: string, ...more: string[]) => Promise<Said>
  readonly agents: () => Promise<readonly AgentEntry[]>
  readonly agent: (name: string) => Promise<AgentEntry | undefined>
  /** Until `agency list` says so. */
  readonly until: (name: string, what: Partial<AgentEntry>) => Promise<AgentEntry>
  readonly directory: (name: string) => string
  readonly keeper: (name: string) => Promise<Keeper>
  /** Types a line at the terminal of an agent. */
  readonly say: (name: string, text: string) => Promise<void>
  /** Presses a key of a dialog until the dialog is gone. */
  readonly press: (name: string, key: string, dialog: RegExp) => Promise<void>
  readonly screen: (name: string) => Promise<string>
  readonly host: () => Identity
  /** What the journal holds now, by type. */
  readonly journal: (type: string) => Promise<readonly Event[]>
  readonly killHost: () => Promise<void>
}

/** A role that plays `scenario`; more roles by their text. */
export const stage = async (
  scenario: Scenario,
  roles: Readonly<Record<string, string>> = {},
): Promise<Stage> => {
  const at = world()
  onTestFinished(() => sweep(at.root))
  const file = join(at.folder, 'scenario.json')
  writeFileSync(file, JSON.stringify(scenario))
  at.env.AGENCY_SCENARIO = file
  expect((await at.agency(['init'])).code).toBe(0)
  const all = { s: 'name: s\nagent_type: scripted\ninstructions: Work.\n', ...roles }
  for (const [name, text] of Object.entries(all)) writeFileSync(join(at.root, `roles/${name}.yaml`), text)

  const directory = (name: string): string => join(at.root, 'sessions', name)
  // Asked of the host itself: as a process of its own for every look, the looking took most of the machine.
  const agents: Stage['agents'] = async () => {
    const client = await reach(at.root).catch((error: AgencyError) =>
      error.code === 'host_absent' ? undefined : Promise.reject(error),
    )
    return client === undefined ? [] : agentsOf(client)
  }
  const agent: Stage['agent'] = async (name) => (await agents()).find((each) => each.name === name)
  const keeper: Stage['keeper'] = async (name) => {
    const found = (await findKeeper(directory(name))) ?? expect.fail(`there is no keeper of ${name}`)
    const reached = await reachKeeper(found)
    onTestFinished(() => reached.close())
    return reached
  }
  const screen: Stage['screen'] = async (name) => {
    const bytes = readScrollback(placesOf(directory(name)).scrollback)
    return (await screenOf(bytes, { columns: 120, rows: 40 })).lines.join('\n')
  }
  const shown = (name: string, what: RegExp) => expect.poll(() => screen(name), patience).toMatch(what)

  return {
    ...at,
    run: (name, ...more) => at.agency(['run', '--role', 's', '--name', name, '--detach', ...more]),
    agents,
    agent,
    until: async (name, what) => {
      let seen: AgentEntry | undefined
      await expect
        .poll(async () => {
          seen = await agent(name)
          return seen
        }, patience)
        .toMatchObject(what)
      return seen ?? expect.fail('it was there a moment ago')
    },
    directory,
    keeper,
    say: async (name, text) => {
      const to = await keeper(name)
      await shown(name, /^❯/m)
      await to.input(Buffer.from(text))
      await shown(name, new RegExp(`❯.*${text.replace(/[^\w ]/g, '.')}`))
      await to.input(Buffer.from('\r'))
    },
    press: async (name, key, dialog) => {
      const to = await keeper(name)
      await shown(name, dialog)
      const up = async (): Promise<boolean> => dialog.test(await screen(name))
      // A dialog that was just drawn is deaf for a moment.
      await wait(400)
      // Pressed again until it is gone. Not soon: on a busy machine it goes late, and the key would stand in the input line.
      for (const late = performance.now() + patience.timeout; await up(); ) {
        if (performance.now() > late) expect.fail('the dialog stays')
        await to.input(Buffer.from(key))
        for (let left = 60; left > 0 && (await up()); left -= 1) await wait(50)
      }
    },
    screen,
    host: () => readHostFile(at.root) ?? expect.fail('there is no host.json'),
    journal: async (type) => {
      const client = await reach(at.root)
      const { seq } = await call(client, route<typeof api.state>('GET', '/state'), {})
      const seen: Event[] = []
      for await (const event of events(client, { after: 0 })) {
        if (event.type === type) seen.push(event)
        if (event.seq >= seq) break
      }
      return seen
    },
    killHost: async () => {
      const whom = readHostFile(at.root) ?? expect.fail('there is no host.json')
      process.kill(whom.pid, 'SIGKILL')
      await expect.poll(() => alive(whom), patience).toBe(false)
    },
  }
}

/** Every process of an agent: by the cookie of its keeper. */
export const processesOf = (keeper: Keeper): readonly Identity[] =>
  members({ cookie: keeper.found.cookie, except: [] })

export const identified = (pid: number | undefined): Identity =>
  identify(pid ?? -1) ?? expect.fail(`there is no process ${pid}`)

/** Whatever the test did, nothing of it stays: a keeper that is killed takes its session along. */
const sweep = async (root: string): Promise<void> => {
  const host = readHostFile(root)
  if (host !== undefined) await end(host, { grace: 0 })
  for (const found of await findKeepers(root)) {
    await end(found, { grace: 0 })
    await expect.poll(() => members({ cookie: found.cookie, except: [] }), patience).toEqual([])
  }
}
