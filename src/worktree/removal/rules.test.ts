import { expect, test } from 'vitest'
import type { WorktreeStatus } from '../schema.ts'
import { type Hindrance, planRemoval } from './rules.ts'

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

test.each<[string, Partial<WorktreeStatus>, Hindrance, unknown]>([
  ['clean', {}, {}, undefined],
  ['live comes first', { state: 'dirty' }, { use, locked: '' }, refuse('worktree_live', { path, ...use })],
  [
    'broken, with its repair',
    { state: 'broken', why: 'it is gone', repair: 'git x' },
    {},
    refuse('worktree_unreadable', { path, why: 'it is gone', repair: 'git x' }),
  ],
  [
    'dirty, more than is named',
    { state: 'dirty', dirty: ['x', 'y'], changes: 7, unpushed: 3 },
    {},
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
    { remote: 'up' },
    refuse('worktree_unpushed', {
      path,
      commits: '1 commit',
      repair:
        "Push them, `git -C '/w/a b' push up HEAD:refs/heads/a`, or keep them under another branch: `git -C '/w/a b' branch keep-a`.",
    }),
  ],
  [
    'unpushed, and nowhere to push to',
    { state: 'unpushed', unpushed: 2 },
    {},
    refuse('worktree_unpushed', {
      path,
      commits: '2 commits',
      repair: "Keep them under another branch: `git -C '/w/a b' branch keep-a`.",
    }),
  ],
  [
    'locked by a person',
    {},
    { locked: 'why' },
    refuse('worktree_pinned', { path, why: ': why', repair: "git -C '/w/a b' worktree unlock '/w/a b'" }),
  ],
  [
    'locked without a reason',
    {},
    { locked: '' },
    refuse('worktree_pinned', { path, why: '', repair: "git -C '/w/a b' worktree unlock '/w/a b'" }),
  ],
])('%s', (_, status, hindrance, expected) => {
  expect(planRemoval({ ...clean, ...status }, hindrance)).toEqual(expected)
})
