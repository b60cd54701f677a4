// What is said to git and to shells, and what git says.

import { inQuotes } from '../../base/shell/rules.ts'

/** One word of a command line for `sh`, as people type it. */
export const quoted = (text: string): string => (/^[\w@%+=:,./-]+$/.test(text) ? text : inQuotes(text))

export const command = (...words: readonly string[]): string => words.map(quoted).join(' ')

/** Whether `path` lies below `directory`; both absolute and without dots. */
export const isBelow = (directory: string, path: string): boolean =>
  path.startsWith(directory.endsWith('/') ? directory : `${directory}/`)

/** Git found a branch or a directory of somebody else before it made anything of its own. */
export const isUntouched = (words: string): boolean => /already exists/.test(words)

/** Git went on although it could not see everything; its exit code is 0 all the same. */
export const isPartial = (words: string): boolean =>
  /permission denied|could not open directory|input\/output error/i.test(words)

/** From `git ls-files -v -s -z`: files that `git status` was told not to look at, and submodules. */
export const hiddenIn = (listed: string): { flagged: string[]; submodules: string[] } => {
  const flagged: string[] = []
  const submodules: string[] = []
  for (const [, tag = '', mode = '', path = ''] of listed.matchAll(/(\S) (\d+) \S+ \d\t([^\0]*)\0/g)) {
    // A small letter is assume-unchanged, S is skip-worktree.
    if (tag === 'S' || tag !== tag.toUpperCase()) flagged.push(path)
    if (mode === '160000') submodules.push(path)
  }
  return { flagged, submodules }
}

// Git guards the list of worktrees by nothing: one git scans, prunes or clears it away while another writes an
// entry. And its locks do not wait.
const passing = /\.lock': File exists|cannot lock ref|unable to lock|not a git repository/i
const lasting = /permission denied|no space|quota|read-only/i

/** Git's failure may come from another git at work in the same repository: trying again helps. */
export const isPassing = (common: string, words: string): boolean =>
  !lasting.test(words) &&
  (passing.test(words) || words.includes(`${common}/worktrees`) || words.includes('.git/worktrees'))

const kept = new Set([
  'core.autocrlf',
  'core.eol',
  'core.filemode',
  'core.ignorecase',
  'core.precomposeunicode',
  'core.symlinks',
  'extensions.objectformat',
])

/** The configuration for git on a tree: from `git config --list -z` of its repository only what says how file
 * names and line ends are read. An allow-list: what is not on it can run nothing, whatever git learns to run. */
export const harmless = (listed: string): string => {
  const chosen = new Map<string, string>()
  for (const item of listed.split('\0')) {
    const [key = '', value = 'true'] = item.split('\n', 2)
    if (kept.has(key) && /^[a-z0-9]{1,16}$/i.test(value)) chosen.set(key, value)
  }
  const format = chosen.has('extensions.objectformat') ? '1' : '0'
  const pairs = [['core.repositoryformatversion', format], ['core.bare', 'false'], ...chosen]
  return pairs
    .map(([key = '', value]) => `[${key.split('.')[0]}]\n\t${key.split('.')[1]} = ${value}\n`)
    .join('')
}
