// Which files of a tree count: all but what git ignores there, and what agency itself keeps there.
import { join } from 'node:path'
import { readText } from '../base/file/read.ts'
import { isWithin } from '../base/path/rules.ts'
import { layout } from '../config/layout/rules.ts'
import { readPlace } from './repository.ts'
import { commonOf } from './rules.ts'

/** Real paths. */
export type Ground = { readonly root: string; readonly tree: string }

/** What git says of a tree, given these names. */
export type Tell = (args: readonly string[], names?: readonly string[]) => Promise<string>

export const names = (listed: string): readonly string[] => listed.split('\0').filter((name) => name !== '')

/** What the repository itself ignores without saying so in its tree. Only patterns: no file of it is run or shown. */
const excluded = async (tree: string): Promise<readonly string[]> => {
  const place = await readPlace(tree)
  if (place.kind !== 'directory' || place.git === 'none' || place.git === 'garbage') return []
  const own = 'gitdir' in place ? commonOf(place.gitdir) : join(tree, '.git')
  const file = join(own, 'info/exclude')
  return 'text' in (await readText(file, { nofollow: true })) ? [`--exclude-from=${file}`] : []
}

/** What a root that lies in the tree keeps for itself: it holds secrets, and changes with each snapshot. */
const kept = ({ root, tree }: Ground): readonly string[] => {
  if (!isWithin(tree, root)) return []
  const at = layout(root)
  const stores = [at.store, at.gateStore].flatMap((file) => [file, `${file}-wal`, `${file}-shm`])
  const files = [...stores, at.token, at.host, at.lock, at.log, at.env, at.agentLog('*'), at.directorLog('*')]
  const folders = [at.sessions, at.worktrees, at.work, at.sockets, at.credentials, at.view, at.claudeConfig]
  const own = [...files, ...folders, at.history, at.reviews, at.snapshots]
  const above = root.slice(tree.length).replace(/[\\*?[\]\s]/g, '\\$&')
  return own.map((path) => `--exclude=${above}${path.slice(root.length)}`)
}

/** How git is asked for them. */
export const listing = async (where: Ground): Promise<readonly string[]> => [
  ...['ls-files', '-z', '--exclude-per-directory=.gitignore'],
  ...(await excluded(where.tree)),
  ...kept(where),
]

const emptyBlob = 'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391'
const mark = '0b6f9a41'
/** Repositories within repositories. */
const deepest = 16

/**
 * Those that are not in the index as they are. Git would record a repository inside as one number, and would run git in
 * there to look. A file that it is said to track in there makes it a directory like others; there is none of that name,
 * so it is gone with the next update.
 */
export const changed = async (tell: Tell, list: readonly string[]): Promise<readonly string[]> => {
  for (let depth = 0; depth < deepest; depth++) {
    const found = names(await tell([...list, '--others', '--modified']))
    const inside = found.filter((name) => name.endsWith('/'))
    if (inside.length === 0) return found
    const marks = inside.map((name) => `100644 ${emptyBlob}\t${name}.agency-${mark}`)
    await tell(['update-index', '-z', '--index-info'], marks)
  }
  throw new Error('repositories lie within repositories')
}
