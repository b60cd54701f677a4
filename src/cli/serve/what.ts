// What `agency serve` was asked to run: a file that is right, and the name it has.
import { basename, dirname, join } from 'node:path'
import { agentKind } from '../../agent/kind.ts'
import type { AgentFile } from '../../agent/schema.ts'
import { fail } from '../../base/error/fail.ts'
import { namePattern, nameRule } from '../../base/name/schema.ts'
import { layout } from '../../config/layout/rules.ts'
import { realPath } from '../../config/root/look.ts'
import { validateFile } from '../../config/validate.ts'
import { problemLine } from '../../config/yaml/rules.ts'
import type { Brought } from '../../host/component.ts'
import type { Call } from '../io.ts'
import { checkName } from '../name.ts'
import { typedPath } from '../root/where.ts'

const wrongName = (value: string, expected: string, hint: string): never =>
  fail('bad_value', { value, what: 'the option --name', expected, hint })

/** In the root the directory is the name; elsewhere what is typed, what the file says, or its directory. */
const nameOf = (file: string, said: string | undefined, typed: string | undefined, root: string): string => {
  const directory = basename(dirname(file))
  if (file === layout(root).agentConfig(directory)) {
    if (typed === undefined || typed === directory) return directory
    return wrongName(
      typed,
      directory,
      `In ${layout(root).agents} the directory is the name: leave --name out.`,
    )
  }
  const name = typed ?? said ?? directory
  if (typed === undefined && !namePattern.test(name))
    wrongName(
      name,
      nameRule,
      'Its directory cannot be its name: give it one with --name, or `name:` in the file.',
    )
  return checkName('agent name', name)
}

export const whatToServe = async ({ io, values, warn }: Call, root: string): Promise<Brought> => {
  const hint = 'Type `agency serve --help` to see how it is used.'
  const typed =
    values.config ?? fail('missing_argument', { command: 'agency serve agent', what: '--config', hint })
  const path = typedPath(io, typed)
  const file = join(await realPath(dirname(path)), basename(path))
  const read = await validateFile(file, [agentKind], root)
  for (const each of read.warnings) warn(problemLine(each))
  if (read.value === undefined)
    return fail('config_invalid', { file, problems: read.problems.map((each) => problemLine(each)) })
  return { type: 'agent', name: nameOf(file, (read.value as AgentFile).name, values.name, root), file }
}
