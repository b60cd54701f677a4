// Checks files of a root, or single ones, without running anything of them.
import { readdir } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { fail } from '../base/error/fail.ts'
import { readText } from '../base/file/read.ts'
import { pathText } from '../base/problem/rules.ts'
import { checkReview } from '../role/review/rules.ts'
import { realPath } from './root/look.ts'
import { type Config, config } from './schema.ts'
import { kindByContent, kindByName, kindByPlace } from './validate/rules.ts'
import type { Finding, Kind } from './validate/schema.ts'
import { type Parsed, parse } from './yaml/parse/rules.ts'
import { openToAll, readParsed } from './yaml/read.ts'
import type { Problem, Reading } from './yaml/schema.ts'

export const configKind: Kind = {
  name: 'config',
  places: ['config.yaml'],
  schema: config,
  check: ({ review }: Config) => checkReview(review),
}

export type Validated = Reading<unknown> & { readonly kind?: string }

const whole = (file: string, message: string): Problem => ({ file, line: 1, column: 1, path: '', message })

const kindOf = (file: string, text: string, value: unknown, kinds: readonly Kind[], root?: string): Kind => {
  const below = root === undefined ? '..' : relative(root, file)
  const inside = below.startsWith('..') ? undefined : kindByPlace(below, kinds, true)
  return (
    inside ??
    kindByContent(text, value, kinds) ??
    kindByPlace(file, kinds, false) ??
    kindByName(file, kinds) ??
    // Who knows what it must be gives that alone.
    (kinds.length === 1 ? kinds[0] : undefined) ??
    fail('kind_unknown', {
      file,
      places: kinds.flatMap(({ places }) => places).join(', '),
      kinds: kinds.map(({ name }) => name).join('|'),
    })
  )
}

const found = (file: string, parsed: Parsed, { keys, message, meant }: Finding): Problem => ({
  file,
  ...parsed.at(keys),
  path: pathText(keys),
  message,
  ...(meant !== undefined && { meant }),
})

const validateText = async (
  file: string,
  text: string,
  kind: Kind,
  parsed: Parsed,
  root?: string,
): Promise<Validated> => {
  // A file with nothing in it is one without fields; only what it must have is missing.
  const empty = parsed.value === null
  const { value, problems } = readParsed(file, empty ? { ...parsed, value: {} } : parsed, kind.schema)
  const base = { file, text, kind: kind.name, warnings: [] }
  const told = empty
    ? problems.map((each) => ({ ...each, message: `the file is empty: ${each.message}` }))
    : problems
  if (told.length > 0) return { ...base, problems: told }
  const findings = (await kind.check?.(value as never, { file, ...(root !== undefined && { root }) })) ?? []
  const at = (finding: Finding): Problem => found(file, parsed, finding)
  const wrong = findings.filter(({ warning }) => !warning).map(at)
  const warnings = findings.filter(({ warning }) => warning).map(at)
  return { ...base, warnings, problems: wrong, ...(wrong.length === 0 && { value }) }
}

/** Its kind is told by its place in `root`, else by its content or name; where it cannot be told, that fails. */
export const validateFile = async (
  path: string,
  kinds: readonly Kind[],
  root?: string,
): Promise<Validated> => {
  const file = join(await realPath(dirname(path)), basename(path))
  const read = await readText(file)
  if ('trouble' in read)
    return { file, problems: [whole(file, `the file ${read.says}`)], warnings: [], text: '' }
  const parsed = parse(file, read.text)
  const open = openToAll(file, read.mode)
  if (parsed.problems.length > 0) return { file, problems: parsed.problems, warnings: open, text: read.text }
  const kind = kindOf(file, read.text, parsed.value, kinds, root)
  const validated = await validateText(file, read.text, kind, parsed, root)
  return { ...validated, warnings: [...open, ...validated.warnings] }
}

const namesIn = async (directory: string): Promise<readonly string[]> => {
  try {
    return (await readdir(directory)).filter((name) => !name.startsWith('.')).sort()
  } catch (error) {
    // No such directory, or a file in its place: no files of this kind.
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return []
    throw error
  }
}

/** Paths that fit a place. The last part need not exist as a file: reading it says what is wrong. */
const expand = async (directory: string, parts: readonly string[]): Promise<readonly string[]> => {
  const [part, ...rest] = parts
  if (part === undefined) return [directory]
  const fits = new RegExp(`^${part.replace(/[.]/g, '\\.').replace(/\*/g, '.+')}$`)
  const names = (await namesIn(directory)).filter((name) => fits.test(name))
  return (await Promise.all(names.map((name) => expand(join(directory, name), rest)))).flat()
}

/** Every file of a known kind in the root. A `.yml` beside them would be passed over in silence, so it is named. */
export const validateAll = async (root: string, kinds: readonly Kind[]): Promise<readonly Validated[]> => {
  const results: Validated[] = []
  for (const place of kinds.flatMap(({ places }) => places)) {
    for (const file of await expand(root, place.split('/')))
      results.push(await validateFile(file, kinds, root))
    for (const file of await expand(root, place.replace(/\.yaml$/, '.yml').split('/'))) {
      const warning = whole(file, 'this file is not read: its name must end in .yaml')
      results.push({ file, problems: [], warnings: [warning], text: '' })
    }
  }
  return results
}
