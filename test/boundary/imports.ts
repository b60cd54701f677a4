// Who imports whom. Type-only imports count: a type is a dependency of the reader, too.
import { posix } from 'node:path'
import type { Tree } from './tree.ts'

export type Edge = { readonly from: string; readonly to: string }

const patterns = [
  /(?:^|\n)\s*(?:import|export)\b[^'"`;]*?\bfrom\s*['"](\.{1,2}\/[^'"]+)['"]/g,
  /(?:^|\n)\s*import\s*['"](\.{1,2}\/[^'"]+)['"]/g,
  /\bimport\s*\(\s*['"](\.{1,2}\/[^'"]+)['"]\s*\)/g,
]

const withoutComments = (text: string): string =>
  text.replace(/^\s*\/\/.*$/gm, '').replace(/\/\*[\s\S]*?\*\//g, '')

export const edgesOf = (tree: Tree): Edge[] =>
  [...tree].flatMap(([from, text]) =>
    patterns.flatMap((pattern) =>
      [...withoutComments(text).matchAll(pattern)].map((found) => ({
        from,
        to: posix.normalize(posix.join(posix.dirname(from), found[1] ?? '')),
      })),
    ),
  )
