import type { Handler } from '../io.ts'
import { table } from '../output/rules.ts'
import { settings, text } from './settings.ts'

export const run: Handler = async (call) => {
  const { root, all } = await settings(call)
  const rows = all.map(({ key, value, origin }) => [key, text(value), origin])
  return { data: { root, settings: all }, lines: table([['SETTING', 'VALUE', 'FROM'], ...rows]) }
}
