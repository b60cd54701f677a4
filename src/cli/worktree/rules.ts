import type { WorktreeStatus } from '../../worktree/schema.ts'

const count = (number: number, one: string): string => `${number} ${one}${number === 1 ? '' : 's'}`

/** What stands beside the state. */
const detail = ({ state, changes, unpushed, why = '', repair }: WorktreeStatus): string => {
  if (state === 'broken') return repair === undefined ? why : `${why}: type \`${repair}\``
  const parts = [
    ...(changes > 0 ? [`${count(changes, 'file')} not committed`] : []),
    ...(unpushed > 0 ? [`${count(unpushed, 'commit')} nobody else has`] : []),
  ]
  return parts.join(', ')
}

/** A header and a row each. */
export const rowsOf = (worktrees: readonly WorktreeStatus[]): string[][] => [
  ['AGENT', 'BRANCH', 'STATE', 'PATH', ''],
  ...worktrees.map((each) => [each.agent, each.branch ?? '-', each.state, each.path, detail(each)]),
]
