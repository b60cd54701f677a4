// Masks the secrets in a stream of bytes, wherever it is cut into pieces.
import { formsOf, markOf, shortest } from '../rules.ts'
import { utf8 } from '../spelling/rules.ts'

export type Masker = {
  /** What can be told by now: a view of `bytes` where nothing had to be changed, so use it before they change. */
  push(bytes: Uint8Array): Uint8Array
  /** What was held back. The stream may go on. */
  end(): Uint8Array
}

const nothing = new Uint8Array(0)

const bytesOf = (text: string): Uint8Array => Uint8Array.from(utf8(text), (byte) => byte.charCodeAt(0))

const joined = (one: Uint8Array, other: Uint8Array): Uint8Array => {
  if (one.length === 0) return other
  const both = new Uint8Array(one.length + other.length)
  both.set(one)
  both.set(other, one.length)
  return both
}

const concatenated = (parts: readonly Uint8Array[]): Uint8Array => {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

/** As far as the text goes. */
const stands = (form: Uint8Array, text: Uint8Array, at: number): boolean => {
  const length = Math.min(form.length, text.length - at)
  for (let index = 0; index < length; index += 1) if (text[at + index] !== form[index]) return false
  return true
}

type Cover = { readonly from: number; readonly to: number }
type Find = (text: Uint8Array) => readonly Cover[]

const groupsOf = <T, K>(values: readonly T[], keyOf: (value: T) => K): ReadonlyMap<K, readonly T[]> => {
  const groups = new Map<K, T[]>()
  for (const value of values) groups.set(keyOf(value), [...(groups.get(keyOf(value)) ?? []), value])
  return groups
}

const pairAt = (text: Uint8Array, at: number): number =>
  ((text[at] as number) << 8) | (text[at + 1] as number)

/**
 * All that is spelled out, in order. After Wu and Manber: the two bytes at the end of a window, as long as the shortest
 * form, say how far it may be moved on; most bytes are never looked at.
 */
const finderOf = (forms: readonly Uint8Array[]): Find => {
  const end = Math.min(...forms.map(({ length }) => length)) - 2
  const moves = new Uint8Array(0x1_0000).fill(Math.min(end + 1, 255))
  const ending = groupsOf(forms, (form) => pairAt(form, end))
  for (const form of forms)
    for (let at = 0; at <= end; at += 1) {
      const pair = pairAt(form, at)
      moves[pair] = Math.min(moves[pair] as number, end - at)
    }
  return (text) => {
    const covers: Cover[] = []
    for (let at = 0; at + end + 1 < text.length; ) {
      const pair = pairAt(text, at + end)
      const move = moves[pair] as number
      if (move === 0) {
        const fitting = (ending.get(pair) ?? []).filter((form) => stands(form, text, at))
        const to = Math.max(0, ...fitting.map(({ length }) => at + length).filter((to) => to <= text.length))
        if (to > 0) covers.push({ from: at, to })
      }
      at += move || 1
    }
    return covers
  }
}

/** From where on the text may still become a form. */
const openerOf = (forms: readonly Uint8Array[]): ((text: Uint8Array) => number) => {
  const longest = Math.max(...forms.map(({ length }) => length))
  const firsts = groupsOf(forms, ([first]) => first)
  return (text) => {
    const cut = (at: number): boolean =>
      (firsts.get(text[at]) ?? []).some((form) => at + form.length > text.length && stands(form, text, at))
    let at = Math.max(0, text.length - longest + 1)
    while (at < text.length && !cut(at)) at += 1
    return at
  }
}

export const maskerOf = (secrets: readonly string[]): Masker => {
  const forms = [...new Set(secrets.flatMap(formsOf))]
  if (forms.length === 0) return { push: (bytes) => bytes, end: () => nothing }
  const mark = bytesOf(markOf(forms))
  const spelled = forms.map(bytesOf)
  const [find, opens] = [finderOf(spelled), openerOf(spelled)]
  let held: Uint8Array = nothing
  /** So many bytes of what is held belong to a secret whose mark is out already. */
  let covered = 0
  let marked = false

  const write = (text: Uint8Array, until: number, covers: readonly Cover[]): Uint8Array => {
    if (covers.length === 0 && covered === 0) {
      if (until > 0) marked = false
      return text.subarray(0, until)
    }
    const parts: Uint8Array[] = []
    let at = Math.min(covered, until)
    let reach = covered
    const copy = (to: number): void => {
      if (to <= at) return
      parts.push(text.subarray(at, to))
      marked = false
    }
    for (const { from, to } of covers) {
      copy(Math.min(from, until))
      if (!marked) parts.push(mark)
      marked = true
      reach = Math.max(reach, to)
      at = Math.max(at, Math.min(reach, until))
    }
    copy(until)
    covered = Math.max(0, reach - until)
    return concatenated(parts)
  }

  return {
    push: (bytes) => {
      const text = joined(held, bytes)
      const open = opens(text)
      const covers = find(text).filter(({ from }) => from < open)
      const told = write(text, open, covers)
      // A copy; `slice` of a Buffer would be none.
      held = new Uint8Array(text.subarray(open))
      return told
    },
    end: () => {
      // The beginning of a secret is told by nobody who was cut off.
      const rest = held.length >= shortest ? [{ from: 0, to: held.length }] : []
      const told = write(held, held.length, rest)
      held = nothing
      covered = 0
      return told
    },
  }
}
