// config.yaml of a root, with where each value comes from. A bad file gives problems, no config: whoever has a
// last good one keeps it.
import { fail } from '../base/error/fail.ts'
import { readText } from '../base/file/read.ts'
import { check, pathText } from '../base/problem/rules.ts'
import type { Issue } from '../base/problem/schema.ts'
import { layout } from './layout/rules.ts'
import { leaves, valueAt, withValue } from './rules.ts'
import { type Config, config, configVariables } from './schema.ts'
import { type Parsed, parse } from './yaml/parse/rules.ts'
import { locate, openToAll } from './yaml/read.ts'
import { problemLine } from './yaml/rules.ts'
import type { Problem, Reading } from './yaml/schema.ts'

export type Env = Readonly<Record<string, string | undefined>>

/** `origins`: for each path `default`, `config.yaml:LINE` or the name of a variable. */
export type Loaded = Reading<Config> & { readonly origins: Readonly<Record<string, string>> }

type Variables = ReadonlyMap<string, { variable: string; keys: readonly string[]; value: string }>

/** By the path that each one sets. */
const variablesIn = (env: Env): Variables =>
  new Map(
    Object.entries(configVariables).flatMap(([variable, keys]) => {
      const value = env[variable]
      return value ? [[pathText(keys), { variable, keys, value }] as const] : []
    }),
  )

const textOf = async (file: string): Promise<{ text: string; mode: number } | { says: string }> => {
  const read = await readText(file)
  // Roots that h2 made have none: every default.
  return 'trouble' in read && read.trouble === 'missing' ? { text: '', mode: 0 } : read
}

const problemOf = (file: string, parsed: Parsed, variables: Variables, issue: Issue): Problem => {
  const variable = variables.get(issue.path)?.variable
  const { keys: _keys, ...said } = issue
  return variable === undefined
    ? locate(file, parsed, issue)
    : { ...said, file: variable, line: 0, column: 0 }
}

const originsOf = (
  value: Config,
  given: unknown,
  parsed: Parsed,
  variables: Variables,
): Record<string, string> => {
  const origin = (keys: readonly (string | number)[]): string => {
    if (valueAt(given, keys) === undefined) return 'default'
    return `config.yaml:${parsed.at(keys, true).line}`
  }
  const entries = leaves(value).map((keys) => [pathText(keys), keys] as const)
  return Object.fromEntries(
    entries.map(([path, keys]) => [path, variables.get(path)?.variable ?? origin(keys)]),
  )
}

/** Loaded where there are gates only: it reads shell, and most commands need none of that. */
const gateProblems = async ({ review }: Config): Promise<readonly Issue[]> => {
  if (review?.gates === undefined) return []
  const { checkReview } = await import('../role/review/rules.ts')
  return checkReview(review).filter(({ warning }) => !warning)
}

export const loadConfig = async (root: string, env: Env = process.env): Promise<Loaded> => {
  const file = layout(root).config
  const read = await textOf(file)
  if ('says' in read) {
    const problem = { file, line: 1, column: 1, path: '', message: `the file ${read.says}` }
    return { file, problems: [problem], warnings: [], text: '', origins: {} }
  }
  const parsed = parse(file, read.text)
  const base = { file, warnings: openToAll(file, read.mode), text: read.text, origins: {} }
  if (parsed.problems.length > 0) return { ...base, problems: parsed.problems }

  const variables = variablesIn(env)
  const given: unknown = parsed.value ?? {}
  const set = [...variables.values()]
  const checked = check(
    config,
    set.reduce((value, each) => withValue(value, each.keys, each.value), given),
  )
  if ('issues' in checked)
    return { ...base, problems: checked.issues.map((issue) => problemOf(file, parsed, variables, issue)) }
  const wrong = await gateProblems(checked.value)
  if (wrong.length > 0)
    return { ...base, problems: wrong.map((issue) => problemOf(file, parsed, variables, issue)) }
  const origins = originsOf(checked.value, given, parsed, variables)
  return { ...base, problems: [], value: checked.value, origins }
}

/** The config, or the failure that lists what is wrong with it. */
export const requireConfig = async (root: string, env: Env = process.env): Promise<Config> => {
  const { file, value, problems } = await loadConfig(root, env)
  return value ?? fail('config_invalid', { file, problems: problems.map((each) => problemLine(each, root)) })
}
