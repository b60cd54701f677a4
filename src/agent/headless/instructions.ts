// What every headless agent is told before its role: a file of the package, unless there is one beside its config.
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { readText } from '../../base/file/read.ts'
import { packageRoot } from '../../session/programs.ts'

export const instructionsBeside = async (config: string): Promise<string> => {
  const own = await readText(join(dirname(config), 'instructions.md'))
  return 'text' in own
    ? own.text.trim()
    : (await readFile(join(packageRoot(), 'instructions/agent.md'), 'utf8')).trim()
}
