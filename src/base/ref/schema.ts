// A branch, tag or commit that git will be given: never an option, never a ref that git would refuse.
import * as z from 'zod'

const illegal = /[\0-\x20\x7f~^:?*[\\]|\.\.|@\{|\/\/|\/\.|\.lock(\/|$)|^[-/.]|[/.]$|^@$/

export const isRef = (text: string): boolean => text.length <= 200 && text !== '' && !illegal.test(text)

export const refRule =
  'a branch, tag or commit: no blanks, not starting with a dash, no "..", "~", "^" or ":"'

export const ref = z
  .string()
  .refine(isRef, { error: `must be ${refRule}` })
  .meta({ description: 'A git ref.' })
