// Calls every hook of an event at once and folds the answers.
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { Options } from '../argv/schema.ts'
import { ruleMatches } from '../permission/rules.ts'
import { pluginName } from '../settings/live.ts'
import type { Effective, Hook } from '../settings/schema.ts'
import { callCommand } from './command.ts'
import { callHttp } from './http.ts'
import {
  type Answer,
  addressed,
  fold,
  interpret,
  type Json,
  labelOf,
  matches,
  subjectOf,
  substitute,
} from './rules.ts'

/** Who speaks: the main conversation, or a subagent of it. */
export type Speaker = { id: string; type: string }

export type Hooks = {
  call: (
    event: string,
    fields: Json,
    about?: { agent?: Speaker | undefined; signal?: AbortSignal },
  ) => Promise<Answer>
}

type Facts = {
  options: Options
  env: NodeJS.ProcessEnv
  cwd: string
  config: string
  session: string
  transcript: string
  interactive: boolean
  settings: () => Effective
  mode: () => string
  prompt: () => string | undefined
  emit: (line: Json) => void
  silent: boolean
}

/** Told without mode and effort: they are about the session, not about a turn. */
const plain: readonly string[] = [
  'SessionStart',
  'SessionEnd',
  'ConfigChange',
  'InstructionsLoaded',
  'Notification',
]
/** Seconds; a prompt must not wait as long as a tool. */
const defaultSeconds = (event: string): number => (event === 'UserPromptSubmit' ? 30 : 600)

export const openHooks = (facts: Facts): Hooks => {
  const effort = { level: facts.env.CLAUDE_CODE_EFFORT_LEVEL ?? 'high' }
  const common = (event: string, agent: Speaker | undefined): Json => ({
    session_id: facts.session,
    transcript_path: facts.transcript,
    cwd: facts.cwd,
    ...(event === 'SessionStart' || facts.prompt() === undefined ? {} : { prompt_id: facts.prompt() }),
    ...(plain.includes(event) ? {} : { permission_mode: facts.mode(), effort }),
    ...(agent ? { agent_id: agent.id, agent_type: agent.type } : {}),
    ...(!agent && facts.options.agent ? { agent_type: facts.options.agent } : {}),
    hook_event_name: event,
  })
  const dataOf = (root: string): string => join(facts.config, 'plugins', 'data', pluginName(root))
  /** All of our own environment, secrets included: hooks of the CLI see everything. */
  const environment = (event: string, hook: Hook): NodeJS.ProcessEnv => ({
    ...facts.env,
    ...facts.settings().env,
    CLAUDECODE: '1',
    CLAUDE_PROJECT_DIR: facts.cwd,
    CLAUDE_CODE_SESSION_ID: facts.session,
    CLAUDE_PID: String(process.pid),
    CLAUDE_CODE_ENTRYPOINT: facts.interactive ? 'cli' : 'sdk-cli',
    AI_AGENT: 'claude-code_scripted_harness',
    CLAUDE_EFFORT: effort.level,
    ...(hook.root ? { CLAUDE_PLUGIN_ROOT: hook.root, CLAUDE_PLUGIN_DATA: dataOf(hook.root) } : {}),
    ...(event === 'SessionStart' ? { CLAUDE_ENV_FILE: `${facts.transcript}.env` } : {}),
  })
  const fits = (event: string, fields: Json) => {
    const subject = subjectOf(event, fields)
    return ({ event: own, matcher, entry }: Hook): boolean =>
      own === event &&
      (subject === undefined || matches(matcher, subject)) &&
      (entry.if === undefined ||
        ruleMatches(entry.if, String(fields.tool_name), (fields.tool_input ?? {}) as Json, facts.cwd)) &&
      // The CLI does not support it there, and says so only in its debug log.
      !(entry.type === 'http' && event === 'SessionStart')
  }
  const one = async (event: string, hook: Hook, input: string, signal: AbortSignal): Promise<Answer> => {
    const { entry } = hook
    const timeoutMs = (entry.timeout ?? defaultSeconds(event)) * 1000
    const env = environment(event, hook)
    if (entry.type === 'command' && entry.command !== undefined) {
      const calling = callCommand({ command: entry.command, input, cwd: facts.cwd, env, timeoutMs, signal })
      return entry.async ? {} : interpret(event, entry, await calling)
    }
    if (entry.type === 'http' && entry.url !== undefined) {
      if (!addressed(facts.settings().urls, entry.url))
        return interpret(event, entry, { kind: 'failed', why: 'URL is not in allowedHttpHookUrls' })
      const headers = Object.fromEntries(
        Object.entries(entry.headers ?? {}).map(([name, value]) => [
          name,
          substitute(value, entry.allowedEnvVars ?? [], env),
        ]),
      )
      return interpret(event, entry, await callHttp({ url: entry.url, headers, input, timeoutMs, signal }))
    }
    // Hooks that ask a model have no opinion here: nothing in a scenario says what they would answer.
    return {}
  }
  return {
    call: async (event, fields, about = {}) => {
      if (facts.silent) return {}
      const hooks = facts.settings().hooks.filter(fits(event, fields))
      if (hooks.length === 0) return {}
      const input = JSON.stringify({ ...common(event, about.agent), ...fields })
      const signal = about.signal ?? new AbortController().signal
      const answers = await Promise.all(
        hooks.map(async (hook) => {
          const id = randomUUID()
          const about = { hook_id: id, hook_name: event, hook_event: event, session_id: facts.session }
          if (facts.options.hookEvents) facts.emit({ type: 'system', subtype: 'hook_started', ...about })
          const answer = await one(event, hook, input, signal)
          if (facts.options.hookEvents)
            facts.emit({
              type: 'system',
              subtype: 'hook_response',
              ...about,
              outcome: answer.failed ?? 'success',
              hook: labelOf(hook.entry),
            })
          return answer
        }),
      )
      return fold(answers)
    },
  }
}
