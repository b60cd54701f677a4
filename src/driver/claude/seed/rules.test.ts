import { expect, test } from 'vitest'
import { seed } from './rules.ts'

const key = 'sk-ant-fake-0123456789abcdefghijklmnop'
const mark = '6789abcdefghijklmnop'
const cwd = '/home/user/project'
const trusted = { [cwd]: { hasTrustDialogAccepted: true } }

test.each([
  ['nothing there', undefined, undefined, { theme: 'dark', hasCompletedOnboarding: true, projects: trusted }],
  ['not a table', 'broken', '', { theme: 'dark', hasCompletedOnboarding: true, projects: trusted }],
  [
    'a key: only its end is stored',
    undefined,
    key,
    {
      theme: 'dark',
      hasCompletedOnboarding: true,
      customApiKeyResponses: { approved: [mark], rejected: [] },
      projects: trusted,
    },
  ],
  [
    'what is there stays; a refusal of this key does not',
    {
      theme: 'light',
      userID: 'u',
      customApiKeyResponses: { approved: ['other'], rejected: [mark, 'third'] },
      projects: { '/else': { a: 1 }, [cwd]: { b: 2, hasTrustDialogAccepted: false } },
    },
    key,
    {
      theme: 'light',
      userID: 'u',
      hasCompletedOnboarding: true,
      customApiKeyResponses: { approved: ['other', mark], rejected: ['third'] },
      projects: { '/else': { a: 1 }, [cwd]: { b: 2, hasTrustDialogAccepted: true } },
    },
  ],
  [
    'a short key is stored whole',
    { theme: 'x' },
    'sk',
    {
      theme: 'x',
      hasCompletedOnboarding: true,
      customApiKeyResponses: { approved: ['sk'], rejected: [] },
      projects: trusted,
    },
  ],
])('%s', (_, state, given, expected) => {
  expect(seed({ cwd, permissionMode: 'default', state }, given)).toEqual(expected)
})

test('skipping permissions is accepted only for an order that skips them', () => {
  expect(seed({ cwd, permissionMode: 'bypassPermissions' })).toEqual({
    theme: 'dark',
    hasCompletedOnboarding: true,
    bypassPermissionsModeAccepted: true,
    projects: trusted,
  })
})
