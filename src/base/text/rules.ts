// Text that others wrote, made safe to print; and what a mistyped word was meant to be.

// Whole escape sequences go, not just the escape: "[31m" left behind is noise.
const sequences =
  /(?:\u001b\]|\u009d)[^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)?|(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]?|\u001b[ -/]*[0-~]?/g
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g
// Direction marks can make a line read differently from what it says.
const directions = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/** Nothing in it can move the cursor, set a title, colour or reverse; line breaks and tabs stay. */
export const printable = (text: string): string =>
  text.replace(/\r\n?/g, '\n').replace(sequences, '').replace(controls, '').replace(directions, '')

/** At most `limit` characters; none is cut in half. */
export const clip = (text: string, limit: number): string => {
  if (text.length <= limit) return text
  // Only what could be shown is taken apart: the text may be huge.
  const characters = [...text.slice(0, 2 * limit)]
  return characters.length <= limit && text.length <= 2 * limit
    ? text
    : `${characters.slice(0, limit - 1).join('')}…`
}

/** Printable, on one line, at most `limit` characters. */
export const oneLine = (text: string, limit = 1000): string => {
  const line = printable(text)
    .replace(/[\s\u2028\u2029]+/g, ' ')
    .trim()
  return clip(line, limit)
}

/** On one line, one cell a character: for what is cut by counting. */
export const narrow = (text: string): string =>
  oneLine(text, 200).replace(/[^\u0020-\u007e\u00a1-\u024f]/g, '?')

/** Edits (insert, delete, replace, swap of neighbours) from one word to another. */
export const distance = (from: string, to: string): number => {
  let before: number[] = []
  let above = Array.from({ length: to.length + 1 }, (_, column) => column)
  for (let row = 1; row <= from.length; row++) {
    const line = [row]
    for (let column = 1; column <= to.length; column++) {
      const same = from[row - 1] === to[column - 1]
      const swapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
      line[column] = Math.min(
        (above[column] ?? 0) + 1,
        (line[column - 1] ?? 0) + 1,
        (above[column - 1] ?? 0) + (same ? 0 : 1),
        swapped ? (before[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      )
    }
    before = above
    above = line
  }
  return above[to.length] ?? 0
}

/** The candidate that `word` was probably meant to be; undefined where none is near enough to be helpful. */
export const nearest = (word: string, candidates: readonly string[]): string | undefined => {
  // Quadratic in the length: nobody mistypes a word this long.
  if (word.length > 64) return undefined
  const asked = word.toLowerCase()
  const ranked = candidates
    .map((candidate) => ({ candidate, edits: distance(asked, candidate.toLowerCase()) }))
    .filter(
      ({ candidate, edits }) =>
        edits <= Math.max(1, Math.floor(Math.min(asked.length, candidate.length) / 3)),
    )
    .sort((a, b) => a.edits - b.edits)
  return ranked[0]?.candidate
}
