// An agent at a terminal behind a real host and keeper, and all that can happen to them.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { AgentEntry, agents } from '../../src/agent/api.ts'
import { AgencyError } from '../../src/base/error/fail.ts'
import { alive } from '../../src/base/process/identity.ts'
import { readHostFile } from '../../src/client/address.ts'
import { type Client, call } from '../../src/client/call.ts'
import { route } from '../../src/client/route.ts'
import { reach } from '../../src/client/start.ts'
import { layout } from '../../src/config/layout/rules.ts'
import type { Scenario } from '../../src/driver/scripted/scenario/schema.ts'
import { findKeeper, placesOf } from '../../src/keeper/find.ts'
import { readScrollback } from '../../src/keeper/output.ts'
import { type Attached, type Keeper, reachKeeper } from '../../src/keeper/reach.ts'
import { screenOf } from '../../src/keeper/screen.ts'
import type { MessageEntry, messages } from '../../src/message/api.ts'
import { type Ground, takeGround } from '../ground.ts'
import type { Line } from './judge.ts'
import type { Letter } from './plan.ts'

export const name = 'coder'
/** Generous: a busy machine is no failure. */
const patience = 90_000

export type Stage = {
  readonly ground: Ground
  readonly work: string
  readonly directory: string
  command(...words: string[]): Promise<{ readonly code: number | null; readonly said: string }>
  agent(): Promise<AgentEntry | undefined>
  send(letter: Letter): Promise<void>
  list(): Promise<readonly MessageEntry[]>
  keeper(): Promise<Keeper | undefined>
  /** A person at the terminal. */
  type(keys: string): Promise<void>
  screen(): Promise<string>
  /** Until the screen does. */
  shows(text: string): Promise<void>
  transcript(): readonly Line[]
  killHost(): Promise<void>
  killKeeper(): Promise<void>
}

/** Asked again and again, also of a host that is just killed. */
export const until = async <T>(what: string, ask: () => Promise<T | undefined | false>): Promise<T> => {
  let why = ''
  for (const late = performance.now() + patience; performance.now() < late; await pause(40)) {
    try {
      const found = await ask()
      if (found !== undefined && found !== false) return found
    } catch (error) {
      if (error instanceof AgencyError && error.status < 500 && error.code !== 'not_found') throw error
      why = (error as Error).message
    }
  }
  throw new Error(`waited in vain for ${what}${why === '' ? '' : `: ${why}`}`)
}

const send = route<typeof messages.send>('POST', '/messages')
const list = route<typeof messages.list>('GET', '/messages')
const entries = route<typeof agents.list>('GET', '/agents')

const linesOf = (file: string): readonly Line[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Line)

export const openStage = async (scenario: Scenario): Promise<Stage> => {
  const ground = takeGround()
  const { root } = ground
  const work = join(dirname(root), 'work')
  mkdirSync(work)
  writeFileSync(join(dirname(root), 'scenario.json'), JSON.stringify(scenario))
  writeFileSync(join(root, 'roles/s.yaml'), 'name: s\nagent_type: scripted\ninstructions: Work.\n')
  const env = {
    ...ground.env,
    AGENCY_ROOT: root,
    AGENCY_SCENARIO: join(dirname(root), 'scenario.json'),
    CLAUDE_BIN: join(work, 'no-claude'),
  }
  const directory = layout(root).session(name)
  let attached: { readonly pid: number; readonly client: Attached } | undefined

  const client = (): Promise<Client> => reach(root, { patience: 2000 })
  const command: Stage['command'] = async (...words) => {
    const child = spawn(process.execPath, [resolve('bin/agency'), ...words], {
      cwd: work,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let said = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece) => (said += piece))
    const [code] = (await once(child, 'close')) as [number | null]
    return { code, said }
  }
  const keeper: Stage['keeper'] = async () => {
    const found = await findKeeper(directory)
    return found && reachKeeper(found)
  }
  const person = async (): Promise<Attached> => {
    const found = await findKeeper(directory)
    if (found === undefined) throw new Error('there is no keeper')
    if (attached?.pid === found.pid) return attached.client
    const client = await (await reachKeeper(found)).attach({ stream: 'terminal', from: 'end' })
    attached = { pid: found.pid, client }
    // Read, or the keeper would stop sending.
    void (async () => {
      for await (const _ of client.output);
    })().catch(() => undefined)
    return client
  }
  const screen: Stage['screen'] = async () => {
    const bytes = readScrollback(placesOf(directory).scrollback)
    return (await screenOf(bytes, { columns: 120, rows: 40 })).lines.join('\n')
  }
  const end = async (whom: { pid: number; started: string } | undefined): Promise<void> => {
    if (whom === undefined || !alive(whom)) return
    process.kill(whom.pid, 'SIGKILL')
    await until('the end of a killed process', async () => !alive(whom))
  }

  return {
    ground,
    work,
    directory,
    command,
    agent: async () => (await call(await client(), entries, {})).agents.find((each) => each.name === name),
    // Under its id it may be sent again: of a host that dies meanwhile nobody knows whether it kept it.
    send: async ({ id, from, lane, text }) => {
      await until(`${id} to be taken`, async () =>
        call(await client(), send, { body: { id, from, lane, text, to: name, expects_response: false } }),
      )
    },
    list: async () => (await call(await client(), list, { query: { to: name } })).messages,
    keeper,
    type: async (keys) => (await person()).input(Buffer.from(keys)),
    screen,
    shows: async (text) => {
      await until(`the screen to show ${text}`, async () => (await screen()).includes(text))
    },
    transcript: () => {
      const projects = join(directory, '.claude/projects')
      const files = readdirSync(projects, { recursive: true })
        .map(String)
        .filter((file) => file.endsWith('.jsonl'))
      const all = files.map((file) => linesOf(join(projects, file)))
      return all
        .sort((one, other) => ((one[0]?.timestamp ?? '') < (other[0]?.timestamp ?? '') ? -1 : 1))
        .flat()
    },
    killHost: () => end(readHostFile(root)),
    killKeeper: async () => end(await findKeeper(directory)),
  }
}
