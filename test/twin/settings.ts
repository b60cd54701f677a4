// Hook entries of a settings file, in the forms that the cases need.
export type Entry = Record<string, unknown>
export type Hooks = Record<string, Entry | Entry[]>

export const http = (url: string, more: Entry = {}): Entry => ({ type: 'http', url, ...more })
export const command = (path: string, more: Entry = {}): Entry => ({
  type: 'command',
  command: path,
  ...more,
})

/** `{PreToolUse: entry}` → the settings' own nesting, with every tool matched. */
export const hooked = (hooks: Hooks, more: object = {}) => ({
  ...more,
  hooks: Object.fromEntries(
    Object.entries(hooks).map(([event, entry]) => [event, [{ matcher: '', hooks: [entry].flat() }]]),
  ),
})

/** One entry for many events. */
export const each = (events: readonly string[], entry: Entry): Hooks =>
  Object.fromEntries(events.map((event) => [event, entry]))

/** The answers that a hook gives. */
export const pre = (decision: 'allow' | 'deny' | 'ask', reason = `${decision} it`, more: object = {}) => ({
  hookSpecificOutput: {
    hookEventName: 'PreToolUse',
    permissionDecision: decision,
    permissionDecisionReason: reason,
    ...more,
  },
})
export const permit = (behavior: 'allow' | 'deny', more: object = {}) => ({
  hookSpecificOutput: { hookEventName: 'PermissionRequest', decision: { behavior, ...more } },
})
export const block = (reason: string) => ({ decision: 'block', reason })
