import { expect, test } from 'vitest'
import { entriesIn, pair, sizesIn } from './rules.ts'

const blob = (sign: string): string => sign.repeat(40)
const raw = (status: string, path: string, to = 'b'): string =>
  `:100644 100644 ${blob('a')} ${blob(to)} ${status}\0${path}\0`

test.each([
  ['', []],
  [raw('M', 'a'), [{ path: 'a', how: 'changed', blob: blob('b') }]],
  [
    `${raw('A', 'x y')}${raw('D', 'z\n', '0')}${raw('T', ':t')}`,
    [
      { path: 'x y', how: 'added', blob: blob('b') },
      { path: 'z\n', how: 'removed', blob: blob('0') },
      { path: ':t', how: 'other kind', blob: blob('b') },
    ],
  ],
  [
    `:100644 100644 ${blob('a')} ${blob('a')} R100\0old\0new\0${raw('M', 'a')}`,
    [
      { path: 'new', from: 'old', how: 'moved', blob: blob('a') },
      { path: 'a', how: 'changed', blob: blob('b') },
    ],
  ],
])('of %j', (text, entries) => expect(entriesIn(text)).toEqual(entries))

const entry = (path: string, how: 'added' | 'changed' | 'other kind' = 'changed') => ({
  path,
  how,
  blob: blob('b'),
})
const sizes = new Map([[blob('b'), 7]])
const section = (name: string, body = '@@ -1 +1 @@\n-x\n+y\n'): string =>
  `diff --git a/${name} b/${name}\nindex 1..2\n${body}`

test('each file has its own lines, whatever these say', () => {
  const sly = '@@ -1 +1,3 @@\n x\n+diff --git a/b b/b\n+Binary files a and b differ\n'
  const [a, b] = [section('a', sly), section('b')]
  expect(pair([entry('a'), entry('b')], a + b, sizes)).toEqual([
    { path: 'a', how: 'changed', bytes: 7, diff: a },
    { path: 'b', how: 'changed', bytes: 7, diff: b },
  ])
})

test('no lines of what is no text; two parts of what became another kind', () => {
  const binary = section('a', 'Binary files a/a and b/a differ\n')
  const kind = section('k') + section('k')
  expect(
    pair([entry('a', 'added'), entry('k', 'other kind'), entry('z')], binary + kind + section('z'), sizes),
  ).toEqual([
    { path: 'a', how: 'added', bytes: 7 },
    { path: 'k', how: 'other kind', bytes: 7, diff: kind },
    { path: 'z', how: 'changed', bytes: 7, diff: section('z') },
  ])
  const half = section('k') + section('k', 'Binary files a/k and b/k differ\n')
  expect(pair([entry('k', 'other kind')], half, sizes)).toEqual([{ path: 'k', how: 'other kind', bytes: 7 }])
})

test.each([
  ['too few', [entry('a'), entry('b')], section('a')],
  ['too many', [entry('a')], section('a') + section('b')],
  ['none at all', [entry('a')], ''],
])('%s parts: nothing is known of any', (_, entries, diff) =>
  expect(pair(entries, diff, sizes)).toBe(undefined),
)

test('sizes', () => {
  expect(sizesIn(`${blob('a')} 12\n${blob('0')} missing\n\n`)).toEqual(new Map([[blob('a'), 12]]))
})
