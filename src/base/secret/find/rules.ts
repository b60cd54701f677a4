// Finds many forms in one text, of characters or of bytes.

export type Cover = { readonly from: number; readonly to: number }
export type Find<T> = (text: T) => readonly Cover[]

type Text = { readonly length: number }
export type CodeAt<T> = (text: T, at: number) => number

/** Of two neighbours; that others share it costs time, never a hit. */
const pairAt = <T>(codeAt: CodeAt<T>, text: T, at: number): number =>
  ((codeAt(text, at) << 8) ^ codeAt(text, at + 1)) & 0xffff

/** As far as the text goes. */
const stands = <T extends Text>(codeAt: CodeAt<T>, form: T, text: T, at: number): boolean => {
  const length = Math.min(form.length, text.length - at)
  for (let index = 0; index < length; index += 1)
    if (codeAt(text, at + index) !== codeAt(form, index)) return false
  return true
}

const groupsOf = <T>(forms: readonly T[], keyOf: (form: T) => number): ReadonlyMap<number, readonly T[]> => {
  const groups = new Map<number, T[]>()
  for (const form of forms) {
    const group = groups.get(keyOf(form))
    if (group === undefined) groups.set(keyOf(form), [form])
    else group.push(form)
  }
  return groups
}

/**
 * All that is spelled out, in order. After Wu and Manber: the two places at the end of a window, as long as the
 * shortest form, say how far it may be moved on; most of the text is never looked at. No form is shorter than two.
 */
export const finderOf = <T extends Text>(forms: readonly T[], codeAt: CodeAt<T>): Find<T> => {
  const end = Math.min(...forms.map(({ length }) => length)) - 2
  const moves = new Uint8Array(0x1_0000).fill(Math.min(end + 1, 255))
  const ending = groupsOf(forms, (form) => pairAt(codeAt, form, end))
  for (const form of forms)
    for (let at = 0; at <= end; at += 1) {
      const pair = pairAt(codeAt, form, at)
      moves[pair] = Math.min(moves[pair] as number, end - at)
    }
  return (text) => {
    const covers: Cover[] = []
    for (let at = 0; at + end + 1 < text.length; ) {
      const pair = pairAt(codeAt, text, at + end)
      const move = moves[pair] as number
      if (move === 0) {
        let to = 0
        for (const form of ending.get(pair) ?? [])
          if (at + form.length <= text.length && stands(codeAt, form, text, at))
            to = Math.max(to, at + form.length)
        if (to > 0) covers.push({ from: at, to })
      }
      at += move || 1
    }
    return covers
  }
}

/** From where on the text may still become a form. */
export const openerOf = <T extends Text>(forms: readonly T[], codeAt: CodeAt<T>): ((text: T) => number) => {
  const longest = Math.max(...forms.map(({ length }) => length))
  const pairs = groupsOf(forms, (form) => pairAt(codeAt, form, 0))
  const firsts = new Set(forms.map((form) => codeAt(form, 0)))
  return (text) => {
    const cut = (at: number): boolean =>
      at + 1 === text.length
        ? firsts.has(codeAt(text, at))
        : (pairs.get(pairAt(codeAt, text, at)) ?? []).some(
            (form) => at + form.length > text.length && stands(codeAt, form, text, at),
          )
    let at = Math.max(0, text.length - longest + 1)
    while (at < text.length && !cut(at)) at += 1
    return at
  }
}
