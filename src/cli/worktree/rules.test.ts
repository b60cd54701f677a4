import { expect, test } from 'vitest'
import { rowsOf } from './rules.ts'

const base = {
  agent: 'a',
  path: '/w/a',
  repository: '/r/.git',
  branch: 'a',
  dirty: [],
  changes: 0,
  unpushed: 0,
}

test('a row says what is there and what to type', () => {
  expect(
    rowsOf([
      { ...base, state: 'clean' },
      { ...base, state: 'dirty', dirty: ['f'], changes: 1, unpushed: 2 },
      { ...base, branch: null, state: 'unpushed', unpushed: 1 },
      { ...base, branch: null, state: 'broken', why: 'it has no .git file', repair: 'mv x y' },
    ]),
  ).toEqual([
    ['AGENT', 'BRANCH', 'STATE', 'PATH', ''],
    ['a', 'a', 'clean', '/w/a', ''],
    ['a', 'a', 'dirty', '/w/a', '1 file not committed, 2 commits nobody else has'],
    ['a', '-', 'unpushed', '/w/a', '1 commit nobody else has'],
    ['a', '-', 'broken', '/w/a', 'it has no .git file: type `mv x y`'],
  ])
})
