import { expect, test } from 'vitest'
import { isRef } from './schema.ts'

test.each([
  ['main', true],
  ['origin/main', true],
  ['release/1.2', true],
  ['claude/issue-7', true],
  ['HEAD', true],
  ['v1.0.0', true],
  ['0123abcd', true],
  ['', false],
  ['-b', false],
  ['--upload-pack=touch /tmp/pwn', false],
  ['a b', false],
  ['a..b', false],
  ['HEAD~1', false],
  ['a^', false],
  ['a:b', false],
  ['a?', false],
  ['a*', false],
  ['a[1]', false],
  ['a\\b', false],
  ['x@{1}', false],
  ['@', false],
  ['a//b', false],
  ['/a', false],
  ['a/', false],
  ['a.', false],
  ['.a', false],
  ['a/.b', false],
  ['a.lock', false],
  ['a.lock/b', false],
  ['a\nb', false],
  ['a\0', false],
  ['x'.repeat(201), false],
])('%j is a ref: %j', (text, expected) => {
  expect(isRef(text)).toBe(expected)
})
