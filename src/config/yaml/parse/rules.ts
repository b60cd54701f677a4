// YAML as people write it by hand: what could mean something else than it says is an error at its place.
import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Pair,
  parseAllDocuments,
  parseDocument,
  type YAMLError,
  type YAMLMap,
} from 'yaml'
import { pathText } from '../../../base/problem/rules.ts'
import type { Problem } from '../schema.ts'

type Key = string | number
export type Place = { readonly line: number; readonly column: number }
export type Parsed = {
  /** null for a file that is empty or has only comments. */
  readonly value: unknown
  readonly problems: readonly Problem[]
  /** Where a path is; `key` = the name of the field, not its value. The nearest parent if it is not there. */
  readonly at: (keys: readonly Key[], key?: boolean) => Place
  /** For edits that keep the comments; absent where the text could not be parsed at all. */
  readonly document?: Document.Parsed
}

// Both become ordinary fields of an object in JavaScript, with more power than the writer has.
const forbidden = ['__proto__', 'constructor', 'prototype']
const plainTags = /^tag:yaml\.org,2002:(str|int|float|bool|null|map|seq)$/
// What an escape can write: NUL ends an argument of a program, half of a pair is no character.
const unwritable = /[\0\p{Surrogate}]/u
// Zero width, marks of direction and the like: two names that look the same must be the same.
const invisible = /\p{Cf}/u
const depthLimit = 100
const problemLimit = 50

/** As it will be in the object: `1`, `1.0` and `"1"` are one field. */
const keyText = (pair: Pair): string => (isScalar(pair.key) ? String(pair.key.value ?? '') : '')

