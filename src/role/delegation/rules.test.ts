import { expect, test } from 'vitest'
import { nothing } from '../capability/schema.ts'
import { type Errand, undelegated } from './rules.ts'

const role = (...roles: string[]): NonNullable<Errand['own']> => ({
  name: 'lead',
  capabilities: { ...nothing, can_delegate_to_roles: roles },
})

test.each<[Errand, string | undefined]>([
  [{ own: role('coder', 'tester'), wanted: 'tester', changed: false }, undefined],
  [
    { own: role('coder', 'tester'), wanted: 'ops', changed: false },
    'its role "lead" may delegate to coder, tester, not to "ops"',
  ],
  [{ own: role(), wanted: 'lead', changed: false }, 'its role "lead" may delegate to no role, not to "lead"'],
  [
    { own: role('coder'), wanted: 'coder', changed: true },
    'it may launch a role only as it is, without --override and arguments',
  ],
  [{ wanted: 'coder', changed: false }, 'it has no role that says what it may delegate to'],
])('%j', (errand, expected) => {
  expect(undelegated(errand)).toBe(expected)
})
