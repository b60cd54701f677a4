// A word that begins with `@` in a prompt makes the CLI read that file, from anywhere, into the conversation:
// no call, no PreToolUse. Its own rules (`deny: Read(…)`) apply, ours would not.

/** Where the CLI sees one begin: at the start, or behind white space or one of these full stops. */
const begin = /(^|[\s\u3002\u3001\uff1f\uff01])@(?!\s)/g

/** No path is longer, and no text may make us search for its end for ever. */
const longest = 4096

/** A sentence may end behind a file name, and `#L10-20` names lines of it. */
const bare = (word: string): string => {
  let end = word.length
  while (end > 0 && '.,;:!?)]}\'"\u3002\u3001'.includes(word[end - 1] ?? '')) end--
  return word.slice(0, end).replace(/#L?\d{1,9}(-L?\d{1,9})?$/, '')
}

/**
 * Every path the prompt may make it read. Where it is not clear how much of a word is the name, all that it
 * could be are told: who decides must be content with each of them.
 */
export const mentions = (prompt: string): readonly string[] => {
  const paths = [...prompt.matchAll(begin)].flatMap((found) => {
    const start = found.index + found[0].length
    const rest = prompt.slice(start, start + longest)
    const [, quoted] = /^"([^"\n]+)"/.exec(rest) ?? []
    if (quoted !== undefined) return [quoted]
    const [word = ''] = /^(?:\\ |\S)+/.exec(rest) ?? []
    const plain = word.replaceAll('\\ ', ' ')
    return [plain, bare(plain)]
  })
  return [...new Set(paths)].filter((path) => path !== '')
}

/** Each `@` of a word is judged by all that follows it in that word, as the CLI may read it. */
const withoutFetch = (word: string): string => {
  const upwards = word.lastIndexOf('..')
  return word.replace(/(^|[\s\u3002\u3001\uff1f\uff01])@+(?=(.{0,2}))/gs, (all, before, next, at) =>
    at + all.length <= upwards || /^(["'\\/~.]|[A-Za-z]:)/.test(next) ? before : all,
  )
}

/**
 * A message of somebody else must not fetch files from outside the work tree: the `@` before such a path goes,
 * the path stays readable. Other words keep theirs, since code is full of them.
 */
export const withoutFetches = (text: string): string => text.replace(/(?:\\ |\S)+/g, withoutFetch)
