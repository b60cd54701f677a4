// Brings an index up to a tree. Git is not believed where somebody who works there could deceive it.
import { lstat, realpath } from 'node:fs/promises'
import { dirname } from 'node:path'
import { frozenNames } from '../sandbox/policy/rules.ts'
import { changed, type Ground, listing, names, type Tell } from './listing.ts'

/** A file that changes again within a second may look the same, and its times can be set: it is read anew. */
const settled = 2_000

/** Above this they are written into one file: half the time, and a twentieth of the space. */
const many = 200
const packed = ['-c', 'core.bigFileThreshold=1']

const pathOf = (tree: string, name: string): Buffer =>
  Buffer.concat([Buffer.from(`${tree}/`), Buffer.from(name, 'latin1')])

type Seen = { readonly name: string; readonly size: number; readonly file: boolean }

/** Whether a link leads to this directory: git would read through it, and then refuse to say that its files are gone. */
const linksAbove = (tree: string): ((name: string) => Promise<boolean>) => {
  const known = new Map<string, Promise<boolean>>()
  const look = (folder: string): Promise<boolean> => {
    const path = pathOf(tree, folder)
    // Gone, or a file: git sees that itself.
    return realpath(path, 'buffer').then(
      (real) => !real.equals(path),
      () => false,
    )
  }
  return (name) => {
    const folder = dirname(name)
    if (folder === '.') return Promise.resolve(false)
    const found = known.get(folder) ?? look(folder)
    known.set(folder, found)
    return found
  }
}

/** Walls make these where they are missing, and take them away again: empty, they are as good as not there. */
const placeholders: ReadonlySet<string> = new Set(
  frozenNames({ kind: 'theirs', access: 'write', path: '' })
    .filter(({ kind }) => kind === 'file')
    .map(({ name }) => name),
)

const see = async (tree: string, found: readonly string[]): Promise<readonly Seen[]> => {
  const isLinked = linksAbove(tree)
  const seen: Seen[] = []
  for (const name of found) {
    // What has gone meanwhile is told to git as all others are.
    const facts = await lstat(pathOf(tree, name)).catch(() => undefined)
    const size = facts?.isFile() ? facts.size : 0
    const empty = facts?.isFile() === true && size === 0 && placeholders.has(name)
    const file = facts?.isDirectory() !== true && !empty && !(await isLinked(name))
    seen.push({ name, size, file })
  }
  return seen
}

const youngOf = async (tree: string, list: readonly string[], since: number): Promise<readonly string[]> => {
  const young: string[] = []
  for (const name of list) {
    const facts = await lstat(pathOf(tree, name)).catch(() => undefined)
    if (facts !== undefined && facts.ctimeMs > since) young.push(name)
  }
  return young
}

/** Written into the index without what would tell that a file is still the same. */
const distrust = async (tell: Tell, young: ReadonlySet<string>): Promise<void> => {
  if (young.size === 0) return
  const entries = names(await tell(['ls-files', '-z', '--stage'])).flatMap((line) => {
    const [, mode = '', blob = '', name = ''] = /^(\d+) (\w+) 0\t(.*)$/s.exec(line) ?? []
    return young.has(name) ? [`${mode} ${blob}\t${name}`] : []
  })
  await tell(['update-index', '-z', '--index-info'], entries)
}

/** `young` are to be looked at again, whatever git says. */
export type Recorded = { readonly id: string; readonly young: readonly string[] }

export const record = async (
  where: Ground,
  tell: Tell,
  { most, before }: { readonly most: number; readonly before: readonly string[] },
): Promise<Recorded> => {
  const { tree } = where
  const began = Date.now()
  const found = await changed(tell, await listing(where))
  const seen = await see(tree, [...new Set([...found, ...before])])
  const size = seen.reduce((sum, one) => sum + one.size, 0)
  if (size > most) throw new Error(`${size} bytes are new or changed, and at most ${most} are looked at`)
  const those = (file: boolean): readonly string[] =>
    seen.filter((one) => one.file === file).map(({ name }) => name)
  await tell(['update-index', '-z', '--force-remove', '--stdin'], those(false))
  const update = ['update-index', '-z', '--add', '--remove', '--replace', '--stdin']
  await tell([...(seen.length > many ? packed : []), ...update], those(true))
  // After git has read them: whatever changed since is young too.
  const young = await youngOf(tree, those(true), began - settled)
  await distrust(tell, new Set(young))
  return { id: (await tell(['write-tree'])).trim(), young }
}
