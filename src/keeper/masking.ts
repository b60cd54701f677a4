// The secrets of a session: nothing that its child tells by hooks and telemetry, or a headless one prints, is written or
// shown to anybody with one of them in it.
import { type Masker, maskersFor } from '../base/secret/bytes/rules.ts'
import { type Mask, maskFor, type Sought, soughtOf } from '../base/secret/rules.ts'
import type { Stream } from './schema.ts'

export type Masking = {
  /** From now on these too. Those of a launch before stay: something it left may still print. */
  add(secrets: readonly string[]): void
  readonly text: Mask
  /** JSON, as it came where there is nothing to mask; `whole` = fields of it that stay. */
  json(text: string, whole?: readonly string[]): string
  bytes(stream: Stream, bytes: Uint8Array): Uint8Array
  /** What was held back, for it might have become a secret. */
  rest(stream: Stream): Uint8Array
}

/** In names too: what a model calls a field is as much its own as what it says there. */
const hidden = (value: unknown, mask: Mask): unknown => {
  if (typeof value === 'string') return mask(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((each) => hidden(each, mask))
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [mask(name), hidden(each, mask)]))
}

export const openMasking = (): Masking => {
  const known = new Set<string>()
  /** Made when they are needed: a launch does not wait for it. */
  let sought: Sought | undefined
  let mask: Mask | undefined
  let another: (() => Masker) | undefined
  const all = (): Sought => {
    sought ??= soughtOf([...known])
    return sought
  }
  const text: Mask = (said) => {
    mask ??= maskFor(all())
    return mask(said)
  }
  let maskers = new Map<Stream, Masker>()
  const maskerAt = (stream: Stream): Masker => {
    another ??= maskersFor(all())
    const masker = maskers.get(stream) ?? another()
    maskers.set(stream, masker)
    return masker
  }
  return {
    add: (secrets) => {
      for (const secret of secrets) known.add(secret)
      sought = undefined
      mask = undefined
      another = undefined
      maskers = new Map()
    },
    text,
    json: (said, whole = []) => {
      // Most have none, and then no number or text in them changes on the way.
      if (text(said) === said) return said
      const fields = Object.entries(JSON.parse(said) as object)
      return JSON.stringify(
        Object.fromEntries(
          fields.map(([name, each]) =>
            whole.includes(name) ? [name, each] : [text(name), hidden(each, text)],
          ),
        ),
      )
    },
    bytes: (stream, bytes) => maskerAt(stream).push(bytes),
    rest: (stream) => maskers.get(stream)?.end() ?? new Uint8Array(0),
  }
}
