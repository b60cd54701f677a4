// The secrets of a session: nothing that a headless child prints is written, or shown to anybody, with one of them in it.
import { type Masker, maskerOf } from '../base/secret/bytes/rules.ts'
import { type Mask, maskOf } from '../base/secret/rules.ts'
import type { Stream } from './schema.ts'

export type Masking = {
  /** From now on these too. Those of a launch before stay: something it left may still print. */
  add(secrets: readonly string[]): void
  readonly text: Mask
  bytes(stream: Stream, bytes: Uint8Array): Uint8Array
  /** What was held back, for it might have become a secret. */
  rest(stream: Stream): Uint8Array
}

export const openMasking = (): Masking => {
  const known = new Set<string>()
  let text = maskOf([])
  let maskers = new Map<Stream, Masker>()
  const maskerFor = (stream: Stream): Masker => {
    const masker = maskers.get(stream) ?? maskerOf([...known])
    maskers.set(stream, masker)
    return masker
  }
  return {
    add: (secrets) => {
      for (const secret of secrets) known.add(secret)
      text = maskOf([...known])
      maskers = new Map()
    },
    text: (said) => text(said),
    bytes: (stream, bytes) => maskerFor(stream).push(bytes),
    rest: (stream) => maskerFor(stream).end(),
  }
}
