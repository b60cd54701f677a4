// What a check of our own found, in the words and shape of what zod finds.
import { pathText } from '../problem/rules.ts'
import type { Issue } from '../problem/schema.ts'

/** `warning`: said, but nothing is refused for it. */
export type Remark = Issue & { readonly warning?: boolean }

type Keys = readonly (string | number)[]

export const wrong = (keys: Keys, text: string, meant?: string): Remark => {
  const path = pathText(keys)
  const joint = path === '' ? '' : /^(must|is|has|needs|cannot|may)\b/.test(text) ? ' ' : ': '
  return { path, keys, message: `${path}${joint}${text}`, ...(meant !== undefined && { meant }) }
}

export const doubt = (keys: Keys, text: string, meant?: string): Remark => ({
  ...wrong(keys, text, meant),
  warning: true,
})
