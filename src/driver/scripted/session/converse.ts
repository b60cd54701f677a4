// The loop of a turn: the model speaks, its tools run, until nothing more is called and Stop lets it end.
import { randomUUID } from 'node:crypto'
import type { Answer, Json } from '../hook/rules.ts'
import { demand } from '../structured/rules.ts'
import { askModel, type Said } from './ask.ts'
import type { Context, Conversation } from './context.ts'
import { type Ending, failureWord, type Trouble, tooLong, troubleText } from './rules.ts'
import { type Call, type Used, useTool } from './use.ts'

const display = async (context: Context, said: Said): Promise<void> => {
  const about = { turn_id: context.state.prompt, message_id: randomUUID() }
  await context.hooks.call('MessageDisplay', { ...about, index: 0, final: true, delta: said.text })
  context.telemetry.event('assistant_response', { response_length: said.text.length, response: '<REDACTED>' })
}

/** Agents asked for in one message run side by side; everything else one after the other. */
const useAll = async (context: Context, conversation: Conversation, calls: Call[]): Promise<Used[]> => {
  if (calls.every(({ name }) => name === 'Agent' || name === 'Task'))
    return Promise.all(calls.map((call) => useTool(context, conversation, call)))
  const used: Used[] = []
  for (const call of calls) {
    const one = await useTool(context, conversation, call)
    used.push(one)
    if (one.ends === 'interrupted' || one.ends === 'rejected' || one.ends === 'deferred') break
  }
  return used
}

const recordResults = (context: Context, conversation: Conversation, used: Used[]): void => {
  for (const { call, content, isError, response, decided } of used) {
    const result = { type: 'tool_result', tool_use_id: call.id, content, is_error: isError }
    const uuid = conversation.transcript.user([result], {
      promptId: context.state.prompt,
      toolUseResult: response ?? content,
    })
    context.screen.emit({
      type: 'user',
      message: { role: 'user', content: [result] },
      parent_tool_use_id: conversation.parent ?? null,
      session_id: context.session,
      uuid,
      tool_use_result: response ?? content,
      ...(decided && { tool_result_meta: [{ id: call.id, ...decided }] }),
    })
  }
}

/** Here a response is the text that the model reads; PostToolUse gets the structured one. */
const batch = (used: Used[]): Json => ({
  tool_calls: used.map(({ call, content }) => ({
    tool_name: call.name,
    tool_input: call.input,
    tool_use_id: call.id,
    tool_response: content,
  })),
})

/** What hooks add for the model is a reminder, not speech: it does not change what was said last. */
export const remind = (conversation: Conversation, words: readonly (string | undefined)[]): void => {
  for (const content of words) {
    if (content === undefined) continue
    const attachment = { type: 'hook_additional_context', content }
    conversation.transcript.line({ type: 'attachment', attachment })
    conversation.reminders = [...(conversation.reminders ?? []), content]
  }
}

/** What was typed meanwhile goes in with the results of the tools. */
const takeQueued = (context: Context, conversation: Conversation): void => {
  if (conversation.agent) return
  for (let message = context.screen.queued(); message !== undefined; message = context.screen.queued()) {
    context.transcript.queue('remove', message, 'absorbed_mid_turn')
    conversation.said = `The user sent a new message while you were working:\n${message}`
    conversation.transcript.user([{ type: 'text', text: conversation.said }], {
      promptId: context.state.prompt,
    })
  }
}

const stopped = (
  context: Context,
  conversation: Conversation,
  text: string,
  active: boolean,
): Promise<Answer> => {
  const { agent, transcript, signal } = conversation
  const fields = {
    stop_hook_active: active,
    last_assistant_message: text,
    background_tasks: context.tasks.running(),
    session_crons: [],
    ...(agent ? { agent_transcript_path: transcript.path } : {}),
  }
  return context.hooks.call(agent ? 'SubagentStop' : 'Stop', fields, { agent, signal })
}

/** The only trace of an interruption: no hook tells of it. */
const interrupted = (context: Context, { transcript }: Conversation, tools: boolean): void => {
  const text = tools ? '[Request interrupted by user for tool use]' : '[Request interrupted by user]'
  transcript.user([{ type: 'text', text }], { promptId: context.state.prompt })
}

/** What is queued begins at once, and its lines may well stand before that of the interruption. */
const overtaken = (context: Context, conversation: Conversation, tools: boolean): boolean =>
  !conversation.agent && context.screen.behind?.(() => interrupted(context, conversation, tools)) === true

/** A hook refused a call and ended the turn: the only trace of it, no hook tells. */
const halted = (context: Context, { transcript }: Conversation, used: readonly Used[]): boolean => {
  const found = used.filter(({ stopped }) => stopped !== undefined)
  for (const { call, stopped: message } of found) {
    const hookName = `PreToolUse:${call.name}`
    const about = { message, hookName, toolUseID: call.id, hookEvent: 'PreToolUse' }
    transcript.line({ type: 'attachment', attachment: { type: 'hook_stopped_continuation', ...about } })
    context.screen.note(`${hookName} hook stopped continuation: ${message}`)
  }
  return found.length > 0
}

