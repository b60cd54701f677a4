import { expect, test } from 'vitest'
import { name } from './schema.ts'

test.each([
  ...[
    '',
    '.',
    '..',
    'a/b',
    '/a',
    'a\\b',
    '..%2fx',
    '-rf',
    '-',
    'a b',
    ' a',
    'a ',
    '   ',
    'a\n',
    'a\nb',
    'a\tb',
  ],
  ...[
    'a\0b',
    '\u001b[31m',
    'a\u202eb',
    'a\u200bb',
    'Foo',
    'é',
    'e\u0301',
    '🤖',
    'ａ',
    '１',
    '*',
    '?',
    '$(x)',
  ],
  ...[
    "a'b",
    'a"b',
    'a;b',
    '~root',
    '@',
    'x@{1}',
    'HEAD',
    'refs/heads/x',
    '__proto__',
    'x.lock',
    '.a',
    'a..b',
  ],
  ...['a_b', 'a:b', 'x'.repeat(64), 'all', 'host', 'none', 'self', 'head', 'constructor', 'con', 'nul'],
])('%j is no name', (text) => expect(name.safeParse(text).success).toBe(false))

test.each(['a', '0', '123', 'a-', 'a--b', 'true', 'null', 'x'.repeat(63), 'coder-1', 'console'])(
  '%j is a name',
  (text) => expect(name.safeParse(text).success).toBe(true),
)
