// Makes sure that what is frozen in a tree is there to be mounted over, and takes away again what was made for
// that. A mount over nothing would leave its empty file behind; so the file is ours, and known before it is made.
import { lstat, mkdir, open, readdir, rmdir, unlink, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { fail } from '../base/error/fail.ts'
import { readText } from '../base/file/read.ts'
import { writeAtomic } from '../base/file/write.ts'
import { type Frozen, frozenNames, type Places } from './policy/rules.ts'
import { type Mount, type Placeholder, placeholders } from './schema.ts'

const record = (session: string): string => join(session, 'walls.json')

const read = async (session: string): Promise<readonly Placeholder[]> => {
  const found = await readText(record(session), { nofollow: true })
  if (!('text' in found)) return []
  try {
    return placeholders.parse(JSON.parse(found.text))
  } catch {
    // Written whole and only by us; what else is there names nothing of ours.
    return []
  }
}

const write = (session: string, made: readonly Placeholder[]): Promise<void> =>
  writeAtomic(record(session), `${JSON.stringify(made)}\n`)

/** Of the other sessions of this root: two agents may work in one tree. */
const readOthers = async (session: string): Promise<readonly Placeholder[]> => {
  const all = dirname(session)
  const names = (await readdir(all)).filter((name) => name !== basename(session))
  return (await Promise.all(names.map((name) => read(join(all, name))))).flat()
}

const look = (path: string) =>
  lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })

const make = async ({ path, kind }: Placeholder): Promise<Placeholder> => {
  if (kind === 'directory') await mkdir(path, { mode: 0o700 })
  else await (await open(path, 'wx', 0o600)).close()
  const { dev: device, ino: inode } = await lstat(path)
  return { path, kind, made: { device, inode } }
}

const removeOne = async ({ path, kind, made }: Placeholder): Promise<void> => {
  const found = await look(path)
  if (found === undefined) return
  const same = made === undefined || (found.dev === made.device && found.ino === made.inode)
  if (!same) return
  try {
    if (kind === 'directory' && found.isDirectory()) await rmdir(path)
    else if (kind === 'file' && found.isFile() && found.size === 0) await unlink(path)
  } catch (error) {
    // Somebody put something into it: it is theirs now.
    if (!['ENOTEMPTY', 'EEXIST', 'ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? ''))
      throw error
  }
}

/** Takes away what an earlier `freeze` of this session made, however that session ended. */
export const thaw = async (session: string): Promise<void> => {
  const own = await read(session)
  if (own.length === 0) return
  const shared = new Set((await readOthers(session)).map(({ path }) => path))
  for (const one of own) if (!shared.has(one.path)) await removeOne(one)
  await unlink(record(session))
}

/** What is a link can be replaced inside, and what it leads to lies outside. */
const refuseLinks = async (agent: string, path: string): Promise<void> => {
  for (const each of [dirname(path), path]) {
    if ((await look(each))?.isSymbolicLink())
      fail('sandbox_error', {
        agent,
        why: `${each} is a symbolic link, which cannot be kept from being replaced`,
        fix: 'Put a file or directory in its place, or use `worktree: {enabled: true}` in the role.',
      })
  }
}

/** In a clone of ours what is missing is made for good, and git is told not to see it. */
const freezeOwn = async (tree: string, missing: readonly Frozen[]): Promise<void> => {
  for (const { name, kind, text = '' } of missing) {
    const path = join(tree, name)
    if (kind === 'directory') await mkdir(path, { recursive: true })
    else await writeFile(path, text, { flag: 'wx' })
  }
  const unseen = missing.filter(({ name }) => !name.startsWith('.git/')).map(({ name }) => `/${name}\n`)
  await writeFile(join(tree, '.git/info/exclude'), unseen.join(''), { flag: 'a' })
}

export type Freezing = { readonly agent: string; readonly session: string; readonly tree: Places['tree'] }

/** Mounts over everything frozen, all of which is there now. `thaw` is for its end. */
export const freeze = async ({ agent, session, tree }: Freezing): Promise<readonly Mount[]> => {
  await thaw(session)
  const names = frozenNames(tree)
  if (names.length === 0) return []
  const at = (name: string): string => join(tree.path, name)
  for (const { name } of names) await refuseLinks(agent, at(name))
  const looked = await Promise.all(
    names.map(async (frozen) => ({ frozen, found: await look(at(frozen.name)) })),
  )
  const missing = looked.flatMap(({ frozen, found }) => (found === undefined ? [frozen] : []))
  if (tree.kind === 'clone') await freezeOwn(tree.path, missing)
  else await freezeTheirs(session, tree.path, names, missing)
  return names.map(({ name, text = '' }) => {
    const own = tree.kind !== 'clone' && text !== '' && missing.some((each) => each.name === name)
    return { from: own ? join(session, 'walls', basename(name)) : at(name), to: at(name), access: 'read' }
  })
}

const freezeTheirs = async (
  session: string,
  tree: string,
  names: readonly Frozen[],
  missing: readonly Frozen[],
): Promise<void> => {
  const others = await readOthers(session)
  // Made by another session, which will leave it to us if it ends first.
  const shared = others.filter(({ path }) => names.some(({ name }) => path === join(tree, name)))
  const wanted = missing.map(({ name, kind }): Placeholder => ({ path: join(tree, name), kind }))
  await write(session, [...shared, ...wanted])
  await mkdir(join(session, 'walls'), { recursive: true, mode: 0o700 })
  for (const { name, text = '' } of missing)
    if (text !== '') await writeFile(join(session, 'walls', basename(name)), text, { mode: 0o600 })
  const made: Placeholder[] = []
  for (const one of wanted) made.push(await make(one))
  await write(session, [...shared, ...made])
}
