import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import type { Env } from './schema.ts'

const programs = ['codex', 'gemini']

const isRunnable = (file: string): boolean => {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    // Not there, or not for us: in either case it cannot be asked.
    return false
  }
}

/** What a reviewer could ask for a second opinion. */
export const opinionsOn = ({ PATH = '' }: Env): readonly string[] => {
  const folders = PATH.split(delimiter).filter((folder) => folder.startsWith('/'))
  return programs.filter((name) => folders.some((folder) => isRunnable(join(folder, name))))
}
