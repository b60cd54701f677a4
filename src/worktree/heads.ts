// The branches of a clone, read as files: git itself would read its configuration first, which an agent wrote.
import { readdir } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { readText } from '../base/file/read.ts'
import { isRef } from '../base/ref/schema.ts'

const oid = /^[0-9a-f]{40}([0-9a-f]{24})?$/
const most = 1000
const packedLimit = 16 * 1024 * 1024

const line = async (file: string): Promise<string> => {
  const read = await readText(file, { limit: 1024, nofollow: true })
  return 'text' in read ? read.text.trim() : ''
}

const packed = async (gitdir: string): Promise<readonly (readonly [string, string])[]> => {
  const read = await readText(join(gitdir, 'packed-refs'), { limit: packedLimit, nofollow: true })
  const lines = 'text' in read ? read.text.split('\n') : []
  return lines.flatMap((each) => {
    const [commit = '', ref = ''] = each.split(' ')
    return ref.startsWith('refs/heads/') ? [[ref.slice('refs/heads/'.length), commit] as const] : []
  })
}

const loose = async (gitdir: string): Promise<readonly (readonly [string, string])[]> => {
  const base = join(gitdir, 'refs/heads')
  // Gone with the rest of it, or all are packed.
  const found = await readdir(base, { recursive: true, withFileTypes: true }).catch(() => [])
  const files = found.filter((entry) => entry.isFile()).slice(0, most)
  return Promise.all(
    files.map(async ({ parentPath, name }) => {
      const file = join(parentPath, name)
      return [relative(base, file), await line(file)] as const
    }),
  )
}

export type Heads = {
  readonly branches: ReadonlyMap<string, string>
  /** The commit it stands on, where that is no branch. */
  readonly detached: string | undefined
  readonly current: string | undefined
  /** Where it stands; undefined = nothing says so. */
  readonly commit: string | undefined
}

/** What is no name or no commit is left out: nothing is guessed. */
export const readHeads = async (gitdir: string): Promise<Heads> => {
  const all = [...(await packed(gitdir)), ...(await loose(gitdir))]
  const head = await line(join(gitdir, 'HEAD'))
  const [, current] = /^ref: refs\/heads\/(.+)$/.exec(head) ?? []
  const branches = new Map(all.filter(([ref, commit]) => isRef(ref) && oid.test(commit)).slice(0, most))
  const detached = oid.test(head) ? head : undefined
  return {
    branches,
    detached,
    current: current !== undefined && isRef(current) ? current : undefined,
    commit: current === undefined ? detached : branches.get(current),
  }
}
