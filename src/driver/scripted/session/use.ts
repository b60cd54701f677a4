// One tool call, from PreToolUse to PostToolUse.
import type { Json } from '../hook/rules.ts'
import { mismatch, provided, tool as structuredOutput } from '../structured/rules.ts'
import { refuseFile } from '../tool/file.ts'
import type { Outcome, Place } from '../tool/place.ts'
import { invalid, nameOf, offered } from '../tool/rules.ts'
import { runTool } from '../tool/run.ts'
import { runBehind } from './background.ts'
import type { Context, Conversation } from './context.ts'
import { permit } from './permit.ts'

export type Call = { id: string; name: string; input: Json }
export type Used = {
  call: Call
  content: string
  isError: boolean
  response?: unknown
  /** What the hooks had to say beside the result. */
  context?: string
  ends?: 'interrupted' | 'rejected' | 'hook_stopped' | 'deferred' | 'answered'
  /** Who decided on the call, as the stream tells it. */
  decided?: Json
  /** The words of a hook that refused the call and ended the turn. */
  stopped?: string
}

const placeOf = (context: Context, conversation: Conversation): Place => ({
  cwd: context.cwd,
  env: { ...context.env, ...context.settings.now().env },
  session: context.session,
  signal: conversation.signal,
})

const wrong = (call: Call, words: string): Used => ({
  call,
  content: `<tool_use_error>${words}</tool_use_error>`,
  isError: true,
})

/** Bare names in --disallowedTools take the tool away; with a pattern they are deny rules. */
const bare = (rules: readonly string[]): string[] => rules.filter((rule) => !rule.includes('('))

/** Counted, whoever refused: the result lists every call that did not run. */
const refused = (context: Context, call: Call, content: string, more: Partial<Used> = {}): Used => {
  context.state.denials.push({ tool_name: call.name, tool_use_id: call.id, tool_input: call.input })
  return { call, content, isError: true, ...more }
}

const decisionOf = (decision: 'accept' | 'reject', source: string): Json => ({
  ...(decision === 'reject' && { non_execution_kind: 'permission-rule' }),
  permission_decision: { decision, source },
})

const after = async (context: Context, conversation: Conversation, call: Call, ran: Outcome, ms: number) => {
  const fields = { tool_name: call.name, tool_input: call.input, tool_use_id: call.id, duration_ms: ms }
  const about = { agent: conversation.agent, signal: conversation.signal }
  context.telemetry.event('tool_result', {
    tool_name: call.name,
    tool_use_id: call.id,
    success: String(ran.ok),
    duration_ms: ms,
    ...(context.env.OTEL_LOG_TOOL_DETAILS === '1' ? { tool_parameters: JSON.stringify(call.input) } : {}),
  })
  return ran.ok
    ? context.hooks.call('PostToolUse', { ...fields, tool_response: ran.response ?? ran.content }, about)
    : context.hooks.call('PostToolUseFailure', { ...fields, error: ran.content, is_interrupt: false }, about)
}

const perform = async (context: Context, conversation: Conversation, call: Call): Promise<Outcome> => {
  if (call.name === 'Agent') return context.delegate(call.input, call.id, conversation.signal)
  const behind =
    call.input.run_in_background === true && context.env.CLAUDE_CODE_DISABLE_BACKGROUND_TASKS !== '1'
  if (call.name === 'Bash' && behind) return runBehind(context, call.input)
  return runTool(call.name, call.input, placeOf(context, conversation))
}

const execute = async (
  context: Context,
  conversation: Conversation,
  call: Call,
  told: { context?: string; stop?: string },
): Promise<Used> => {
  if (!conversation.agent) context.screen.tool(call.name, call.input)
  const began = performance.now()
  const ran = await perform(context, conversation, call)
  // After an interruption no hook fires at all.
  if (conversation.signal.aborted || ran.aborted)
    return { call, content: ran.content, isError: true, ends: 'interrupted' }
  const answer = await after(context, conversation, call, ran, Math.round(performance.now() - began))
  const words = [
    told.context,
    answer.block === undefined ? undefined : `PostToolUse:${call.name} hook error: ${answer.block}`,
    answer.context,
  ].filter((text) => text !== undefined)
  return {
    call,
    content: answer.output === undefined ? ran.content : asText(answer.output),
    isError: !ran.ok,
    ...(ran.response === undefined ? {} : { response: answer.output ?? ran.response }),
    ...(words.length > 0 ? { context: words.join('\n') } : {}),
    // `continue: false` before the call does not keep it from running; it ends the turn afterwards.
    ...(told.stop !== undefined || answer.stop !== undefined ? { ends: 'hook_stopped' as const } : {}),
  }
}

/** Nobody is asked about it: it does nothing but answer. */
const answer = (call: Call, shape: string): Used => {
  const wrong = mismatch(shape, call.input)
  return wrong === undefined
    ? { call, content: provided, isError: false, ends: 'answered' }
    : { call, content: wrong, isError: true }
}

const asText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

export const useTool = async (context: Context, conversation: Conversation, given: Call): Promise<Used> => {
  const call = { ...given, name: nameOf(given.name) }
  if (call.name === structuredOutput && context.options.shape !== undefined)
    return answer(call, context.options.shape)
  const there = offered(
    context.options.tools,
    bare([...context.options.disallowed, ...context.settings.now().deny]),
  )
  // What cannot run is told to the model before any hook hears of it.
  if (!there.includes(call.name)) return wrong(call, `Error: No such tool available: ${given.name}`)
  const problem =
    invalid(call.name, call.input) ??
    (call.input.file_path === undefined
      ? undefined
      : refuseFile(call.name, call.input, placeOf(context, conversation)))
  if (problem) return wrong(call, problem)
  const fields = { tool_name: call.name, tool_input: call.input, tool_use_id: call.id }
  const pre = await context.hooks.call('PreToolUse', fields, {
    agent: conversation.agent,
    signal: conversation.signal,
  })
  if (conversation.signal.aborted) return { call, content: '', isError: true, ends: 'interrupted' }
  if (pre.block !== undefined || pre.decision === 'deny') {
    const words = `PreToolUse:${call.name} hook error: ${pre.block ?? pre.reason ?? ''}`
    const ends = pre.stop === undefined ? {} : { ends: 'hook_stopped' as const, stopped: pre.stop }
    return refused(context, call, words, { ...ends, decided: decisionOf('reject', 'hook') })
  }
  // Only a run without a person can put a call off for the next one.
  if (pre.decision === 'defer' && !context.interactive)
    return { call, content: '', isError: false, ends: 'deferred' }
  const changed = { ...call, input: pre.input ?? call.input }
  const hook = pre.decision === 'allow' || pre.decision === 'ask' ? pre.decision : undefined
  const may = await permit(context, conversation, changed, hook, pre.reason)
  context.telemetry.event('tool_decision', {
    tool_name: call.name,
    tool_use_id: call.id,
    decision: may.allowed ? 'accept' : 'reject',
    source: may.source,
  })
  if (conversation.signal.aborted) return { call, content: '', isError: true, ends: 'interrupted' }
  if (!may.allowed)
    return refused(
      context,
      changed,
      may.message,
      may.interrupt
        ? {
            ends: may.byPerson ? 'rejected' : 'interrupted',
            decided: { non_execution_kind: 'user-rejected' },
          }
        : { decided: decisionOf('reject', may.source) },
    )
  const used = await execute(context, conversation, { ...changed, input: may.input }, pre)
  return { ...used, decided: decisionOf('accept', may.source) }
}
