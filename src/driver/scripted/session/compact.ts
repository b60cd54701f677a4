// Makes a summary take the place of what was said.
import { randomBytes } from 'node:crypto'
import { askModel } from './ask.ts'
import { begin } from './begin.ts'
import type { Context } from './context.ts'

const asks = 'Your task is to create a detailed summary of the conversation so far.'

/** `/compact`: one question to the model, and the hooks around it. */
export const compact = async (context: Context, signal: AbortSignal): Promise<string> => {
  const trigger = { trigger: 'manual', custom_instructions: '' }
  const before = await context.hooks.call('PreCompact', trigger, { signal })
  if (before.block !== undefined) return `Compaction blocked by hook: ${before.block}`
  const asked = await askModel(context, { said: asks, transcript: context.transcript, signal })
  if ('aborted' in asked) return 'Compaction canceled.'
  if ('trouble' in asked) return `Error during compaction: ${asked.trouble.message}`
  // The summary is written by a nameless subagent, whose end is told like that of any other.
  const agent = { id: `a${randomBytes(8).toString('hex')}`, type: '' }
  const fields = {
    stop_hook_active: false,
    last_assistant_message: asked.text,
    background_tasks: [],
    session_crons: [],
  }
  await context.hooks.call('SubagentStop', { ...fields, agent_transcript_path: '' }, { agent })
  context.transcript.line({
    type: 'system',
    subtype: 'compact_boundary',
    content: 'Conversation compacted',
    sessionId: context.session,
    timestamp: new Date().toISOString(),
  })
  context.transcript.user(asked.text, { isCompactSummary: true })
  await begin(context, 'compact')
  await context.hooks.call('PostCompact', { trigger: 'manual', compact_summary: asked.text })
  return 'Compacted'
}
