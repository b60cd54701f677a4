// A pod template by name, and the templates there are.
import { fail } from '../base/error/fail.ts'
import { nearest } from '../base/text/rules.ts'
import { layout } from '../config/layout/rules.ts'
import { validateFile } from '../config/validate.ts'
import { problemLine } from '../config/yaml/rules.ts'
import type { Problem } from '../config/yaml/schema.ts'
import { exists, namesIn, requireName } from '../role/read.ts'
import { podKind } from './kind.ts'
import type { PodFile } from './schema.ts'

export type LoadedPod = {
  readonly name: string
  readonly file: string
  readonly template: PodFile
  readonly warnings: readonly Problem[]
}

/** The names of the templates, sorted. */
export const templateNames = (root: string): Promise<readonly string[]> => namesIn(layout(root).podTemplates)

export const loadPod = async (root: string, name: string): Promise<LoadedPod> => {
  requireName('pod', name)
  const file = `${layout(root).podTemplates}/${name}.yaml`
  if (!(await exists(file))) {
    const meant = nearest(name, await templateNames(root))
    fail('pod_not_found', { name, meant: meant === undefined ? '' : ` (did you mean "${meant}"?)` })
  }
  const { value, problems, warnings } = await validateFile(file, [podKind], root)
  if (problems.length > 0) {
    fail('pod_invalid', { name, file, problems: problems.map((each) => problemLine(each, root)) })
  }
  return { name, file, template: value as PodFile, warnings }
}
