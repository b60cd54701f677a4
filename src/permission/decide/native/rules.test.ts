import { expect, test } from 'vitest'
import { readCall } from '../../../role/example/rules.ts'
import type { PermissionMode } from '../../../role/permission/schema.ts'
import { completeRole } from '../../../role/rules.ts'
import { nativeOf } from './rules.ts'

const place = { cwd: '/w', tree: '/w', home: '/h', root: '/h/.agency' }

test.each<[PermissionMode, string, string]>([
  ['default', 'Read(src/x)', 'allow'],
  ['default', 'Read(//etc/hosts)', 'ask'],
  ['default', 'Read(link)', 'ask'],
  ['default', 'TodoWrite', 'allow'],
  ['default', 'Write(x)', 'ask'],
  ['default', 'Bash(ls)', 'ask'],
  ['default', 'WebFetch(domain:x.org)', 'ask'],
  ['default', 'mcp__docs__search', 'ask'],
  ['acceptEdits', 'Write(x)', 'allow'],
  ['acceptEdits', 'Write(/elsewhere/x)', 'ask'],
  ['acceptEdits', 'Write(link)', 'ask'],
  ['acceptEdits', 'Bash(ls)', 'ask'],
  ['dontAsk', 'Bash(ls)', 'deny'],
  ['dontAsk', 'Read(src/x)', 'allow'],
  ['bypassPermissions', 'Bash(ls)', 'allow'],
  ['auto', 'Bash(ls)', 'allow'],
  ['plan', 'Write(x)', 'ask'],
])('in mode %s: %s → %s', (permission_mode, text, verdict) => {
  const tools = { mcp__docs: ['can_read_files' as const] }
  const role = completeRole({ name: 'r', instructions: 'i', permission_mode, tools })
  const read = readCall(text)
  if ('problem' in read) throw new Error(read.problem)
  const facts = { '/w/link': { exists: true, real: '/elsewhere/x' } }
  expect(nativeOf(role, { place, sandboxed: false }, read.call, facts).verdict).toBe(verdict)
})
