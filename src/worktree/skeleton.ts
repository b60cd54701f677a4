// Git on the files of a tree, without the configuration of its repository: a git directory of our own over the
// repository's objects. Switching filters off one by one was the other way: they are named by whoever writes
// the configuration, who can add one between the look and the checkout.
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { readText } from '../base/file/read.ts'
import { git, type Run } from './git.ts'
import { command, harmless } from './text/rules.ts'

export type Bones = {
  readonly common: string
  readonly tree: string
  readonly index: string
  /** The commit that HEAD stands for; undefined = none yet. */
  readonly head: string | undefined
}
export type Tell = (args: readonly string[], run?: Run) => Promise<string>

const configOf = async (common: string): Promise<string> =>
  harmless(await git(['config', '--file', join(common, 'config'), '--no-includes', '--list', '-z']))

export const withSkeleton = async <T>(bones: Bones, work: (tell: Tell) => Promise<T>): Promise<T> => {
  const { common, tree, index, head } = bones
  const own = await mkdtemp(join(tmpdir(), 'agency-git-'))
  try {
    await mkdir(join(own, 'refs'))
    await mkdir(join(own, 'info'))
    await writeFile(join(own, 'HEAD'), `${head ?? 'ref: refs/heads/none'}\n`)
    await writeFile(join(own, 'config'), await configOf(common))
    const ignored = await readText(join(common, 'info/exclude'), { nofollow: true })
    if ('text' in ignored) await writeFile(join(own, 'info/exclude'), ignored.text)
    // A split index is looked for beside HEAD.
    for (const name of (await readdir(dirname(index))).filter((each) => each.startsWith('sharedindex.')))
      await symlink(join(dirname(index), name), join(own, name))
    const env = { GIT_OBJECT_DIRECTORY: join(common, 'objects'), GIT_INDEX_FILE: index }
    return await work((args, run = {}) =>
      git([`--git-dir=${own}`, `--work-tree=${tree}`, ...args], {
        like: command('git', '-C', tree, ...args),
        ...run,
        env: { ...run.env, ...env },
      }),
    )
  } finally {
    await rm(own, { recursive: true, force: true })
  }
}
