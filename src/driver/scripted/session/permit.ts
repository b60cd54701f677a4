// May this call run? Rules and mode, then hooks and, where someone sits there, a dialog at the same time.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Mode } from '../argv/schema.ts'
import type { Answer, Json } from '../hook/rules.ts'
import { judge, unavailable } from '../permission/rules.ts'
import { read } from '../settings/rules.ts'
import { suggestion } from '../tool/rules.ts'
import type { Context, Conversation, Reply } from './context.ts'

export type Permit =
  | { allowed: true; input: Json; source: string }
  | { allowed: false; message: string; interrupt: boolean; source: string; byPerson?: boolean }

type Rule = { toolName?: string; ruleContent?: string }
const spell = ({ toolName, ruleContent }: Rule): string =>
  ruleContent === undefined ? String(toolName) : `${toolName}(${ruleContent})`

const saveLocal = (cwd: string, kind: string, rules: string[]): void => {
  const file = join(cwd, '.claude', 'settings.local.json')
  const before: Json = (existsSync(file) && read(readFileSync(file, 'utf8'))) || {}
  const permissions = (before.permissions ?? {}) as Record<string, string[]>
  const merged = { ...permissions, [kind]: [...new Set([...(permissions[kind] ?? []), ...rules])] }
  mkdirSync(join(cwd, '.claude'), { recursive: true })
  writeFileSync(file, `${JSON.stringify({ ...before, permissions: merged }, null, 2)}\n`)
}

/** What a hook or a person granted for later: in this session, and in a file where asked. */
export const applyPermissions = (context: Context, updates: readonly Json[]): void => {
  for (const update of updates) {
    if (update.type === 'setMode') context.state.mode = update.mode as Mode
    if (update.type !== 'addRules') continue
    const rules = ((update.rules ?? []) as Rule[]).map(spell)
    const kind = update.behavior === 'deny' ? 'deny' : 'allow'
    context.state[kind].push(...rules)
    if (update.destination === 'localSettings') saveLocal(context.cwd, kind, rules)
  }
}

const settle = (context: Context, answer: Answer, input: Json): Permit | undefined => {
  if (answer.decision === 'allow') {
    context.screen.note('Allowed by PermissionRequest hook')
    applyPermissions(context, answer.permissions ?? [])
    return { allowed: true, input: answer.input ?? input, source: 'hook' }
  }
  if (answer.decision !== 'deny') return undefined
  const message = answer.reason || 'Permission denied by hook'
  return { allowed: false, message, interrupt: answer.interrupt === true, source: 'hook' }
}

const person = (context: Context, tool: string, input: Json, reply: Reply): Permit => {
  if (reply === 'always') applyPermissions(context, suggestion(tool, input))
  if (reply !== 'no')
    return { allowed: true, input, source: reply === 'yes' ? 'user_temporary' : 'user_permanent' }
  const message =
    "The user doesn't want to proceed with this tool use. The tool use was rejected. STOP what you are doing and wait for the user to tell you how to proceed."
  return { allowed: false, message, interrupt: true, source: 'user_reject', byPerson: true }
}

const noticeMs = 6000

/** The first of hook and person wins; the loser is cancelled, a late hook answer is not looked at. */
const race = async (
  context: Context,
  tool: string,
  input: Json,
  conversation: Conversation,
): Promise<Permit> => {
  const over = new AbortController()
  const signal = AbortSignal.any([over.signal, conversation.signal])
  const fields = { tool_name: tool, tool_input: input, permission_suggestions: suggestion(tool, input) }
  const hook = context.hooks
    .call('PermissionRequest', fields, { agent: conversation.agent, signal })
    .then((answer) => settle(context, answer, input))
  // Nobody to ask: what no hook allows is refused.
  if (!context.screen.ask) {
    const what = tool === 'Bash' ? 'This command requires approval' : undefined
    const message = what ?? `Claude requested permissions to use ${tool}, but you haven't granted it yet.`
    return (await hook) ?? { allowed: false, message, interrupt: false, source: 'config' }
  }
  const notice = setTimeout(() => {
    const message = `Claude needs your permission to use ${tool}`
    void context.hooks.call('Notification', { message, notification_type: 'permission_prompt' })
  }, noticeMs)
  const dialog = context.screen.ask(tool, input, signal).then((reply) => person(context, tool, input, reply))
  // A hook without opinion leaves the question to the person.
  const heard = await Promise.race([dialog, hook.then((permit) => permit ?? dialog)])
  clearTimeout(notice)
  over.abort()
  return heard
}

export const permit = async (
  context: Context,
  conversation: Conversation,
  call: { id: string; name: string; input: Json },
  hook: 'allow' | 'ask' | undefined,
  reason: string | undefined,
): Promise<Permit> => {
  const { mode, allow, deny } = context.state
  const settings = context.settings.now()
  const judged = judge(
    { tool: call.name, input: call.input, cwd: context.cwd },
    { mode, allow: [...settings.allow, ...allow], deny: [...settings.deny, ...deny], ask: settings.ask },
    hook,
  )
  if (judged.behavior === 'allow')
    return { allowed: true, input: call.input, source: judged.why === 'hook' ? 'hook' : 'config' }
  if (judged.behavior === 'deny') {
    if (judged.why === unavailable) {
      context.state.unjudged = true
      const fields = {
        tool_name: call.name,
        tool_input: call.input,
        tool_use_id: call.id,
        reason: judged.why,
      }
      await context.hooks.call('PermissionDenied', fields, { agent: conversation.agent })
    }
    return { allowed: false, message: judged.why, interrupt: false, source: 'config' }
  }
  // Without a person a hook's "ask" is a refusal at once: no PermissionRequest is made of it.
  if (hook === 'ask' && !context.screen.ask)
    return {
      allowed: false,
      message: reason || 'This command requires approval',
      interrupt: false,
      source: 'hook',
    }
  return race(context, call.name, call.input, conversation)
}
