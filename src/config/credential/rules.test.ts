import { expect, test } from 'vitest'
import { badValue, identityOf, oddValue } from './rules.ts'

test.each([
  ['sk-ant-oat01-abc', undefined],
  ['', 'is empty'],
  ['a\nb', 'has more than one line'],
  ['a\u0007b', 'has control characters'],
  ['a b', 'has blanks or characters that no token has'],
  ['“quoted”', 'has blanks or characters that no token has'],
  ['x'.repeat(5000), 'is longer than 4096 characters'],
])('a value like %j %s', (value, expected) => {
  expect(badValue(value)).toBe(expected)
})

test.each([
  ['claude-token', `sk-ant-oat01-${'a'.repeat(40)}`, undefined],
  ['claude-token', 'password', 'does not look like sk-ant-…'],
  ['github-token', `ghp_${'a'.repeat(36)}`, undefined],
  ['github-token', `github_pat_${'a'.repeat(60)}`, undefined],
  ['github-token', `glpat-${'a'.repeat(20)}`, 'does not look like ghp_… or github_pat_…'],
  ['gitlab-token', `glpat-${'a'.repeat(20)}`, undefined],
] as const)('as %s, a value %#', (name, value, expected) => {
  expect(oddValue(name, value)).toBe(expected)
})

test.each<[string, 'github' | 'gitlab', unknown, unknown]>([
  [
    'all is public',
    'github',
    { login: 'o', id: 1, name: 'Octo', email: 'o@x.org' },
    { name: 'Octo', email: 'o@x.org' },
  ],
  [
    'address hidden',
    'github',
    { login: 'o', id: 1, name: null, email: null },
    { name: 'o', email: '1+o@users.noreply.site' },
  ],
  [
    'commit address',
    'gitlab',
    { username: 'g', id: 2, name: 'G', email: 'a@x', commit_email: 'c@x' },
    { name: 'G', email: 'c@x' },
  ],
  [
    'no address',
    'gitlab',
    { username: 'g', id: 2, name: 'G' },
    { name: 'G', email: '2-g@users.noreply.site' },
  ],
  [
    'what a forge says is not believed to be harmless',
    'github',
    { login: 'o', id: 1, name: 'Eve\n<root@x>\u001b[31m', email: 'not an address' },
    { name: 'Eve root@x', email: '1+o@users.noreply.site' },
  ],
  ['a login that is none', 'github', { login: 'a b', id: 1 }, undefined],
  ['no user', 'github', [], undefined],
  ['nothing', 'github', null, undefined],
])('%s', (_, forge, user, expected) => {
  expect(identityOf(forge, 'site', user)).toEqual(expected)
})
