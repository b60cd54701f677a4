import { expect, test } from 'vitest'
import { forkName } from '../plan/name/rules.ts'
import { forkWarnings, type Parting } from './rules.ts'

const own: Parting = { parent: 'a', before: '/t/a', now: '/t/b', otherwise: 'main' }
const commit = '0123456789abcdef'
const named = 'what was said names files below /t/a; the fork works in /t/b'

test.each<[string, Parting, readonly string[]]>([
  ['one directory', { parent: 'a', before: '/w', now: '/w' }, ['both work in the same directory: /w']],
  ['the role moved', { parent: 'a', before: '/w', now: '/x' }, ['it works in /x']],
  ['a tree without changes', { ...own, tree: { commit, changes: 0 } }, [named]],
  [
    'a changed file',
    { ...own, tree: { commit, changes: 1 } },
    ['1 file of "a" not committed stays with it: the fork begins at 0123456789ab', named],
  ],
  ['no tree any more', own, ['the worktree of "a" is gone: the fork begins at main', named]],
  [
    'a broken tree',
    { ...own, tree: { changes: 2 } },
    ['the worktree of "a" is gone: the fork begins at main', named],
  ],
])('%s', (_, parting, warnings) => {
  expect(forkWarnings(parting)).toEqual(warnings)
})

test.each([
  ['coder', [], 'coder-2'],
  ['coder', ['coder', 'coder-2', 'coder-3', 'coder-5'], 'coder-4'],
  ['coder-2', ['coder-2'], 'coder-2-2'],
  ['x'.repeat(63), [], `${'x'.repeat(55)}-2`],
  [`${'x'.repeat(54)}-yyyyyyyy`, [], `${'x'.repeat(54)}-2`],
])('a fork of %s beside %j is %s', (agent, taken, name) => {
  expect(forkName(agent, taken)).toBe(name)
})
