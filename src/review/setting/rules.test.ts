import { expect, test } from 'vitest'
import { isOff, off, settingOf } from './rules.ts'

test('nothing written is off; a block, even an empty one, is on', () => {
  expect(settingOf(undefined, undefined)).toBe(off)
  expect(isOff(off)).toBe(true)
  expect(settingOf({}, undefined)).toEqual({ ...off, mode: 'prompt' })
  expect(settingOf(undefined, {})).toEqual({ ...off, mode: 'prompt' })
  expect(isOff(settingOf({ mode: 'never' }, undefined))).toBe(true)
  expect(isOff(settingOf({ mode: 'never', gates: { tools: ['Bash'] } }, undefined))).toBe(false)
})

test('a role wins key by key, and takes no gate of the root away', () => {
  const root = {
    mode: 'always' as const,
    reviewer: 'subagent' as const,
    gates: { tools: ['Bash:a*', { pattern: 'Bash:b*', match: [] }], approval_ttl_seconds: 60 },
    circuit_breaker: { max_blocks: 5 },
    templates: { weights: { v1: 1 } },
    trace: { max_events: 20 },
    bind_tree: true,
  }
  const role = {
    mode: 'prompt' as const,
    reviewer: { model: 'opus', deadline_seconds: 30 },
    gates: { tools: ['Bash:c*', 'Bash:a*'], skip: ['Bash:a --help'], approval_scope: 'tool' as const },
    circuit_breaker: { cooldown_seconds: 1 },
    templates: { active: 'v2' },
  }
  expect(settingOf(root, role)).toEqual({
    mode: 'prompt',
    reviewer: { kind: 'subagent', model: 'opus', deadline_seconds: 30 },
    gates: {
      tools: ['Bash:a*', 'Bash:b*', 'Bash:c*'],
      skip: ['Bash:a --help'],
      approval_scope: 'tool',
      approval_ttl_seconds: 60,
    },
    circuit_breaker: { max_blocks: 5, cooldown_seconds: 1 },
    templates: { active: 'v2', weights: { v1: 1 } },
    trace: { max_events: 20 },
    bind_tree: true,
  })
  expect(settingOf(root, { gates: { tools: [] } }).gates.tools).toEqual(['Bash:a*', 'Bash:b*'])
})
