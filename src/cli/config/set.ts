import { parse } from 'yaml'
import { fail } from '../../base/error/fail.ts'
import { layout } from '../../config/layout/rules.ts'
import { config, configVariables } from '../../config/schema.ts'
import { writeValue } from '../../config/yaml/write.ts'
import type { Handler } from '../io.ts'
import { settings, text, unknownKey } from './settings.ts'

const read = (value: string): unknown => {
  try {
    return parse(value, { logLevel: 'error' })
  } catch (error) {
    const expected = 'YAML on one line'
    return fail('bad_value', {
      value,
      what: 'the argument value',
      expected,
      hint: 'Put it in quotes: \'"…"\'.',
      cause: error,
    })
  }
}

export const run: Handler = async (call) => {
  const { key = '', value: typed = '' } = call.values
  const { root, all } = await settings(call)
  const before = all.find((setting) => setting.key === key) ?? unknownKey(key, all)
  const value = typed === '' ? undefined : read(typed)
  await writeValue(layout(root).config, key.split('.'), value, config)
  const now = (await settings(call)).all.find((setting) => setting.key === key)
  const isVariable = now !== undefined && Object.hasOwn(configVariables, now.origin)
  const hidden = isVariable ? [`${now.origin} in the environment still wins over it.`] : []
  return {
    data: { key, value: now?.value, origin: now?.origin, before: before.value },
    lines: [
      `${key}: ${text(before.value)} → ${text(now?.value)}`,
      'The host reads it at its next start: `agency down`, then `agency up`.',
    ],
    warnings: hidden,
  }
}
