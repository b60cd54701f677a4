// The beginning and the end of a session, and what a prompt goes through before it is a turn.
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Context } from './context.ts'

/** A first prompt that a hook put before the person's own, if any, and what it adds to the context. */
export const begin = async (
  context: Context,
  source: 'startup' | 'resume' | 'compact' | 'clear',
): Promise<{ first?: string; context?: string }> => {
  const answer = await context.hooks.call('SessionStart', { source, model: context.model })
  const memory = join(context.cwd, 'CLAUDE.md')
  const own = context.options.sources?.includes('project') ?? true
  if (own && source !== 'compact' && existsSync(memory))
    await context.hooks.call('InstructionsLoaded', {
      file_path: memory,
      memory_type: 'Project',
      load_reason: 'session_start',
    })
  return {
    ...(answer.first === undefined ? {} : { first: answer.first }),
    ...(answer.context === undefined ? {} : { context: answer.context }),
  }
}

export type Submitted = { id: string; context?: string } | { blocked: string }

/** UserPromptSubmit: the id of the turn to come, or why there is none. */
export const submit = async (
  context: Context,
  prompt: string,
  /** `running`: the id of the turn that goes on, with which a queued prompt is told. */
  about: { signal?: AbortSignal; running?: string | undefined } = {},
): Promise<Submitted> => {
  const id = randomUUID()
  const log = context.env.OTEL_LOG_USER_PROMPTS === '1' ? prompt : '<REDACTED>'
  context.telemetry.event('user_prompt', { prompt_length: prompt.length, prompt: log, 'prompt.id': id })
  const fields = { prompt, prompt_id: about.running ?? id }
  const answer = await context.hooks.call(
    'UserPromptSubmit',
    fields,
    about.signal ? { signal: about.signal } : {},
  )
  const blocked = answer.block ?? answer.stop
  if (blocked !== undefined) return { blocked }
  return { id, ...(answer.context === undefined ? {} : { context: answer.context }) }
}

const finished = new WeakSet<Context>()

/** Once only: a signal and the natural end may both come here. */
export const finish = async (context: Context, reason: string): Promise<void> => {
  if (finished.has(context)) return
  finished.add(context)
  await context.hooks.call('SessionEnd', { reason })
  await context.telemetry.end()
}
