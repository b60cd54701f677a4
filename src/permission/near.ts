// Looks at files of a work tree at once, without a thread that waits for the disk: most calls name such a file, and the
// wait costs more than all the rest of a decision. Whatever is not plain is looked at the slow way.
import { lstatSync, type Stats } from 'node:fs'
import { lstat, readFile, statfs } from 'node:fs/promises'
import { isWithin } from '../base/path/rules.ts'
import type { Facts } from './decide/schema.ts'

/** undefined = it has to be looked at the slow way. */
export type Near = (path: string) => Facts[string] | undefined

const far: Near = () => undefined

/** ext, xfs, btrfs, tmpfs, overlay, zfs, f2fs. Of any other a look may hang, and everybody would hang with it. */
const local = [0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x794c7630, 0x2fc12fc1, 0xf2f52010]

/** Where something else is mounted, by the fifth word of each line; spaces are written in octal. */
const mountsIn = async (): Promise<readonly string[]> =>
  (await readFile('/proc/self/mountinfo', 'utf8'))
    .split('\n')
    .map((line) =>
      (line.split(' ')[4] ?? '').replace(/\\([0-7]{3})/g, (_, digits) =>
        String.fromCharCode(Number.parseInt(digits, 8)),
      ),
    )

const isPlain = async (tree: string): Promise<boolean> => {
  const { type } = await statfs(tree)
  const mounts = await mountsIn()
  return local.includes(type) && !mounts.some((place) => place !== tree && isWithin(tree, place))
}

/** undefined = it is not there. */
const statOf = (path: string): Stats | undefined => lstatSync(path, { throwIfNoEntry: false })

/** `tree` is without links. */
const walked = (tree: string, { dev, ino }: Stats, path: string): ReturnType<Near> => {
  const top = statOf(tree)
  if (top?.dev !== dev || top.ino !== ino) return undefined
  for (let end = tree.length; end < path.length; ) {
    const next = path.indexOf('/', end + 1)
    end = next === -1 ? path.length : next
    const found = statOf(path.slice(0, end))
    if (found === undefined) return { exists: false, real: path }
    if (found.dev !== dev || found.isSymbolicLink()) return undefined
    if (end < path.length && !found.isDirectory()) return { exists: false, real: path }
  }
  return { exists: true, real: path }
}

/** Only Linux tells what is mounted where. */
export const nearOf = async (tree: string): Promise<Near> => {
  try {
    if (tree === '/' || process.platform !== 'linux' || !(await isPlain(tree))) return far
    const top = await lstat(tree)
    return (path) => {
      try {
        return isWithin(tree, path) ? walked(tree, top, path) : undefined
      } catch {
        // The slow way says what is wrong with it.
        return undefined
      }
    }
  } catch {
    // Not there, or not to be looked at: the slow way says so of each file.
    return far
  }
}
