import type { Handler } from '../io.ts'
import { completion, type Shell } from './rules.ts'

export const run: Handler = ({ values, specs }) => {
  const shell = values.shell as Shell
  const lines = completion(shell, specs, ['agency', 'h2'])
  return { data: { shell, script: `${lines.join('\n')}\n` }, lines }
}
