// What kind of file this is: by its place, else by what it says of itself.
import type { Kind } from './schema.ts'

const pattern = (place: string): RegExp =>
  new RegExp(`(^|/)${place.replace(/[.]/g, '\\.').replace(/\*/g, '[^/]+')}$`)

const matches = (place: string, path: string, whole: boolean): boolean => {
  const found = pattern(place).exec(path)
  return found !== null && (!whole || found.index === 0)
}

/** The kind whose place fits the path; the longest place wins. `whole`: the path is from the root. */
export const kindByPlace = (path: string, kinds: readonly Kind[], whole: boolean): Kind | undefined =>
  kinds
    .flatMap((kind) => kind.places.map((place) => ({ kind, place })))
    .filter(({ place }) => matches(place, path, whole))
    .sort((a, b) => b.place.split('/').length - a.place.split('/').length)[0]?.kind

const schemaLine = /^#\s*yaml-language-server:\s*\$schema=\S*?([\w-]+)(?:\.schema)?\.json\s*$/m

/** By its `$schema` line or field, or its `type`. */
export const kindByContent = (text: string, value: unknown, kinds: readonly Kind[]): Kind | undefined => {
  const fields = (typeof value === 'object' ? value : undefined) as Record<string, unknown> | undefined
  const said =
    schemaLine.exec(text)?.[1] ?? /([\w-]+)(?:\.schema)?\.json$/.exec(String(fields?.$schema ?? ''))?.[1]
  return (
    kinds.find(({ name }) => name === said) ??
    kinds.find(({ types = [] }) => types.includes(String(fields?.type ?? '')))
  )
}

/** `agent.yaml` is an agent's. */
export const kindByName = (path: string, kinds: readonly Kind[]): Kind | undefined => {
  const stem = path.slice(path.lastIndexOf('/') + 1).replace(/\.ya?ml$/, '')
  return kinds.find(({ name }) => name === stem)
}