/** An error of the API ends the turn by StopFailure, never by Stop. */
const failed = async (context: Context, conversation: Conversation, trouble: Trouble): Promise<void> => {
  const text = troubleText(trouble)
  const message = { role: 'assistant', model: '<synthetic>', content: [{ type: 'text', text }] }
  const uuid = conversation.transcript.assistant(message, {
    isApiErrorMessage: true,
    error: failureWord(trouble),
  })
  context.screen.emit({
    type: 'assistant',
    message,
    parent_tool_use_id: conversation.parent ?? null,
    session_id: context.session,
    uuid,
    error: failureWord(trouble),
  })
  if (conversation.agent) return
  await context.hooks.call('StopFailure', { error: failureWord(trouble), last_assistant_message: text })
}

/** One turn of the main conversation, or all of a subagent's: they differ in who is told of the end. */
export const converse = async (context: Context, conversation: Conversation): Promise<Ending> => {
  const cap = Number(context.env.CLAUDE_CODE_STOP_HOOK_BLOCK_CAP ?? 8)
  const usage = { input: 0, output: 0 }
  let turns = 1
  let blocks = 0
  let demanded = conversation.agent !== undefined || context.options.shape === undefined
  let last = ''
  let stop: string | null = null
  const end = (reason: string, text = last, more: Partial<Ending> = {}): Ending => ({
    reason,
    text,
    turns,
    usage,
    stop,
    ...more,
  })
  // Of this run: what a resumed session has cost before is not counted.
  const before = context.state.spent.cost
  const spentUp = (): boolean =>
    context.options.maxCost !== undefined && context.state.spent.cost - before >= context.options.maxCost
  for (;;) {
    const asked = await askModel(context, conversation)
    if ('aborted' in asked) {
      if (turns > 1 || asked.heard) interrupted(context, conversation, false)
      else if (!overtaken(context, conversation, false))
        return end('aborted_streaming', last, { unheard: true })
      return end('aborted_streaming')
    }
    if ('trouble' in asked) {
      await failed(context, conversation, asked.trouble)
      const reason = tooLong(asked.trouble) ? 'prompt_too_long' : 'api_error'
      return end(reason, troubleText(asked.trouble), { trouble: asked.trouble })
    }
    usage.input += asked.usage.input
    usage.output += asked.usage.output
    stop = asked.stop
    last = asked.text
    if (asked.text !== '' && !conversation.agent) await display(context, asked)
    // Looked at after the call, so the limit is overshot by one answer.
    if (spentUp()) return end('budget_exhausted')
    if (asked.calls.length > 0) {
      const used = await useAll(context, conversation, asked.calls)
      const deferred = used.find(({ ends }) => ends === 'deferred')
      if (deferred) return end('tool_deferred', last, { deferred: deferred.call })
      recordResults(context, conversation, used)
      if (used.some(({ ends }) => ends === 'interrupted' || ends === 'rejected')) {
        if (!overtaken(context, conversation, true)) interrupted(context, conversation, true)
        return end('aborted_tools')
      }
      if (halted(context, conversation, used)) return end('hook_stopped', '')
      const answered = used.findLast(({ ends }) => ends === 'answered')
      if (answered) {
        const { input } = answered.call
        return end('completed', JSON.stringify(input), { structured: input, turns: turns + 1 })
      }
      const after = await context.hooks.call('PostToolBatch', batch(used), { agent: conversation.agent })
      remind(conversation, [...used.map((one) => one.context), after.context])
      if (used.some(({ ends }) => ends === 'hook_stopped') || after.stop !== undefined)
        return end('hook_stopped')
      takeQueued(context, conversation)
    } else if (!demanded) {
      demanded = true
      conversation.said = demand
      conversation.transcript.user(demand, { isMeta: true })
    } else {
      const answer = await stopped(context, conversation, asked.text, blocks > 0)
      if (conversation.signal.aborted) {
        if (!overtaken(context, conversation, false)) interrupted(context, conversation, false)
        return end('aborted_streaming')
      }
      if (answer.message !== undefined) context.screen.note(`Stop says: ${answer.message}`)
      if (answer.stop !== undefined) return end('stop_hook_prevented')
      const feedback = answer.block ?? answer.context
      if (feedback === undefined) return end('completed')
      // A cap of the CLI itself: a hook cannot keep it going for ever.
      if (blocks >= cap) return end('completed', '')
      blocks++
      conversation.said = `Stop hook feedback:\n${feedback}`
      conversation.transcript.user(conversation.said, { isMeta: true })
      context.screen.note(`Stop hook error: ${feedback}`)
    }
    turns++
    if (conversation.maxTurns !== undefined && turns > conversation.maxTurns) return end('max_turns')
  }
}
