// `--override key=value`: small changes to a role for one launch. What a role may do is not small.

import type * as z from 'zod'
import { milliseconds } from '../../base/duration/rules.ts'
import { check, sentence } from '../../base/problem/rules.ts'
import { nearest } from '../../base/text/rules.ts'
import { type RoleFile, roleFile } from '../schema.ts'

const inFile = 'edit the role file'
const decides = 'what a role may do is decided in its file'
const refused: Readonly<Record<string, string>> = {
  $schema: inFile,
  name: 'it is what the role is',
  instructions: inFile,
  system_prompt: inFile,
  hooks: inFile,
  settings: inFile,
  tests: inFile,
  command: decides,
  permissions: decides,
  approvals: decides,
  permission_mode: decides,
  capabilities: decides,
  tools: decides,
  credentials: decides,
  sandbox: decides,
  review: decides,
  inherits: decides,
  project_settings: decides,
}

type Schema = z.core.$ZodTypes
type Shape = Readonly<Record<string, z.core.$ZodType>>
type Tree = Readonly<Record<string, unknown>>

const bare = (schema: z.core.$ZodType): Schema => {
  const { def } = (schema as Schema)._zod
  return def.type === 'optional' ? bare(def.innerType) : (schema as Schema)
}
const shapeOf = (schema: Schema): Shape | undefined => {
  const { def } = schema._zod
  return def.type === 'object' ? def.shape : undefined
}
const fieldOf = (shape: Shape, key: string): Schema | undefined => {
  const field = Object.hasOwn(shape, key) ? shape[key] : undefined
  return field && bare(field)
}

type Leaf = { readonly schema: Schema } | { readonly problem: string }

const unknown = (key: string, done: readonly string[], word: string, candidates: readonly string[]): Leaf => {
  const meant = nearest(word, candidates)
  const rest = key.split('.').slice(done.length + 1)
  const hint = meant === undefined ? '' : ` (did you mean ${[...done, meant, ...rest].join('.')}?)`
  return { problem: `unknown key ${key}${hint}` }
}

const find = (key: string): Leaf => {
  const words = key.split('.')
  let schema: Schema = roleFile
  for (const [place, word] of words.entries()) {
    const shape = shapeOf(schema)
    const done = words.slice(0, place)
    if (shape === undefined) return { problem: `unknown key ${key}: ${done.join('.')} is a single value` }
    if (place === 0 && Object.hasOwn(refused, word)) {
      return { problem: `${word} cannot be overridden: ${refused[word]}` }
    }
    const open = Object.keys(shape).filter((each) => place > 0 || !Object.hasOwn(refused, each))
    const field = fieldOf(shape, word)
    if (field === undefined) return unknown(key, done, word, open)
    schema = field
  }
  const inner = shapeOf(schema)
  if (inner === undefined) return { schema }
  const example = Object.keys(inner)[0]
  return { problem: `${key} is a block: name one of its keys, such as ${key}.${example}` }
}

const coerce = (schema: Schema, text: string): unknown => {
  const { type } = schema._zod.def
  if (type === 'boolean' && /^(true|false)$/i.test(text)) return text.toLowerCase() === 'true'
  if (type === 'number' && /^[+-]?\d+(\.\d+)?$/.test(text)) return Number(text)
  return text
}

const place = (tree: Tree, keys: readonly string[], value: unknown): Tree => {
  const [first = '', ...rest] = keys
  if (rest.length === 0) return { ...tree, [first]: value }
  return { ...tree, [first]: place((tree[first] as Tree | undefined) ?? {}, rest, value) }
}

const amount = (value: unknown): number => (typeof value === 'string' ? milliseconds(value) : Number(value))

const looser = (role: RoleFile, key: string, value: unknown): boolean => {
  const [block, limit] = key.split('.')
  // Counted anew each day, the same limits are wider ones.
  if (key === 'budget.per') return role.budget !== undefined && role.budget.per !== value
  const before = block === 'budget' ? role.budget?.[limit as keyof typeof role.budget] : undefined
  return before !== undefined && amount(value) > amount(before)
}

type One = { readonly keys: readonly string[]; readonly value: unknown } | { readonly problem: string }

const read = (role: RoleFile, text: string): One => {
  const equals = text.indexOf('=')
  const key = text.slice(0, Math.max(equals, 0)).trim()
  if (key === '') return { problem: `"${text}" must be key=value, such as worktree.enabled=true` }
  const leaf = find(key)
  if ('problem' in leaf) return leaf
  const written = text.slice(equals + 1)
  const checked = check(leaf.schema as unknown as z.ZodType, coerce(leaf.schema, written))
  if ('issues' in checked) {
    return { problem: `${key} ${checked.issues.map((each) => sentence(each)).join('; ')}` }
  }
  if (looser(role, key, checked.value)) {
    return { problem: `${key} can only be made tighter than in the role` }
  }
  return { keys: key.split('.'), value: checked.value }
}

export type Overridden =
  | { readonly role: RoleFile; readonly overrides: Readonly<Record<string, string>> }
  | { readonly problems: readonly string[] }

/** All or nothing: one bad override and none holds. `overrides` is what the session records. */
export const applyOverrides = (role: RoleFile, given: readonly string[]): Overridden => {
  const problems: string[] = []
  const overrides: Record<string, string> = {}
  let changed: Tree = role
  for (const text of given) {
    const one = read(role, text)
    if ('problem' in one) {
      problems.push(one.problem)
      continue
    }
    changed = place(changed, one.keys, one.value)
    overrides[one.keys.join('.')] = text.slice(text.indexOf('=') + 1)
  }
  return problems.length > 0 ? { problems } : { role: changed as RoleFile, overrides }
}
