// A branch, tag or commit that git will be given: never an option, never a ref that git would refuse.
import * as z from 'zod'

// Blanks and invisible characters of any script: git allows them, but they read as something else.
const illegal = /[\0-\x20\x7f~^:?*[\\]|[\p{Z}\p{C}]|\.\.|@\{|\/\/|\/\.|\.lock(\/|$)|^[-/.]|[/.]$|^@$/u

export const isRef = (text: string): boolean => text.length <= 200 && text !== '' && !illegal.test(text)

export const refRule =
  'a branch, tag or commit: no blanks, not starting with a dash, no "..", "~", "^" or ":"'

export const ref = z
  .string()
  .refine(isRef, { error: `must be ${refRule}` })
  .meta({ description: 'A git ref.' })
