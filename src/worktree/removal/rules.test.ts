import { expect, test } from 'vitest'
import type { WorktreeStatus } from '../schema.ts'
import { planRemoval } from './rules.ts'

const clean: WorktreeStatus = {
  agent: 'a',
  path: '/w/a b',
  repository: '/r/.git',
  branch: 'a',
  state: 'clean',
  dirty: [],
  changes: 0,
  unpushed: 0,
}
const path = clean.path
const use = { who: 'the agent "a" runs', repair: 'agency stop a' }
const refuse = (code: string, facts: Record<string, string>) => ({ action: 'refuse', code, facts })

test.each<[string, Partial<WorktreeStatus>, typeof use | undefined, string | undefined, unknown]>([
  ['clean', {}, undefined, undefined, undefined],
  ['live comes first', { state: 'dirty' }, use, '', refuse('worktree_live', { path, ...use })],
  [
    'broken, with its repair',
    { state: 'broken', why: 'it is gone', repair: 'git x' },
    undefined,
    undefined,
    refuse('worktree_unreadable', { path, why: 'it is gone', repair: 'git x' }),
  ],
  [
    'dirty, more than is named',
    { state: 'dirty', dirty: ['x', 'y'], changes: 7, unpushed: 3 },
    undefined,
    undefined,
    refuse('worktree_dirty', {
      path,
      what: 'x, y and 5 more',
      quoted: "'/w/a b'",
      repair: "git -C '/w/a b' stash push --include-untracked",
    }),
  ],
  [
    'unpushed',
    { state: 'unpushed', unpushed: 1, branch: null },
    undefined,
    undefined,
    refuse('worktree_unpushed', {
      path,
      commits: '1 commit',
      repair: "git -C '/w/a b' push origin HEAD:refs/heads/a",
      keep: "git -C '/w/a b' branch keep-a",
    }),
  ],
  [
    'locked by a person',
    {},
    undefined,
    'why',
    refuse('worktree_pinned', { path, why: ': why', repair: "git -C '/w/a b' worktree unlock '/w/a b'" }),
  ],
  [
    'locked without a reason',
    {},
    undefined,
    '',
    refuse('worktree_pinned', { path, why: '', repair: "git -C '/w/a b' worktree unlock '/w/a b'" }),
  ],
])('%s', (_, status, live, locked, expected) => {
  expect(planRemoval({ ...clean, ...status }, live, locked)).toEqual(expected)
})
