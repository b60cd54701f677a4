import { expect, test } from 'vitest'
import { printFailure, printOutcome, table } from './rules.ts'

const plain = { json: false, colour: false }
const json = { json: true, colour: true }
const said = {
  error: 'bad',
  message: 'It \u001b[31mfailed\u0007.',
  safe: 'Safe.',
  next: 'Type x.',
  problems: ['a:1 b'],
}

test('lines go to stdout, warnings to stderr, and no control character with them', () => {
  expect(
    printOutcome({ data: {}, lines: ['a\u001b]0;title\u0007b', 'c'], warnings: ['w\u009b1m'] }, plain),
  ).toEqual({
    stdout: 'ab\nc\n',
    stderr: 'warning: w\n',
  })
})

test('a failure says what happened, what is wrong, what is safe and what to type', () => {
  expect(printFailure(said, plain)).toEqual({
    stdout: '',
    stderr: 'error: It failed.\n  a:1 b\n  Safe.\n  Type x.\n',
  })
})

test('colour is only in the label', () => {
  expect(printFailure(said, { json: false, colour: true }).stderr).toMatch(
    /^\u001b\[31merror:\u001b\[0m It failed\.\n/,
  )
})

test('JSON is one object on stdout, and control characters in it are escaped', () => {
  const printed = printOutcome({ data: { a: '\u009b1m\u0007\u202e' }, lines: ['x'], warnings: ['w'] }, json)
  expect(printed.stderr).toBe('')
  expect(printed.stdout).toContain('\\u009b1m\\u0007\\u202e')
  expect(JSON.parse(printed.stdout)).toEqual({ a: '\u009b1m\u0007\u202e', warnings: ['w'] })
  expect(JSON.parse(printFailure(said, json).stdout)).toEqual(said)
})

test('a table has straight columns; a cell cannot break the line', () => {
  expect(
    table([
      ['NAME', 'STATE'],
      ['a\nb', 'idle'],
      ['longer-name', ''],
    ]),
  ).toEqual(['NAME         STATE', 'a b          idle', 'longer-name'])
})