const codeOf = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`

const startOf = (node: unknown): number => (node as Node | null)?.range?.[0] ?? 0

type Say = (offset: number, keys: readonly Key[], message: string) => void

const visitMap = (map: YAMLMap, keys: readonly Key[], say: Say): void => {
  const seen = new Map<string, number>()
  for (const pair of map.items) {
    const key = keyText(pair)
    const offset = startOf(pair.key)
    if (key === '') {
      say(offset, keys, 'a field needs a name of plain text')
      continue
    }
    const path = [...keys, key]
    const [unseen] = invisible.exec(key) ?? []
    if (unseen !== undefined) {
      say(
        offset,
        path,
        `the field ${pathText(path)} has an invisible character in its name (${codeOf(unseen)})`,
      )
    }
    if (forbidden.includes(key)) say(offset, path, `${pathText(path)} is not allowed as a field`)
    if (key === '<<') say(offset, path, 'merge keys (<<) are not supported: write the fields out')
    if (seen.has(key)) say(offset, path, `duplicate field ${pathText(path)}`)
    seen.set(key, offset)
    visit(pair.key as Node, path, say)
    visit(pair.value as Node | null, path, say)
  }
}

const visit = (node: Node | null, keys: readonly Key[], say: Say): void => {
  if (node === null) return
  const { anchor } = node as { anchor?: string }
  if (isAlias(node)) say(startOf(node), keys, `aliases (*${node.source}) are not supported: write it out`)
  else if (anchor !== undefined)
    say(startOf(node), keys, `anchors (&${anchor}) are not supported: write it out`)
  if (node.tag !== undefined && !plainTags.test(node.tag))
    say(startOf(node), keys, `the tag ${node.tag} is not supported`)
  if (isScalar(node) && typeof node.value === 'string' && unwritable.test(node.value))
    say(startOf(node), keys, `${pathText(keys)} has a character that no file can hold (NUL or half a pair)`)
  if (keys.length > depthLimit) say(startOf(node), [], `nested deeper than ${depthLimit} levels`)
  else if (isMap(node)) visitMap(node, keys, say)
  else if (isSeq(node))
    for (const [index, item] of node.items.entries()) visit(item as Node | null, [...keys, index], say)
}

const child = (node: unknown, key: Key): { name: unknown; value: unknown } | undefined => {
  if (isSeq(node)) {
    const item = node.items[Number(key)]
    return item === undefined ? undefined : { name: item, value: item }
  }
  const pair = isMap(node) ? node.items.find((each) => keyText(each) === String(key)) : undefined
  return pair && { name: pair.key, value: pair.value }
}

/** Offset of the deepest part of the path that is there. A field without a value is found by its name. */
const offsetOf = (document: Document, keys: readonly Key[], key: boolean): number => {
  let node: unknown = document.contents
  let offset = startOf(node)
  for (const [index, each] of keys.entries()) {
    const next = child(node, each)
    if (next === undefined) return offset
    const last = index === keys.length - 1
    offset = (last && key) || !(next.value as Node | null)?.range ? startOf(next.name) : startOf(next.value)
    node = next.value
  }
  return offset
}

/** What people did, for the errors that the parser tells in its own terms. */
const inWords: Readonly<Record<string, string>> = {
  MULTILINE_IMPLICIT_KEY: 'a line that is no `name: value` (is the colon missing, or the blank behind it?)',
  BLOCK_AS_IMPLICIT_KEY: 'two fields on one line, or a line that is indented too far',
}

const notYaml = ({ code, message }: YAMLError): string => {
  const words = Object.hasOwn(inWords, code) ? inWords[code] : undefined
  return `not valid YAML: ${words === undefined ? message : `${words} (${message})`}`
}

// Thousands of open brackets are deeper than the parser's own stack; it throws that or puts it among its errors.
const tooDeep = (error: unknown): boolean =>
  error instanceof RangeError || (error as Error).message.includes('call stack')

const documentsOf = (text: string, lines: LineCounter): Document.Parsed[] | undefined => {
  try {
    const options = { lineCounter: lines, uniqueKeys: false, merge: false, prettyErrors: false } as const
    return [...parseAllDocuments(text, options)] as Document.Parsed[]
  } catch (error) {
    if (tooDeep(error)) return undefined
    throw error
  }
}

const control = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/

export const parse = (file: string, text: string): Parsed => {
  const lines = new LineCounter()
  const place = (offset: number): Place => {
    const { line, col } = lines.linePos(offset)
    return { line: Math.max(1, line), column: Math.max(1, col) }
  }
  const documents = documentsOf(text, lines)
  if (documents === undefined) {
    const start = { line: 1, column: 1 }
    return {
      value: undefined,
      problems: [{ file, ...start, path: '', message: 'nested too deeply' }],
      at: () => start,
    }
  }
  const problems: Problem[] = []
  const say: Say = (offset, keys, message) => {
    const problem = { file, ...place(offset), path: pathText(keys), message }
    const last = problems.at(-1)
    const repeated = last?.message === message && last.line === problem.line && last.column === problem.column
    if (problems.length < problemLimit && !repeated) problems.push(problem)
  }

  const stray = control.exec(text)
  if (stray) say(stray.index, [], `control character ${JSON.stringify(stray[0])} in the text`)
  const [document = parseDocument(text), second] = documents
  if (second !== undefined) say(second.range[0], [], 'only one document (---) is allowed in a file')
  const deep = document.errors.find(tooDeep)
  if (deep !== undefined) say(deep.pos[0], [], 'nested too deeply')
  else for (const error of document.errors) say(error.pos[0], [], notYaml(error))
  // What the parser knows to be another version it reads as the newest, with a warning.
  const foreign = document.warnings.some(({ message }) => message.includes('YAML version'))
  if (foreign || document.directives.yaml.version !== '1.2') say(0, [], 'only YAML 1.2 is supported')
  // Below a place where the parser gave up there is nothing to be said.
  if (deep === undefined) visit(document.contents, [], say)
  const at = (keys: readonly Key[], key = false): Place => place(offsetOf(document, keys, key))
  return { value: problems.length > 0 ? undefined : document.toJS(), problems, at, document }
}
