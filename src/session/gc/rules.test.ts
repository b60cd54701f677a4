import { expect, test } from 'vitest'
import { type Candidate, judge, type Verdict } from './rules.ts'

const now = 1_000 * 86_400_000
const hours = (count: number): number => now - count * 3_600_000
const ended: Candidate = { agent: 'a', kind: 'directory', ended: hours(2), touched: hours(2) }
const lost: Candidate = { agent: 'a', kind: 'directory', touched: hours(49) }
const tree = (state: 'clean' | 'dirty' | 'unpushed' | 'broken', changes = 0, unpushed = 0) => ({
  worktree: { state, changes, unpushed },
})
const gone: Verdict = { remove: true }
const kept = (why: string, next?: string): Verdict => ({ remove: false, why, ...(next && { next }) })
const treeRemove = 'agency worktree remove a'

test.each<[string, Candidate, number | undefined, Verdict]>([
  ['ended', ended, undefined, gone],
  ['ended, as old as asked', ended, 0, gone],
  ['ended too lately', ended, 1, kept('it ended 2h ago')],
  ['ended exactly a day ago', { ...ended, ended: hours(24) }, 1, gone],
  ['ended in the future', { ...ended, ended: hours(-5) }, 1, kept('it ended 0s ago')],
  [
    'lost',
    lost,
    undefined,
    kept('it was lost, not ended; `--older DAYS` removes such a session too', 'agency session resume a'),
  ],
  ['lost long ago', lost, 2, gone],
  ['lost lately', lost, 3, kept('it was last heard of 2d1h ago')],
  ['running', { ...ended, alive: 'it runs (idle)' }, undefined, kept('it runs (idle)')],
  ['running, and old', { ...lost, alive: 'it runs (idle)' }, 1, kept('it runs (idle)')],
  ['a clean worktree', { ...ended, ...tree('clean') }, undefined, gone],
  [
    'one changed file',
    { ...ended, ...tree('dirty', 1) },
    undefined,
    kept('its worktree holds 1 file not committed', treeRemove),
  ],
  [
    'files and commits',
    { ...ended, ...tree('dirty', 2, 3) },
    0,
    kept('its worktree holds 2 files not committed and 3 commits nobody else has', treeRemove),
  ],
  [
    'a commit',
    { ...lost, ...tree('unpushed', 0, 1) },
    1,
    kept('its worktree holds 1 commit nobody else has', treeRemove),
  ],
  [
    'an unreadable worktree',
    { ...ended, ...tree('broken') },
    undefined,
    kept('its worktree cannot be read: git does not say why', treeRemove),
  ],
  [
    'of a configured agent, however old',
    { ...lost, headless: true },
    0,
    kept('its agent is configured; what a task left goes with it (`history:` in config.yaml)'),
  ],
  ['of a configured agent, alive', { ...lost, headless: true, alive: 'it runs' }, 0, kept('it runs')],
  ['a link', { ...ended, kind: 'link' }, undefined, kept('it is a symbolic link')],
  ['a file', { ...ended, kind: 'other' }, undefined, kept('it is not a directory')],
  ['what nobody may read', { ...lost, kind: 'unreadable' }, 0, kept('it cannot be read')],
  ['no name', { ...ended, agent: '..' }, 0, kept('no agent is called so')],
  ['a path', { ...ended, agent: 'a/../../b' }, 0, kept('no agent is called so')],
  ['what was left of a removal', { ...lost, agent: '.removed-a-0f' }, undefined, gone],
  [
    'the same, as a link',
    { ...lost, agent: '.removed-a-0f', kind: 'link' },
    0,
    kept('it is a symbolic link'),
  ],
  ['the same, alive', { ...lost, agent: '.removed-a-0f', alive: 'it runs' }, 0, kept('it runs')],
])('%s', (_, found, older, expected) => {
  expect(judge(found, { now, older })).toEqual(expected)
})
