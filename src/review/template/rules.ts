import type { Setting, Template } from '../schema.ts'

/** Where no file can be read. */
export const fallback: Template = {
  id: 'default',
  text: [
    'This work must be reviewed before you may finish.',
    'Use the Agent tool with subagent_type "roz:roz" and a prompt that begins with SESSION_ID={{session_id}}, followed by a summary of what you did.',
    'Wait for its verdict. If it finds ISSUES, fix them and spawn it again.',
  ].join('\n'),
}

/** A part of a file's name. */
export const idPattern = /^[a-z0-9][a-z0-9_-]{0,63}$/i

const longest = 20_000

/** undefined = no text that could be shown: empty, huge, or broken. */
export const readable = (text: string): string | undefined =>
  text.trim() === '' || text.length > longest || /[\0\ufffd]/.test(text) ? undefined : text

/** One of the ids by weight; `chance` is in [0, 1). undefined = there is none to draw. */
export const drawn = (weights: Readonly<Record<string, number>>, chance: number): string | undefined => {
  const all = Object.entries(weights).filter(([, weight]) => weight > 0)
  let rest = all.reduce((sum, [, weight]) => sum + weight, 0) * chance
  for (const [id, weight] of all) {
    rest -= weight
    if (rest < 0) return id
  }
  return all.at(-1)?.[0]
}

/** `known` = what there are files for. A pinned one is used even where it is not known: the file may come. */
export const chosen = (
  { active, weights }: Setting['templates'],
  known: readonly string[],
  chance: number,
): string | undefined => {
  if (active !== 'random') return active
  const even = Object.fromEntries(known.map((id) => [id, 1]))
  return drawn(Object.keys(weights).length > 0 ? weights : even, chance)
}

/** Literally: a `$&` in an id is no pattern. */
export const filled = ({ text }: Template, session: string): string =>
  text.split('{{session_id}}').join(session)
