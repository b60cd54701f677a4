// What an agent said, with the plans and questions in it made readable.
import { planLines } from '../plan/rules.ts'
import { type Plan, plan } from '../plan/schema.ts'
import { questionLines } from '../question/rules.ts'
import { type Question, question } from '../question/schema.ts'

export type Card =
  | { readonly kind: 'plan'; readonly plan: Plan }
  | { readonly kind: 'question'; readonly question: Question }

/** A longer block is no plan that anybody could read; nor is its JSON worth the time. */
const longest = 64 * 1024
/** Beyond as many blocks it is text like any other. */
const mostBlocks = 50

const parsed = (text: string): unknown => {
  try {
    return text.length > longest ? undefined : JSON.parse(text)
  } catch {
    // Not JSON: then it is text like any other.
    return undefined
  }
}

const cardOf = (text: string): Card | undefined => {
  const value = parsed(text)
  if (typeof value !== 'object' || value === null) return undefined
  const { data: found } = plan.safeParse(value)
  if (found !== undefined) return { kind: 'plan', plan: found }
  const { data: asked } = question.safeParse(value)
  return asked && { kind: 'question', question: asked }
}

export const cardLines = (card: Card): readonly string[] =>
  card.kind === 'plan' ? planLines(card.plan) : questionLines(card.question)

type Part = { readonly text: string; readonly card?: Card | undefined }

const isFence = (line: string): boolean => /^\s{0,3}```\s*$/.test(line)
const opensFence = (line: string): boolean => isFence(line) || /^\s{0,3}```json\s*$/.test(line)
/** Not every model puts it into a fence. */
const opensBare = (line: string): boolean => line.trimEnd() === '{'

/** For each line the next one behind it that is such; in one pass, because a text may be made of nothing else. */
const nextOf = (lines: readonly string[], is: (line: string) => boolean): readonly number[] => {
  const next: number[] = []
  let last = -1
  for (let at = lines.length - 1; at >= 0; at -= 1) {
    next[at] = last
    if (is(lines[at] ?? '')) last = at
  }
  return next
}

/** A text as what is between cards, and the cards. */
const partsOf = (text: string): readonly Part[] => {
  const whole = cardOf(text.trim())
  if (whole !== undefined) return [{ text, card: whole }]
  const lines = text.split('\n')
  const [fences, braces] = [nextOf(lines, isFence), nextOf(lines, (line) => line.trimEnd() === '}')]
  const parts: Part[] = []
  let tries = 0
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? ''
    const bare = opensBare(line)
    const end = (bare ? braces[at] : opensFence(line) ? fences[at] : -1) ?? -1
    const block = end < 0 || tries >= mostBlocks ? [] : lines.slice(at, end + 1)
    if (block.length > 0) tries += 1
    const card = block.length === 0 ? undefined : cardOf((bare ? block : block.slice(1, -1)).join('\n'))
    parts.push({ text: line, card })
    if (card !== undefined) at = end
  }
  return parts
}

/** The last plan or question in it. */
export const cardIn = (text: string): Card | undefined =>
  partsOf(text).findLast(({ card }) => card !== undefined)?.card

/** The same text, its plans and questions as people read them. */
export const readable = (text: string): string =>
  partsOf(text)
    .map(({ text: words, card }) => (card === undefined ? words : cardLines(card).join('\n')))
    .join('\n')
