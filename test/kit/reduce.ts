// Two small nouns that the tests of stores fold with.
import { nounOf } from '../../src/journal/rules.ts'
import type { Event, Reduce } from '../../src/journal/schema.ts'

export type Counter = { readonly total: number; readonly by: Readonly<Record<string, number>> }
export type Note = { readonly texts: readonly string[] }

const counter = (state: unknown, { type, data }: Event): Counter | undefined => {
  const { total, by } = (state ?? { total: 0, by: {} }) as Counter
  if (type === 'counter.forgotten') return undefined
  const { who, step } = data as { who: string; step: number }
  return { total: total + step, by: { ...by, [who]: (by[who] ?? 0) + step } }
}

const note = (state: unknown, { type, data }: Event): Note | undefined => {
  if (type === 'note.removed') return undefined
  if (type === 'note.refused') throw new Error('this note cannot be folded')
  const { texts } = (state ?? { texts: [] }) as Note
  return { texts: [...texts, String(data.text)] }
}

const nouns: Readonly<Record<string, Reduce>> = { counter, note }

export const reduce = (noun: string): Reduce => {
  const found = nouns[nounOf(noun)]
  if (!found) throw new Error(`no noun ${noun}`)
  return found
}
