// Everything one case needs around one program: places, the model behind it, listeners; all of it ends with the case.
import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { onTestFinished } from 'vitest'
import { claude as pinned } from '../../scripts/pinned.mjs'
import type { Scenario, Script } from '../../src/driver/scripted/scenario/schema.ts'
import { type Api, serveApi } from '../claude/api/serve.ts'
import { type Collector, collect } from './collect.ts'
import { type Answerer, type Listener, listen } from './listen.ts'
import { key, makePlace, type Place } from './place.ts'
import { type Ended, type Running, run } from './run.ts'
import { sweep } from './sweep.ts'
import { openTerminal, type Terminal } from './terminal.ts'

export type Program = 'claude' | 'scripted'

const root = resolve(import.meta.dirname, '../..')
const platform = `claude-code-${process.platform}-${process.arch}`
export const binaries: Record<Program, string> = {
  claude:
    process.env.TEST_CLAUDE_BIN ??
    join(root, '.cache/claude', pinned, 'node_modules/@anthropic-ai', platform, 'claude'),
  scripted: join(root, 'bin/scripted'),
}

export type More = {
  settings?: object
  env?: Record<string, string | undefined>
  cwd?: string
  input?: string | null
}

export type Rig = Place & {
  program: Program
  /** Of the scripted Messages API; a scripted agent has none. */
  api: Api | undefined
  env: (more?: Record<string, string | undefined>) => Record<string, string>
  listen: (answer?: Answerer) => Promise<Listener>
  collect: () => Promise<Collector>
  /** Starts print mode with this prompt on stdin and one result as JSON. */
  start: (prompt: string, args?: string[], more?: More) => Promise<Running>
  print: (prompt: string, args?: string[], more?: More) => Promise<Ended>
  /** Print mode with a line for each event. */
  stream: (prompt: string, args?: string[], more?: More) => Promise<Ended>
  /** The program with these arguments and nothing else. */
  bare: (args: string[], more?: More) => Running
  /** Terminal mode, up to the prompt unless told otherwise. */
  terminal: (args?: string[], more?: More & { wait?: boolean }) => Promise<Terminal>
}

/** What the input line of either program looks like when it is ready. */
export const ready = /^❯/m

/** Scripts that name files are made once the places are known. */
export type Scripts = Script[] | ((place: Place) => Script[])

export const makeRig = async (
  program: Program,
  scripts: Scripts,
  more: Partial<Scenario> = {},
): Promise<Rig> => {
  const file = binaries[program]
  if (!existsSync(file)) throw new Error(`${file} is missing. Type \`npm run test:claude\`.`)
  const endings: (() => unknown)[] = []
  onTestFinished(async () => {
    for (const end of endings.reverse()) await end()
  })
  const place = await makePlace()
  endings.push(place.remove, () => sweep(`HOME=${place.home}`))
  const kept = <T extends { close: () => Promise<void> }>(thing: T): T => {
    endings.push(thing.close)
    return thing
  }
  const killed = <T extends { kill: () => void }>(thing: T): T => {
    endings.push(() => thing.kill())
    return thing
  }

  const scenario = { scripts: typeof scripts === 'function' ? scripts(place) : scripts, ...more }
  const model: Record<string, string> = {}
  const api = program === 'claude' ? kept(await serveApi(scenario)) : undefined
  if (api) model.ANTHROPIC_BASE_URL = api.url
  else model.AGENCY_SCENARIO = await place.write('scenario.json', scenario)

  const env: Rig['env'] = (extra = {}) =>
    Object.fromEntries(
      Object.entries({
        PATH: `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
        HOME: place.home,
        LANG: 'C.UTF-8',
        TERM: 'xterm-256color',
        SHELL: '/bin/bash',
        TMPDIR: place.tmp,
        ANTHROPIC_API_KEY: key,
        CLAUDE_CONFIG_DIR: place.config,
        CLAUDE_CODE_TMPDIR: place.tmp,
        CLAUDE_CODE_MAX_RETRIES: '0',
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
        DISABLE_AUTOUPDATER: '1',
        ...model,
        ...extra,
      }).filter((pair): pair is [string, string] => pair[1] !== undefined),
    )

  let count = 0
  const settled = async (args: string[], settings: object | undefined): Promise<string[]> => {
    if (!settings) return args
    count += 1
    return [...args, '--settings', await place.write(`settings-${count}.json`, settings)]
  }
  const bare: Rig['bare'] = (args, { cwd = place.work, env: extra, input } = {}) =>
    killed(run(file, args, { cwd, env: env(extra), ...(input === undefined ? {} : { input }) }))
  const start: Rig['start'] = async (prompt, args = [], how = {}) =>
    bare(['-p', '--output-format', 'json', ...(await settled(args, how.settings))], { input: prompt, ...how })

  return {
    ...place,
    program,
    api,
    env,
    listen: async (answer) => kept(await listen(answer)),
    collect: async () => kept(await collect()),
    bare,
    start,
    print: async (prompt, args, how) => (await start(prompt, args, how)).ended,
    stream: async (prompt, args = [], how = {}) => {
      const flags = ['-p', '--output-format', 'stream-json', '--verbose']
      return bare([...flags, ...(await settled(args, how.settings))], { input: prompt, ...how }).ended
    },
    terminal: async (args = [], { settings, env: extra, cwd = place.work, wait = true } = {}) => {
      const all = await settled(args, settings)
      const terminal = killed(openTerminal(file, all, { cwd, env: env(extra) }))
      if (wait) await terminal.sees(ready)
      return terminal
    },
  }
}
