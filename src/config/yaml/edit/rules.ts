// Changes a value in a YAML document and leaves the rest, comments included, as its writer left it.
import { type Document, isMap, isScalar, isSeq, type Node, type Pair, YAMLMap } from 'yaml'

type Key = string | number
type Fields = Readonly<Record<string, unknown>>

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const nameOf = (pair: Pair): string => String(isScalar(pair.key) ? pair.key.value : pair.key)

const plain = (item: unknown): unknown => (item as Node | null)?.toJSON?.() ?? null

/** List entries keep their comments when others go or move: an entry is known by its value, else by its name. */
const entryFor = (items: readonly unknown[], value: unknown): unknown => {
  const text = JSON.stringify(value)
  const same = items.find((item) => JSON.stringify(plain(item)) === text)
  if (same !== undefined || !isFields(value) || value.name === undefined) return same
  return items.find((item) => isMap(item) && item.get('name') === value.name)
}

const merged = (document: Document, node: unknown, value: unknown): unknown => {
  if (isMap(node) && isFields(value)) {
    const kept = node.items.filter((pair) => Object.hasOwn(value, nameOf(pair)))
    for (const pair of kept) pair.value = merged(document, pair.value, value[nameOf(pair)])
    const names = new Set(kept.map(nameOf))
    const added = Object.entries(value).filter(([name, each]) => !names.has(name) && each !== undefined)
    node.items = [...kept, ...added.map(([name, each]) => document.createPair(name, each) as Pair)]
    return node
  }
  if (isSeq(node) && Array.isArray(value)) {
    const left = [...node.items]
    node.items = value.map((each) => {
      const old = entryFor(left, each)
      if (old !== undefined) left.splice(left.indexOf(old), 1)
      return merged(document, old, each)
    })
    return node
  }
  if (isScalar(node) && (typeof value !== 'object' || value === null)) {
    if (node.value !== value) node.value = value
    return node
  }
  return document.createNode(value)
}

/** Makes objects of what is absent or empty on the way. */
const open = (document: Document, keys: readonly Key[]): void => {
  if (document.contents === null) document.contents = new YAMLMap(document.schema) as never
  for (let length = 1; length < keys.length; length++) {
    const path = keys.slice(0, length)
    if (document.getIn(path) == null) document.setIn(path, new YAMLMap(document.schema))
  }
}

/** The document's text with `value` at `keys`; undefined removes the field. Changes the document. */
export const edited = (document: Document, keys: readonly Key[], value: unknown): string => {
  if (value === undefined) document.deleteIn(keys)
  else if (keys.length === 0) document.contents = merged(document, document.contents, value) as never
  else {
    open(document, keys)
    const before = document.getIn(keys, true)
    document.setIn(keys, merged(document, before, value))
  }
  return document.toString({ lineWidth: 0 })
}
