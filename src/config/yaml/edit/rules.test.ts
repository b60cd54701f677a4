import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseDocument, parse as plain, stringify } from 'yaml'
import { edited } from './rules.ts'

const text = `# head
store: sqlite # why

host:
  # the port
  port: 0
  log_level: info # loud

# after
list:
  # first
  - name: a
    cron: "0 * * * *"
  # second
  - name: b # bee
    cron: '1 * * * *'
`

const change = (from: string, to: string): string => text.replace(from, to)

test.each<[string, (string | number)[], unknown, string]>([
  ['a number', ['host', 'port'], 9000, change('port: 0', 'port: 9000')],
  ['a text beside its comment', ['host', 'log_level'], 'debug', change('info #', 'debug #')],
  ['a quoted text', ['list', 0, 'cron'], '5 * * * *', change('"0 * * * *"', '"5 * * * *"')],
  ['the same value', ['store'], 'sqlite', text],
  ['a new field', ['host', 'drain_seconds'], 5, change('# loud\n', '# loud\n  drain_seconds: 5\n')],
  [
    'a removed field; a comment at the head of its object stays',
    ['host', 'port'],
    undefined,
    change('  port: 0\n', ''),
  ],
  ['a whole object', ['host'], { port: 1, log_level: 'info' }, change('port: 0', 'port: 1')],
  [
    'an entry gone from the front of a list',
    ['list'],
    [{ name: 'b', cron: '2 * * * *' }],
    change(
      `  - name: a
    cron: "0 * * * *"
`,
      '',
    ).replace("'1 *", "'2 *"),
  ],
])('%s', (_, keys, value, expected) => {
  expect(edited(parseDocument(text), keys, value)).toBe(expected)
})

test.each([
  ['', ['a', 'b'], 1, 'a:\n  b: 1\n'],
  ['# only a comment\n', ['a'], 1, '# only a comment\n\na: 1\n'],
  ['a:\n', ['a', 'b', 'c'], 1, 'a:\n  b:\n    c: 1\n'],
  [
    '- name: a\n  x: 0\n',
    [],
    [
      { name: 'a', x: 1 },
      { name: 'a', x: 2 },
    ],
    '- name: a\n  x: 1\n- name: a\n  x: 2\n',
  ],
  ['a: [1, 2]\n', ['a'], [2, 3], 'a: [ 2, 3 ]\n'],
])('in %j, %j', (before, keys, value, expected) => {
  expect(edited(parseDocument(before), keys, value)).toBe(expected)
})

test('whatever is written is read back, and the rest stays', () => {
  const leaf = fc.oneof(fc.string({ unit: 'grapheme-ascii' }), fc.integer(), fc.boolean(), fc.constant(null))
  const value = fc.oneof(
    leaf,
    fc.array(leaf),
    fc.dictionary(fc.constantFrom('x', 'y', 'z'), leaf, { noNullPrototype: true }),
  )
  const object = fc.record({ a: value, b: value, c: value })
  fc.assert(
    fc.property(object, fc.constantFrom('a', 'b', 'c', 'd'), value, (before, key, set) => {
      const after = edited(parseDocument(stringify(before)), [key], set)
      expect(plain(after)).toEqual({ ...before, [key]: set })
    }),
  )
})
