import { expect, test } from 'vitest'
import type { HookEvent } from '../../driver/schema.ts'
import type { Opinion, Verdict } from '../../permission/decide/schema.ts'
import { answerOf, answerTo, mostReads, type Read, undecided } from './rules.ts'

const place = { session: 's', cwd: '/w/tree', transcript: '/t' }
const prompt: HookEvent = { ...place, kind: 'prompted', text: '', origin: 'person', reads: [] }
const at = (path: string, real: string): Read => ({ path, real })

test.each<[string, readonly Read[], string | undefined]>([
  ['nothing', [], undefined],
  ['a file of the tree', [at('a.ts', '/w/tree/a.ts'), at('.', '/w/tree')], undefined],
  ['a neighbour whose name begins alike', [at('../tree-2/a', '/w/tree-2/a')], '../tree-2/a'],
  ['a file above', [at('a.ts', '/w/tree/a.ts'), at('/etc/passwd', '/etc/passwd')], '/etc/passwd'],
  ['a link that leads out', [at('link', '/etc/passwd')], 'link'],
  ['a home', [at('~/x', '/w/tree/~/x')], '~/x'],
])('a prompt that reads %s', (_, reads, refused) => {
  const answer = answerOf(prompt, '/w/tree', reads)
  if (refused === undefined) expect(answer).toEqual({ kind: 'none' })
  else expect(answer).toEqual({ kind: 'deny', reason: expect.stringContaining(`read ${refused},`) })
})

test('too many files are refused, the root of the system holds all', () => {
  const many = Array.from({ length: mostReads + 1 }, (_, index) => at(`${index}`, `/w/tree/${index}`))
  expect(answerOf(prompt, '/w/tree', many).kind).toBe('deny')
  expect(answerOf(prompt, '/', [at('/etc/passwd', '/etc/passwd')])).toEqual({ kind: 'none' })
})

test.each<[HookEvent, string]>([
  [
    { ...place, kind: 'config_changed', source: 'project_settings', path: '/w/tree/.claude/settings.json' },
    'deny',
  ],
  [{ ...place, kind: 'config_changed', source: 'something new' }, 'deny'],
  [{ ...place, kind: 'config_changed', source: 'policy_settings' }, 'none'],
  [{ ...place, kind: 'tool_asked', call: { id: 'c', tool: 'Bash', input: {} } }, 'none'],
  [{ ...place, kind: 'permission_asked', tool: 'Bash', input: {} }, 'none'],
  [{ ...place, kind: 'session_started', source: 'startup' }, 'none'],
])('%j: %s', (event, kind) => {
  expect(answerOf(event, '/w/tree', []).kind).toBe(kind)
})

const decisionOf = (verdict: Verdict) => {
  const by: Opinion = { layer: 'rules', verdict, reason: 'the role says so' }
  return { verdict, by, opinions: [by] }
}
const refusal = { kind: 'deny', reason: 'Refused by agency: the role says so. Retrying will not help.' }

test.each<[Verdict, object, object]>([
  ['none', { kind: 'none' }, { kind: 'none' }],
  ['allow', { kind: 'none' }, { kind: 'none' }],
  ['ask', { kind: 'ask', reason: 'agency: the role says so.' }, refusal],
  ['deny', refusal, refusal],
])('%s is answered at a terminal with %j, headless with %j', (verdict, terminal, headless) => {
  expect([answerTo(decisionOf(verdict), true), answerTo(decisionOf(verdict), false)]).toEqual([
    terminal,
    headless,
  ])
})

test('what cannot be decided is refused', () => {
  expect(answerTo(undecided('no\nrole'), true)).toEqual({
    kind: 'deny',
    reason: 'Refused by agency: it cannot be decided now (no role). Retrying will not help.',
  })
})
