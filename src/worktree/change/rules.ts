// Reads what git says of two trees.
import type { Changed } from './schema.ts'

type Entry = Omit<Changed, 'bytes' | 'diff'> & { readonly blob: string }

const hows: Readonly<Record<string, Changed['how']>> = {
  A: 'added',
  M: 'changed',
  D: 'removed',
  R: 'moved',
  T: 'other kind',
}

/** `git diff-tree --raw -z`: `:mode mode blob blob status NUL path NUL`, and a second path for what was moved. */
export const entriesIn = (raw: string): readonly Entry[] => {
  const words = raw.split('\0')
  const entries: Entry[] = []
  for (let at = 0; words[at]?.startsWith(':'); ) {
    const [, , , blob = '', status = ''] = (words[at] ?? '').split(' ')
    const [one = '', other] = [words[at + 1], words[at + 2]]
    const how = hows[status.slice(0, 1)] ?? 'changed'
    const moved = how === 'moved'
    entries.push({ path: moved ? (other ?? '') : one, how, blob, ...(moved && { from: one }) })
    at += moved ? 3 : 2
  }
  return entries
}

/** All that stands in a diff below a heading begins with another sign, so a heading cannot be made up in a file. */
const sections = (diff: string): readonly string[] => {
  const found = diff.split(/^(?=diff --git )/m)
  return found.filter((section) => section.startsWith('diff --git '))
}

/** Its lines are there, or it has none. */
const isWhole = (section: string): boolean =>
  !/^Binary files .* differ$/m.test(section.split(/^@@ /m, 1)[0] ?? '')

/** undefined = the two do not fit together, so nothing is known of what is where. */
export const pair = (
  entries: readonly Entry[],
  diff: string,
  sizes: ReadonlyMap<string, number>,
): readonly Changed[] | undefined => {
  const found = sections(diff)
  let at = 0
  const changes = entries.map(({ blob, ...entry }): Changed => {
    // What became another kind is told as one that goes and one that comes.
    const count = entry.how === 'other kind' ? 2 : 1
    const own = found.slice(at, at + count)
    at += count
    const whole = own.length === count && own.every(isWhole)
    return { ...entry, bytes: sizes.get(blob) ?? 0, ...(whole && { diff: own.join('') }) }
  })
  return at === found.length ? changes : undefined
}

/** `git cat-file --batch-check=%(objectname) %(objectsize)`. */
export const sizesIn = (told: string): ReadonlyMap<string, number> =>
  new Map(
    told.split('\n').flatMap((line) => {
      const [, blob = '', size = ''] = /^([0-9a-f]{40,64}) (\d+)$/.exec(line) ?? []
      return blob === '' ? [] : [[blob, Number(size)] as const]
    }),
  )
