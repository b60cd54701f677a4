import { fail } from '../../base/error/fail.ts'
import { pathText } from '../../base/problem/rules.ts'
import { nearest } from '../../base/text/rules.ts'
import { loadConfig } from '../../config/load.ts'
import { findRoot } from '../../config/root/find.ts'
import { leaves, shownConfig, valueAt } from '../../config/rules.ts'
import { problemLine } from '../../config/yaml/rules.ts'
import type { Call } from '../io.ts'
import { where } from '../root/where.ts'

export type Setting = { readonly key: string; readonly value: unknown; readonly origin: string }

/** Every setting of the root with where it comes from; secrets inside are masked. */
export const settings = async ({ io, warn }: Call): Promise<{ root: string; all: readonly Setting[] }> => {
  const { directory: root } = await findRoot(where(io))
  const { file, value, origins, problems, warnings } = await loadConfig(root, io.env)
  for (const warning of warnings) warn(problemLine(warning, root))
  if (value === undefined) {
    return fail('config_invalid', { file, problems: problems.map((problem) => problemLine(problem, root)) })
  }
  const shown = shownConfig(value)
  const all = leaves(shown).map((keys) => {
    const key = pathText(keys)
    return { key, value: valueAt(shown, keys), origin: origins[key] ?? 'default' }
  })
  return { root, all }
}

export const text = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

export const unknownKey = (key: string, all: readonly Setting[]): never => {
  const known = all.map((setting) => setting.key)
  const near = nearest(key, known)
  const list = 'Type `agency config list` for all of them.'
  return fail('bad_value', {
    value: key,
    what: 'the argument key',
    expected: 'a setting of config.yaml',
    hint: near === undefined ? list : `Did you mean "${near}"? ${list}`,
  })
}
