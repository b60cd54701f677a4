// Gathers what the plan of a worktree is made from. Changes nothing.
import { isRef } from '../base/ref/schema.ts'
import { git, tellGit } from './git.ts'
import { checkedOut, entryAt, findRepository, groundOf, readEntries, readPlace } from './repository.ts'
import { defaultRef } from './rules.ts'
import type { Found, Place, Repository, Settings } from './schema.ts'

export type Asked = {
  readonly agent: string
  readonly path: string
  readonly directory: string
  readonly settings: Settings
}

/** The commit a ref stands for. `--end-of-options`: a ref can never become one. */
export const commitOf = async (gitdir: string, ref: string, seconds = 60): Promise<string | undefined> => {
  const asked = [`--git-dir=${gitdir}`, 'rev-parse', '--verify', '--quiet', '--end-of-options']
  const { code, out } = await tellGit([...asked, `${ref}^{commit}`], { seconds })
  return code === 0 ? out.trim() : undefined
}

/** A branch before a tag of the same name: tags arrive with any fetch. */
const startOf = async (common: string, ref: string): Promise<string | undefined> =>
  isRef(ref) ? ((await commitOf(common, `refs/heads/${ref}`)) ?? (await commitOf(common, ref))) : undefined

const meantBy = async (common: string, ref: string): Promise<string | undefined> => {
  if (isRef(ref) && (await commitOf(common, `refs/remotes/origin/${ref}`))) return `origin/${ref}`
  const { out } = await tellGit([`--git-dir=${common}`, 'symbolic-ref', '--quiet', '--short', 'HEAD'])
  const current = out.trim()
  return current !== '' && (await commitOf(common, 'HEAD')) ? current : undefined
}

const refsBelow = async (common: string, ...prefixes: readonly string[]): Promise<string[]> =>
  (await git([`--git-dir=${common}`, 'for-each-ref', '--count=1', '--format=%(refname)', ...prefixes]))
    .split('\n')
    .filter((name) => name !== '')

/** The branch itself, or one below it: git keeps both in the same place. */
const takenBy = async (common: string, branch: string): Promise<Found['taken']> => {
  const [found] = await refsBelow(common, `refs/heads/${branch}`)
  if (found === undefined) return undefined
  const taken = found.slice('refs/heads/'.length)
  return { branch: taken, at: await checkedOut(common, taken) }
}

/** A root that was moved, or a tree that was copied: the entry has it where it was. */
const elsewhereOf = async (common: string, path: string, place: Place): Promise<Found['elsewhere']> => {
  if (place.kind !== 'directory' || place.git !== 'file') return undefined
  const { tree } = (await readEntries(common)).find(({ gitdir }) => gitdir === place.gitdir) ?? {}
  if (tree === undefined || tree === path) return undefined
  return { tree, there: (await readPlace(tree)).kind !== 'absent' }
}

const lookInto = async ({ common }: Repository, place: Place, { path, agent, settings }: Asked) => {
  const ref = settings.branch_from ?? defaultRef
  const commit = await startOf(common, ref)
  return {
    entry: await entryAt(common, path),
    elsewhere: await elsewhereOf(common, path, place),
    commit,
    born: commit !== undefined || (await refsBelow(common)).length > 0,
    meant: commit === undefined ? await meantBy(common, ref) : undefined,
    taken: await takenBy(common, agent),
  }
}

const nothing = {
  entry: undefined,
  elsewhere: undefined,
  commit: undefined,
  born: false,
  meant: undefined,
  taken: undefined,
}

export const lookAround = async (asked: Asked): Promise<Found> => {
  const { agent, path, directory } = asked
  const ground = await groundOf(directory)
  const { repository, words } =
    ground === 'directory' ? await findRepository(directory) : { repository: undefined, words: '' }
  const place = await readPlace(path)
  const inside = repository === undefined ? nothing : await lookInto(repository, place, asked)
  return { agent, path, directory, ground, repository, words, place, ...inside }
}
