// The generated settings file. Hooks of every source run side by side and a deny from any of them wins, so
// a role's own hooks can tighten what ours decide and never loosen it.
import { inQuotes } from '../../../base/shell/rules.ts'
import { isTable } from '../../../base/table/rules.ts'
import type { Order } from '../../schema.ts'
import { environmentProblems } from '../env/rules.ts'
import type { Features } from '../version/schema.ts'
import {
  type EventName,
  events,
  type HookEntry,
  longestTimeout,
  type RoleHook,
  type RoleHooks,
  roleHooks,
  type Settings,
} from './schema.ts'

/**
 * decide: a failure must block.
 * command: HTTP is not possible (SessionStart), or its failure would let Claude go on (Stop).
 * watch: nothing hangs on the answer.
 */
type Way = { readonly kind: 'decide' | 'command' | 'watch'; readonly seconds: number | 'hold' }

export const ways: Partial<Readonly<Record<EventName, Way>>> = {
  SessionStart: { kind: 'command', seconds: 30 },
  UserPromptSubmit: { kind: 'decide', seconds: 60 },
  PreToolUse: { kind: 'decide', seconds: 'hold' },
  PermissionRequest: { kind: 'decide', seconds: 'hold' },
  PermissionDenied: { kind: 'watch', seconds: 10 },
  PostToolUse: { kind: 'watch', seconds: 10 },
  PostToolUseFailure: { kind: 'watch', seconds: 10 },
  Notification: { kind: 'watch', seconds: 10 },
  SubagentStart: { kind: 'watch', seconds: 10 },
  SubagentStop: { kind: 'watch', seconds: 60 },
  PreCompact: { kind: 'watch', seconds: 10 },
  PostCompact: { kind: 'watch', seconds: 10 },
  ConfigChange: { kind: 'decide', seconds: 30 },
  Stop: { kind: 'command', seconds: 'hold' },
  StopFailure: { kind: 'watch', seconds: 10 },
  SessionEnd: { kind: 'watch', seconds: 5 },
}

/**
 * A headless session starts no program of ours: that would take longer than all the rest of a short run. Its prompt is
 * put to us before anything is done, so it has reported without a SessionStart; and its output tells its end.
 */
const { SessionStart: _start, Stop: _stop, SessionEnd: _end, ...headlessWays } = ways

/** Settings of a role that would undo what is generated, with where they belong instead. */
export const reservedSettings: Readonly<Record<string, string>> = {
  hooks: 'use `hooks` of the role',
  permissions: 'use `permissions` of the role',
  model: 'use `model` of the role',
  disableAllHooks: 'agency needs its hooks',
  allowManagedHooksOnly: 'agency needs its hooks',
  allowedHttpHookUrls: 'agency needs its hooks; those of the role are added',
  otelHeadersHelper: 'agency needs the telemetry',
  cleanupPeriodDays: 'a session is resumed from its transcript',
  skipDangerousModePermissionPrompt: 'use `permission_mode` of the role',
}

const hookProblems = (hooks: unknown): readonly string[] => {
  const read = roleHooks.safeParse(hooks)
  return read.success
    ? []
    : read.error.issues.map((issue) => `hooks.${issue.path.join('.')}: ${issue.message}`)
}

/** What is wrong with the hooks and settings of a role. */
export const settingsProblems = ({
  hooks = {},
  settings = {},
}: Pick<Order, 'hooks' | 'settings'>): readonly string[] => {
  const reserved = Object.keys(settings)
    .filter((name) => Object.hasOwn(reservedSettings, name))
    .map((name) => `settings.${name} cannot be set: ${reservedSettings[name]}`)
  const { env = {} } = settings
  const texts = isTable(env) && Object.values(env).every((value) => typeof value === 'string')
  const variables = texts ? environmentProblems(env as Record<string, string>) : ['must be a table of texts']
  return [...hookProblems(hooks), ...reserved, ...variables.map((problem) => `settings.env: ${problem}`)]
}

/** A command that is killed at its timeout lets Claude go on: ours must have answered before. */
const marginMs = 2000

/**
 * Our hook program is a Node program: what slows Node down or loads code into it must not reach it. What it
 * has to know it gets from here and not from the agent's environment, which every command of the agent reads.
 */
const commandLine = (name: EventName, seconds: number, { keeper }: Order): string => {
  const variables = {
    AGENCY_HOOK: keeper.hookUrl,
    AGENCY_HOOK_TOKEN: keeper.hookToken,
    AGENCY_HOOK_DEADLINE_MS: String(Math.max(1000, seconds * 1000 - marginMs)),
  }
  const exported = Object.entries(variables).map(([variable, value]) => `${variable}=${inQuotes(value)}`)
  return [
    'unset NODE_OPTIONS NODE_EXTRA_CA_CERTS',
    `export ${exported.join(' ')}`,
    `exec ${keeper.hookCommand} ${name}`,
  ].join('; ')
}

const ownEntry = (name: EventName, way: Way, order: Order, { onFailure }: Features): HookEntry => {
  const timeout = Math.min(way.seconds === 'hold' ? order.holdSeconds : way.seconds, longestTimeout)
  // Without `onFailure` an HTTP hook that fails lets the call pass: such a CLI gets the slower command.
  if (way.kind === 'command' || (way.kind === 'decide' && !onFailure))
    return { hooks: [{ type: 'command', command: commandLine(name, timeout, order), timeout }] }
  const { hookUrl: url, hookToken } = order.keeper
  // The token is written out: taken from a variable, every command of the agent could read it.
  const http = { type: 'http', url, headers: { Authorization: `Bearer ${hookToken}` }, timeout }
  return { hooks: [way.kind === 'decide' ? { ...http, onFailure: 'block' } : http] }
}

const roleEntry = (hook: RoleHook): HookEntry => {
  const place = hook.matcher === undefined ? {} : { matcher: hook.matcher }
  if ('hooks' in hook) return { ...place, hooks: hook.hooks }
  const { command, timeout } = hook
  return { ...place, hooks: [{ type: 'command', command, ...(timeout === undefined ? {} : { timeout }) }] }
}

const urlsOf = (hooks: RoleHooks): readonly string[] =>
  Object.values(hooks)
    .flat()
    .flatMap((hook) => ('hooks' in hook ? hook.hooks : []))
    .flatMap((hook) => (hook.type === 'http' ? [hook.url] : []))

/** May only be asked when `settingsProblems` has found nothing; a reserved setting is dropped all the same. */
export const settings = (order: Order, features: Features): Settings => {
  const role = roleHooks.parse(order.hooks ?? {})
  const free = Object.entries(order.settings ?? {}).filter(([name]) => !Object.hasOwn(reservedSettings, name))
  const hooks = events.flatMap((name) => {
    const way = (order.terminal ? ways : (headlessWays as typeof ways))[name]
    const entries = [
      ...(way === undefined ? [] : [ownEntry(name, way, order, features)]),
      ...(role[name] ?? []).map(roleEntry),
    ]
    return entries.length === 0 ? [] : [[name, entries] as const]
  })
  return {
    ...Object.fromEntries(free),
    // Both are said although they look like defaults: a project's file could say otherwise.
    disableAllHooks: false,
    allowedHttpHookUrls: [...new Set([order.keeper.hookUrl, ...urlsOf(role)])],
    permissions: { allow: order.allow ?? [], deny: order.deny ?? [] },
    hooks: Object.fromEntries(hooks),
  }
}
