import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { stringify } from 'yaml'
import { parse } from './rules.ts'

const said = (text: string): string[] =>
  parse('f', text).problems.map(({ line, column, message }) => `${line}:${column} ${message}`)

test.each<[string, string, string[]]>([
  [
    'a tab indents',
    'name: x\n\tinstructions: y',
    ['2:1 not valid YAML: Tabs are not allowed as indentation'],
  ],
  ['duplicate field', 'name: a\nother: 1\nname: b', ['3:1 duplicate field name']],
  ['duplicate nested field', 'a:\n  b: 1\n  b: 2', ['3:3 duplicate field a.b']],
  ['duplicate by other quotes', 'a: 1\n"a": 2', ['2:1 duplicate field a']],
  [
    '__proto__',
    'settings:\n  __proto__: {polluted: true}',
    ['2:3 settings.__proto__ is not allowed as a field'],
  ],
  ['constructor', 'constructor: 1', ['1:1 constructor is not allowed as a field']],
  [
    'anchor and alias',
    'a: &x 1\nb: *x',
    ['1:7 anchors (&x) are not supported: write it out', '2:4 aliases (*x) are not supported: write it out'],
  ],
  ['merge key', 'a: {b: 1}\n<<: {c: 1}', ['2:1 merge keys (<<) are not supported: write the fields out']],
  ['custom tag', 'a: !js/function x', ['1:17 the tag !js/function is not supported']],
  ['binary tag', 'a: !!binary aGk=', ['1:13 the tag tag:yaml.org,2002:binary is not supported']],
  ['two documents', 'a: 1\n---\nb: 2', ['2:1 only one document (---) is allowed in a file']],
  ['YAML 1.1', '%YAML 1.1\n---\na: yes', ['1:1 only YAML 1.2 is supported']],
  ['YAML 1.3', '%YAML 1.3\n---\na: yes', ['1:1 only YAML 1.2 is supported']],
  [
    'a mark that nobody sees in a name',
    'a: 1\n\ufeffb: 2\n"c\u202e": 3',
    [
      '2:1 the field \ufeffb has an invisible character in its name (U+FEFF)',
      '3:1 the field c\u202e has an invisible character in its name (U+202E)',
    ],
  ],
  [
    'no colon',
    'name x\nb: 1',
    [
      '1:1 not valid YAML: a line that is no `name: value` (is the colon missing, or the blank behind it?) (Implicit keys need to be on a single line)',
    ],
  ],
  ['thousands of brackets', `a: ${'['.repeat(50_000)}`, [expect.stringMatching(/nested too deeply$/)]],
  ['a list as a name', '? [a]\n: b', ['1:3 a field needs a name of plain text']],
  ['no name', ': b', ['1:1 a field needs a name of plain text']],
  ['unclosed quote', 'a: "b', ['1:6 not valid YAML: Missing closing "quote']],
  [
    'NUL by an escape',
    'a:\n  b: "x\\0y"',
    ['2:6 a.b has a character that no file can hold (NUL or half a pair)'],
  ],
  [
    'half of a pair by an escape',
    'a: "\\ud800"',
    ['1:4 a has a character that no file can hold (NUL or half a pair)'],
  ],
  ['control character', 'a: "\u001b[31m"', ['1:5 control character "\\u001b" in the text']],
])('%s', (_, text, expected) => {
  const parsed = parse('f', text)
  expect(parsed.problems.map(({ line, column, message }) => `${line}:${column} ${message}`)).toEqual(expected)
  expect(parsed.value).toBeUndefined()
})

test.each([
  ['plain tags', 'a: !!str 12', { a: '12' }],
  ['one document with its marks', '---\na: 1\n...\n', { a: 1 }],
  ['words of YAML 1.1', 'a: yes\nb: on\nc: 012', { a: 'yes', b: 'on', c: 12 }],
  ['a number as a name', '1: x', { 1: 'x' }],
  ['a pair by an escape', 'a: "\\U0001F916"', { a: '🤖' }],
  ['windows line ends', 'a: 1\r\nb: 2\r\n', { a: 1, b: 2 }],
  ['only comments', '# nothing\n', null],
  ['nothing', '', null],
])('%s are fine', (_, text, expected) => {
  expect([parse('f', text).problems, parse('f', text).value]).toEqual([[], expected])
})

test('a bomb of aliases or brackets is an answer, not an accident', () => {
  const laugh = Array.from({ length: 20 }, (_, i) => `a${i}: &a${i} [${i ? `*a${i - 1},*a${i - 1}` : 'x'}]`)
  expect(said(laugh.join('\n'))[0]).toContain('anchors')
  for (const piece of ['[', '{a: ', '- ', '? ', '[{'])
    expect(said(piece.repeat(20_000)).join('\n')).toContain('nested')
  expect(said(`a: ${'['.repeat(150)}${']'.repeat(150)}`)[0]).toBe('1:104 nested deeper than 100 levels')
})

test('many fields are read in reasonable time', () => {
  const text = Array.from({ length: 60_000 }, (_, index) => `field${index}: 1`).join('\n')
  expect(Object.keys(parse('f', text).value as object)).toHaveLength(60_000)
}, 60_000)

test('a path is found where it stands, else at its nearest parent', () => {
  const { at } = parse('f', 'name: x\nagents:\n  - name: a\n    role: b\n  - {name: c}\nempty:\n')
  expect([
    at(['name']),
    at(['name'], true),
    at(['agents', 0, 'role']),
    at(['agents', 0, 'role'], true),
    at(['agents', 1, 'name']),
    at(['agents', 1, 'missing']),
    at(['agents', 7]),
    at(['nowhere']),
    at(['empty']),
    at([]),
  ]).toEqual(
    [
      [1, 7],
      [1, 1],
      [4, 11],
      [4, 5],
      [5, 12],
      [5, 5],
      [3, 3],
      [1, 1],
      [6, 7],
      [1, 1],
    ].map(([line, column]) => ({ line, column })),
  )
})

test('what was written as YAML is read as it was', () => {
  const value = fc.dictionary(
    fc.string({ unit: fc.constantFrom('a', 'b', '-', '1', ' ', ':'), minLength: 1 }),
    fc.oneof(
      fc.string({ unit: 'grapheme-ascii' }),
      fc.integer(),
      fc.boolean(),
      fc.array(fc.string({ unit: 'grapheme-ascii' })),
    ),
    { noNullPrototype: true },
  )
  fc.assert(
    fc.property(value, (each) => {
      const parsed = parse('f', stringify(each))
      expect([parsed.problems, parsed.value]).toEqual([[], each])
    }),
  )
})

test('no text makes it throw', () => {
  const piece = fc.constantFrom(
    'a',
    ':',
    ' ',
    '\n',
    '\t',
    '-',
    '[',
    '{',
    '}',
    ']',
    '&x',
    '*x',
    '!t',
    '"',
    "'",
    '|',
    '>',
    '#',
    '?',
    '%',
    '<<',
    '---',
    '\u0000',
  )
  fc.assert(fc.property(fc.array(piece), (pieces) => Array.isArray(parse('f', pieces.join('')).problems)))
})
