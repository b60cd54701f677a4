// The source as data: path → text. What the boundary checks read, and what their planted cases change.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export type Tree = ReadonlyMap<string, string>

export const readTree = (...folders: string[]): Tree =>
  new Map(
    folders.flatMap((folder) =>
      readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && /\.(ts|tsx|mjs|js)$/.test(entry.name))
        .map((entry) => join(entry.parentPath, entry.name))
        .sort()
        .map((path): [string, string] => [path, readFileSync(path, 'utf8')]),
    ),
  )
