import { relative } from 'node:path'
import { AgencyError, fail } from '../../base/error/fail.ts'
import { findRoot } from '../../config/root/find.ts'
import { type Validated, validateAll, validateFile } from '../../config/validate.ts'
import { problemLine } from '../../config/yaml/rules.ts'
import { kinds } from '../../director/kinds.ts'
import type { Call, Handler, Io } from '../io.ts'
import { typedPath, where } from '../root/where.ts'

/** A file can be checked where there is no root; what needs one is then not checked. */
const rootIfAny = async (io: Io): Promise<string | undefined> => {
  try {
    return (await findRoot(where(io))).directory
  } catch (error) {
    if (error instanceof AgencyError && ['root_none', 'root_untrusted', 'root_missing'].includes(error.code))
      return undefined
    throw error
  }
}

const report = (results: readonly Validated[], from: string, { warn }: Call) => {
  for (const warning of results.flatMap(({ warnings }) => warnings)) warn(problemLine(warning, from))
  return results.flatMap(({ problems }) => problems).map((problem) => problemLine(problem, from))
}

const shown = ({ file, kind }: Validated, from: string) => ({ file: relative(from, file), kind, valid: true })

const one = async (call: Call, typed: string) => {
  const { cwd = '/' } = call.io
  const result = await validateFile(typedPath(call.io, typed), kinds, await rootIfAny(call.io))
  const problems = report([result], cwd, call)
  if (problems.length > 0) fail('config_invalid', { file: typed, problems })
  return { data: { files: [shown(result, cwd)] }, lines: [`${typed} is a valid ${result.kind} file.`] }
}

const all = async (call: Call) => {
  const { directory: root } = await findRoot(where(call.io))
  const results = await validateAll(root, kinds)
  const problems = report(results, root, call)
  const bad = results.filter((each) => each.problems.length > 0).length
  if (bad > 0)
    fail('validation_error', {
      what: `${bad} of ${results.length} files of ${root} are not valid.`,
      problems,
    })
  const files = results.map((each) => shown(each, root))
  return {
    data: { root, files },
    lines: [
      ...files.map(({ file, kind }) => `${file}  ${kind ?? 'not read'}`),
      files.length === 1 ? 'The one file is valid.' : `All ${files.length} files are valid.`,
    ],
  }
}

export const run: Handler = (call) =>
  call.values.file === undefined ? all(call) : one(call, call.values.file)
