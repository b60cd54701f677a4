// Prompts with `{{.Number}}` in them.
import { nearest } from '../../base/text/rules.ts'
import { type Placeholder, placeholders } from '../forge/schema.ts'

const hole = /\{\{\s*\.?(\w+)\s*\}\}/g

/** What is put in stays as it is: a value that looks like a placeholder is not filled again. */
export const fillTemplate = (text: string, values: Readonly<Record<Placeholder, string>>): string =>
  text.replace(hole, (whole, name: string) =>
    (placeholders as readonly string[]).includes(name) ? values[name as Placeholder] : whole,
  )

export type Unknown = { readonly name: string; readonly meant?: string }

export const unknownPlaceholders = (text: string): Unknown[] => {
  const names = new Set([...text.matchAll(hole)].map(([, name = '']) => name))
  return [...names].flatMap((name) => {
    if ((placeholders as readonly string[]).includes(name)) return []
    const meant = nearest(name, placeholders)
    return [meant === undefined ? { name } : { name, meant }]
  })
}
