// What the variables of a line may hold: the values it gives them itself, wherever it does.

import type { Values } from '../expand/rules.ts'
import type { Parts, Simple } from '../syntax/schema.ts'

const textOf = (parts: Parts | undefined): string | undefined => {
  if (parts === undefined || parts.some((part) => 'hole' in part)) return undefined
  return parts.map((part) => ('text' in part ? part.text : '')).join('')
}

const first = (simple: Simple): string => textOf(simple.words[0] ?? []) ?? ''

/** These give names new values that are not in the text. */
const setters = new Set(
  'read mapfile readarray getopts printf wait unset declare typeset local export readonly let'.split(' '),
)

/** After these nobody knows what a name holds. */
const breakers = new Set('eval source . trap emulate'.split(' '))

const plain = ([first]: Parts): boolean =>
  first !== undefined && 'text' in first && !first.quoted && /^\w+=/.test(first.text)

type Known = { readonly values: Set<string>; lost: boolean; since: number }

export type Names = (simple: Simple, index: number) => readonly Values[]

const holesOf = (simple: Simple): Set<string> => {
  const names = new Set<string>()
  const look = (parts: Parts | undefined) => {
    for (const part of parts ?? []) if ('hole' in part && part.hole !== '') names.add(part.hole)
  }
  for (const parts of simple.words) look(parts)
  for (const { value } of simple.assignments) look(value)
  for (const parts of simple.writes) look(parts)
  if (simple.feed !== undefined && simple.feed.kind !== 'pipe') look(simple.feed.parts)
  return names
}

const nothing: readonly Values[] = [new Map()]

const most = 16

/**
 * Every value that is given anywhere counts everywhere, whatever the order: loops and functions come round
 * again. A name counts as known only when it was surely set before.
 */
export const knownNames = (simples: readonly Simple[], set: Set<string>): Names => {
  const names = new Map<string, Known>()
  const entry = (name: string): Known => {
    const known = names.get(name) ?? {
      values: new Set<string>(),
      lost: false,
      since: Number.POSITIVE_INFINITY,
    }
    names.set(name, known)
    return known
  }
  let broken = false
  for (const [index, simple] of simples.entries()) {
    const name = first(simple)
    if (breakers.has(name)) broken = true
    for (const assignment of simple.assignments) {
      const known = entry(assignment.name)
      const value = textOf(assignment.value)
      if (value === undefined) known.lost = true
      else known.values.add(value)
      if (simple.sure && (simple.words.length === 0 || name === 'export'))
        known.since = Math.min(known.since, index)
    }
    if (!setters.has(name)) continue
    for (const parts of simple.words.slice(1)) {
      // `export x=1` was read as an assignment; `export "x=1"` was not.
      if ((name === 'export' || name === 'readonly') && plain(parts)) continue
      const text = textOf(parts)
      if (text === undefined) broken ||= name !== 'printf' && name !== 'let'
      else if (/^-\w*n/.test(text) && name !== 'read' && name !== 'mapfile' && name !== 'readarray')
        broken = true
      else entry(/^\w*/.exec(text)?.[0] ?? '').lost = true
    }
  }
  if (names.has('IFS')) broken = true
  for (const name of names.keys()) set.add(name)
  if (broken) set.add('*')
  if (broken || names.size === 0) return () => nothing
  return (simple, index) => {
    let all: Map<string, string>[] = [new Map()]
    for (const name of holesOf(simple)) {
      const known = names.get(name)
      if (known === undefined || known.lost || known.since >= index) continue
      if (all.length * known.values.size > most) return nothing
      all = all.flatMap((values) => [...known.values].map((value) => new Map(values).set(name, value)))
    }
    return all
  }
}
