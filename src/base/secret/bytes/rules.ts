// Masks the secrets in a stream of bytes, wherever it is cut into pieces.
import { type CodeAt, type Cover, type Find, finderOf, openerOf } from '../find/rules.ts'
import { type Sought, shortest, soughtOf } from '../rules.ts'
import { utf8 } from '../spelling/rules.ts'

export type Masker = {
  /** What can be told by now: a view of `bytes` where nothing had to be changed, so use it before they change. */
  push(bytes: Uint8Array): Uint8Array
  /** What was held back. The stream may go on. */
  end(): Uint8Array
}

const nothing = new Uint8Array(0)

const bytesOf = (text: string): Uint8Array => {
  const spelled = /^[\0-\x7f]*$/.test(text) ? text : utf8(text)
  const bytes = new Uint8Array(spelled.length)
  for (let at = 0; at < bytes.length; at += 1) bytes[at] = spelled.charCodeAt(at)
  return bytes
}

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

const byteAt: CodeAt<Uint8Array> = (bytes, at) => bytes[at] as number

type Tables = {
  readonly mark: Uint8Array
  readonly find: Find<Uint8Array>
  readonly opens: (text: Uint8Array) => number
}

const masker = ({ mark, find, opens }: Tables): Masker => {
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

/** For several streams: what is looked for is prepared once. */
export const maskersFor = ({ forms, mark }: Sought): (() => Masker) => {
  if (forms.length === 0) return () => ({ push: (bytes) => bytes, end: () => nothing })
  const spelled = forms.map(bytesOf)
  const tables = { mark: bytesOf(mark), find: finderOf(spelled, byteAt), opens: openerOf(spelled, byteAt) }
  return () => masker(tables)
}

export const maskerOf = (secrets: readonly string[]): Masker => maskersFor(soughtOf(secrets))()
