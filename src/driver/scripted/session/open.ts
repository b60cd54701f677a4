// Finds or makes the session that the command line asks for.
import { randomUUID } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Mode, Options } from '../argv/schema.ts'
import { openHooks } from '../hook/call.ts'
import { openPlayer } from '../scenario/load.ts'
import type { Scenario } from '../scenario/schema.ts'
import { openSettings } from '../settings/live.ts'
import { openTelemetry } from '../telemetry/export.ts'
import type { Context, Screen, State } from './context.ts'
import { modelOf, spentBefore } from './rules.ts'
import { delegate } from './subagent.ts'
import { openTasks } from './tasks.ts'
import { fileOf, findTranscript, openTranscript, readTranscript } from './transcript.ts'

type Json = Record<string, unknown>
export const version = '2.1.325'
export const configOf = (env: NodeJS.ProcessEnv): string =>
  env.CLAUDE_CONFIG_DIR ?? join(env.HOME ?? homedir(), '.claude')

/** `.claude.json`: lies in the config directory, or beside it when none is named. */
export const globalFile = (env: NodeJS.ProcessEnv): string =>
  env.CLAUDE_CONFIG_DIR
    ? join(env.CLAUDE_CONFIG_DIR, '.claude.json')
    : join(env.HOME ?? homedir(), '.claude.json')

export const readGlobal = (env: NodeJS.ProcessEnv): Json => {
  const file = globalFile(env)
  try {
    return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Json) : {}
  } catch {
    // A broken file counts as none, as for the CLI.
    return {}
  }
}

export const isTrusted = (env: NodeJS.ProcessEnv, cwd: string): boolean => {
  const projects = (readGlobal(env).projects ?? {}) as Record<string, { hasTrustDialogAccepted?: boolean }>
  return projects[cwd]?.hasTrustDialogAccepted === true
}

/** `session`: the one that was to be resumed. */
export type Refused = { problem: string; session?: string }
type Found = { session: string; path: string; resumed: boolean; from?: string }

/** What --continue means: the session of this directory that was last written to. */
const newest = (config: string, cwd: string): string | undefined => {
  const directory = dirname(fileOf(config, cwd, 'x'))
  if (!existsSync(directory)) return undefined
  return readdirSync(directory)
    .filter((name) => name.endsWith('.jsonl'))
    .map((name) => ({ name: name.slice(0, -6), at: statSync(join(directory, name)).mtimeMs }))
    .sort((a, b) => b.at - a.at)[0]?.name
}

const find = (options: Options, config: string, cwd: string): Found | Refused => {
  const wanted = options.resume || (options.continue ? newest(config, cwd) : undefined)
  if (options.continue && wanted === undefined) return { problem: 'No conversation found to continue' }
  // A used id is refused: that is what keeps one task from running twice.
  if (options.session !== undefined && findTranscript(config, options.session))
    return { problem: `Error: Session ID ${options.session} is already in use.` }
  const fresh = options.session ?? randomUUID()
  if (wanted === undefined) return { session: fresh, path: fileOf(config, cwd, fresh), resumed: false }
  const path = findTranscript(config, wanted)
  if (!path) return { problem: `No conversation found with session ID: ${wanted}`, session: wanted }
  if (!options.fork) return { session: wanted, path, resumed: true }
  return { session: fresh, path: fileOf(config, cwd, fresh), resumed: true, from: path }
}

/** The mode asked for, then that of the settings; the CLI's own default differs by how it is used. */
const modeOf = (
  options: Options,
  asked: string | undefined,
  noBypass: boolean,
  interactive: boolean,
): Mode => {
  const given = options.bypass ? 'bypassPermissions' : (options.mode ?? asked)
  const usual: Mode = interactive ? 'auto' : 'default'
  if (given === undefined || (given === 'bypassPermissions' && noBypass)) return usual
  return given === 'manual' ? 'default' : (given as Mode)
}

/** Root may not skip permissions, unless something outside has put it in a sandbox. */
const rooted = (env: NodeJS.ProcessEnv): boolean => process.getuid?.() === 0 && env.IS_SANDBOX !== '1'

export type Opened = { context: Context; resumed: boolean }

/** How the program was called. `leave` ends the process at once with this code. */
export type Started = {
  options: Options
  told: Scenario
  env: NodeJS.ProcessEnv
  leave: (code: number) => void
}

export const openSession = (
  { options, told, env }: Omit<Started, 'leave'>,
  screen: Screen,
  interactive: boolean,
): Opened | Refused => {
  const cwd = process.cwd()
  const config = configOf(env)
  const settings = openSettings(options, { cwd, config, trusted: () => isTrusted(env, cwd) })
  if ('problem' in settings) return settings
  const { mode: asked, noBypass, model } = settings.now()
  const mode = modeOf(options, asked, noBypass, interactive)
  if ((mode === 'bypassPermissions' || options.mayBypass) && rooted(env))
    return {
      problem: '--dangerously-skip-permissions cannot be used with root/sudo privileges for security reasons',
    }
  const found = find(options, config, cwd)
  if ('problem' in found) return found
  const { session, path } = found
  const transcript = openTranscript(path, { session, cwd, version, keep: options.keep })
  for (const line of found.from ? readTranscript(found.from) : [])
    transcript.line({ ...line, sessionId: session })
  const past = found.from ? readTranscript(found.from) : transcript.past
  const state: State = {
    mode,
    allow: [...options.allowed],
    // A bare name takes that tool away and no more: as a rule, one about Edit would be about Write too.
    deny: options.disallowed.filter((rule) => rule.includes('(')),
    spent: spentBefore(past),
    denials: [],
    unjudged: false,
  }
  const context: Context = {
    options,
    env,
    cwd,
    config,
    session,
    version,
    interactive,
    model: modelOf(options.model ?? model),
    settings,
    transcript,
    screen,
    state,
    player: openPlayer(told, options.keep ? join(config, 'scripted', `${session}.json`) : undefined),
    telemetry: openTelemetry(env, { session, version, prompt: () => state.prompt }),
    tasks: openTasks(),
    hooks: openHooks({
      options,
      env,
      cwd,
      config,
      session,
      transcript: path,
      interactive,
      settings: settings.now,
      mode: () => state.mode,
      prompt: () => state.prompt,
      emit: screen.emit,
      silent: told.trouble?.no_hooks === true,
    }),
    delegate: delegate(() => context),
  }
  settings.follow(async ({ source, file }) => {
    const answer = await context.hooks.call('ConfigChange', { source, file_path: file })
    return answer.block === undefined
  })
  return { context, resumed: found.resumed }
}
