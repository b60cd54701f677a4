// Reads a YAML file against its schema. It never throws for what is in the file: that is a problem, with its place.
import type * as z from 'zod'
import { readText } from '../../base/file/read.ts'
import { check } from '../../base/problem/rules.ts'
import type { Issue } from '../../base/problem/schema.ts'
import { type Parsed, parse } from './parse/rules.ts'
import type { Problem, Reading } from './schema.ts'

const worldWritable = 0o002

/** A warning, not a problem: the file may still be what its owner wrote. */
export const openToAll = (file: string, mode: number): readonly Problem[] =>
  (mode & worldWritable) === 0
    ? []
    : [
        {
          file,
          line: 1,
          column: 1,
          path: '',
          message: 'the file is world-writable: anyone on this machine can change it (chmod o-w)',
        },
      ]

/** An issue at its place in the file. */
export const locate = (file: string, parsed: Parsed, { keys, ...issue }: Issue): Problem => ({
  file,
  ...parsed.at(keys, issue.message.startsWith('unknown field')),
  ...issue,
  message:
    issue.path === '' && issue.message.startsWith('must') ? `the file ${issue.message}` : issue.message,
})

export const readParsed = <S extends z.ZodType>(
  file: string,
  parsed: Parsed,
  schema: S,
): { value?: z.infer<S>; problems: readonly Problem[] } => {
  if (parsed.problems.length > 0) return { problems: parsed.problems }
  const checked = check(schema, parsed.value)
  if ('value' in checked) return { value: checked.value, problems: [] }
  return { problems: checked.issues.map((issue) => locate(file, parsed, issue)) }
}

export const readYaml = async <S extends z.ZodType>(
  file: string,
  schema: S,
): Promise<Reading<z.infer<S>>> => {
  const whole = { file, line: 1, column: 1, path: '' }
  const read = await readText(file)
  if ('trouble' in read)
    return { file, problems: [{ ...whole, message: `the file ${read.says}` }], warnings: [], text: '' }
  return {
    file,
    warnings: openToAll(file, read.mode),
    text: read.text,
    ...readParsed(file, parse(file, read.text), schema),
  }
}
