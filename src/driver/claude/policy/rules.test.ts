import { expect, test } from 'vitest'
import { denialOf } from '../../../keeper/rules.ts'
import { hookPolicy as schema } from '../../../keeper/schema.ts'
import type { HookEvent } from '../../schema.ts'
import { answerHook } from '../hook/rules.ts'
import { ways } from '../settings/rules.ts'
import { hookPolicy } from './rules.ts'

const policy = hookPolicy(604_800)
const deny = { kind: 'deny', reason: 'why' } as const
const place = { session: 's', cwd: '/', transcript: '/t' }
const call = { id: 'c', tool: 'Bash', input: {} }

test.each<[string, HookEvent]>([
  ['PreToolUse', { ...place, kind: 'tool_asked', call }],
  ['PermissionRequest', { ...place, kind: 'permission_asked', tool: 'Bash', input: {} }],
  ['UserPromptSubmit', { ...place, kind: 'prompted', text: '', origin: 'person', reads: [] }],
  ['ConfigChange', { ...place, kind: 'config_changed', source: 'user_settings' }],
  ['Stop', { ...place, kind: 'turn_ended', again: false, last: '', background: [] }],
])('%s is refused in the words that the driver itself would use', (name, event) => {
  expect(denialOf(policy, name, {}, 'why')).toEqual({ status: 200, body: answerHook(event, deny) })
})

test('a turn is held back once, watchers are never refused, a start fails', () => {
  expect(denialOf(policy, 'Stop', { stop_hook_active: true }, 'why')).toEqual({
    status: 200,
    body: { systemMessage: 'why' },
  })
  expect(denialOf(policy, 'PostToolUse', {}, 'why')).toEqual({ status: 204 })
  expect(denialOf(policy, 'Unheard', {}, 'why')).toEqual({ status: 204 })
  expect(denialOf(policy, 'SessionStart', {}, 'why')).toEqual({ status: 503, body: { error: 'why' } })
})

test('every deadline lies before the time at which the CLI gives up, and a keeper takes it', () => {
  expect(schema.parse(policy)).toEqual(policy)
  for (const [event, way] of Object.entries(ways))
    if (way.seconds !== 'hold')
      expect(policy.events[event]?.deadline, event).toBeLessThan(way.seconds * 1000 - 2_000)
  expect(policy.events.PreToolUse?.deadline).toBe(604_797_000)
})
