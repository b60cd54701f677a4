import type { Handler } from '../io.ts'
import { settings, text, unknownKey } from './settings.ts'

export const run: Handler = async (call) => {
  const { key = '' } = call.values
  const { all } = await settings(call)
  const found = all.find((setting) => setting.key === key) ?? unknownKey(key, all)
  return { data: found, lines: [`${text(found.value)}  (${found.origin})`] }
}
