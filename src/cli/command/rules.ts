import type { Spec } from './schema.ts'

export const nameOf = ({ words }: Pick<Spec, 'words'>): string => ['agency', ...words].join(' ')

/** The verbs of a noun, in the order of the help. */
export const verbsOf = (specs: readonly Spec[], noun: string): string[] =>
  specs.flatMap(({ words }) => (words.length > 1 && words[0] === noun ? [words[1] ?? ''] : []))
