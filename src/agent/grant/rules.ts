const context = 2

/** What a change of one place in a text looks like, with the lines around it. */
export const diffOf = (before: string, after: string): string[] => {
  const [old, now] = [before.split('\n'), after.split('\n')]
  const most = Math.min(old.length, now.length)
  let [start, end] = [0, 0]
  while (start < most && old[start] === now[start]) start += 1
  while (end < most - start && old.at(-1 - end) === now.at(-1 - end)) end += 1
  const mark = (sign: string, lines: readonly string[]): string[] => lines.map((line) => `${sign} ${line}`)
  return [
    ...mark(' ', old.slice(Math.max(0, start - context), start)),
    ...mark('-', old.slice(start, old.length - end)),
    ...mark('+', now.slice(start, now.length - end)),
    ...mark(' ', old.slice(old.length - end, old.length - end + context)),
  ]
}
