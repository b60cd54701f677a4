import { expect, test } from 'vitest'
import { atLeast, features, oldest, parseVersion, versionText } from './rules.ts'

test.each([
  ['2.1.325 (Claude Code)\n', { major: 2, minor: 1, patch: 325 }],
  ['2.1.197', { major: 2, minor: 1, patch: 197 }],
  ['v3.0.0-beta.1 (Claude Code)', { major: 3, minor: 0, patch: 0 }],
  ['', undefined],
  ['command not found', undefined],
  ['2.1', undefined],
  ['2.1.3.4', undefined],
  ['Claude Code 2.1.325', undefined],
])('the version in %j', (text, version) => {
  expect(parseVersion(text)).toEqual(version)
})

test.each([
  ['2.1.197', false],
  ['2.1.324', false],
  ['2.1.325', true],
  ['2.1.1000', true],
  ['2.2.0', true],
  ['3.0.0', true],
  ['1.9.999', false],
])('%s has every feature: %s', (text, has) => {
  const version = parseVersion(text) ?? oldest
  expect(features(version)).toEqual({
    onFailure: has,
    manualMode: has,
    promptSnapshot: has,
    permissionRequestInPrint: has,
  })
  expect(versionText(version)).toBe(text)
})

test('the oldest version is old enough for itself, and not for what came before it', () => {
  expect(atLeast(oldest, oldest)).toBe(true)
  expect(atLeast({ ...oldest, patch: oldest.patch - 1 }, oldest)).toBe(false)
})
