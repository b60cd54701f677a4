import { expect, test } from 'vitest'
import { foresee } from '../../../permission/decide/foresee/rules.ts'
import { gateOpinion } from '../../../review/gate/rules.ts'
import { settingOf } from '../../../review/setting/rules.ts'
import type { ReviewFile } from '../../../role/review/schema.ts'
import { completeRole } from '../../../role/rules.ts'
import type { RoleFile } from '../../../role/schema.ts'
import { explained, toldTests } from './rules.ts'

const place = { cwd: '/w', tree: '/w', home: '/h', root: '/h/.agency' }
const told = (file: Partial<RoleFile>, command: string): string => {
  const role = completeRole({ name: 'r', instructions: 'i', ...file })
  const call = { tool: 'Bash', input: { command } }
  return explained(role, foresee(role, { place, sandboxed: false }, call, {})).join('\n')
}

test('each layer with what it says, and which one decided', () => {
  expect(told({ permissions: { deny: ['Bash(git push *)'] } }, 'git -C . push')).toBe(
    `LAYER         SAYS  RULE              WHY
tools         none                    the tool is offered to the role
own           none                    it touches nothing that agency or git outside obeys
capabilities  none                    it does nothing that the role lacks
rules         deny  Bash(git push *)  the role denies Bash(git push *)
gate          none                    no gate is about it
budget        none                    no limit is reached
sandbox       none                    the role has no limit that needs one

denied by rules, Bash(git push *): the role denies Bash(git push *)`,
  )
})

test('a call that needs a review says which gate, who looks and how far it reaches', () => {
  const role = completeRole({ name: 'r', instructions: 'i' })
  const call = { tool: 'Bash', input: { command: 'env gh issue close 1 | cat' } }
  const written = {
    gates: { tools: ['Bash:gh issue close*'], approval_scope: 'tool', approval_ttl_seconds: 60 },
  }
  const gate = gateOpinion(settingOf(written as ReviewFile, undefined), call, place)
  const lines = explained(role, foresee(role, { place, sandboxed: false, ...(gate && { gate }) }, call, {}))
  expect(lines.at(-1)).toBe(
    'asked by gate, Bash:gh issue close*: it needs a review first, by a process of its own; COMPLETE holds for exactly this call, once, 60 s at most',
  )
  expect(
    gateOpinion(settingOf(written as ReviewFile, undefined), { tool: 'Read', input: {} }, place),
  ).toBeUndefined()
})

test('where no layer decides the CLI does, and a shared network is said', () => {
  const text = told({ sandbox: { network: 'full' } }, 'make')
  expect(text).toContain('claude        ask         no rule decides: the CLI asks')
  expect(text).toContain('asked by Claude Code: no rule decides: the CLI asks')
  expect(text).toContain('guarded by tokens only')
  expect(told({ sandbox: { network: 'none' } }, 'make')).not.toContain('tokens')
})

test('examples that do not hold come first, with what is decided instead', () => {
  const tried = [
    { example: 'Bash(ls)', expected: 'allow', got: 'ask', reason: 'the CLI asks', passed: false },
    { example: 'Read(x)', expected: 'allow', got: 'allow', reason: '', passed: true },
    { example: 'x', expected: 'deny', reason: 'it cannot be read', passed: false },
  ] as const
  expect(
    toldTests([
      { role: 'coder', tried },
      { role: 'none', tried: [] },
    ]),
  ).toEqual([
    'coder: Bash(ls) must be allowed, and is asked: the CLI asks',
    'coder: x must be denied, and is no call: it cannot be read',
    '',
    'ROLE   EXAMPLES',
    'coder  1 of 3 hold',
    'none   no examples',
  ])
})
