import { expect, test } from 'vitest'
import { problemLine } from './rules.ts'

const problem = {
  file: '/r/roles/x.yaml',
  line: 2,
  column: 3,
  path: 'a',
  message: 'a must be a list, not a string',
}

test('a problem is one line that an editor can jump to', () => {
  expect(problemLine(problem)).toBe('/r/roles/x.yaml:2:3 a must be a list, not a string')
  expect(problemLine({ ...problem, message: 'unknown field nmae', meant: 'name' }, '/r')).toBe(
    'roles/x.yaml:2:3 unknown field nmae (did you mean name?)',
  )
  expect(problemLine(problem, '/r/ro')).toBe('/r/roles/x.yaml:2:3 a must be a list, not a string')
})

test('a problem of the environment has no line', () => {
  expect(problemLine({ ...problem, file: 'AGENCY_LOG_LEVEL', line: 0, column: 0, message: 'bad' })).toBe(
    'AGENCY_LOG_LEVEL bad',
  )
})

test('a file name cannot forge a second line', () => {
  expect(problemLine({ ...problem, file: 'a\nb\u001b[2J' })).toBe('a b:2:3 a must be a list, not a string')
})
