// The prompts of tasks, as files: written before a task is promised.
import { mkdir, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { writeAtomic } from '../../base/file/write.ts'
import { layout } from '../../config/layout/rules.ts'
import { placesOf } from '../../keeper/find.ts'
import type { Archive } from './worker.ts'

export const archiveOf = (root: string): Archive => {
  const at = (task: string): string => join(layout(root).history, task)
  return {
    keepPrompt: async (task, number, text) => {
      await mkdir(at(task), { recursive: true, mode: 0o700 })
      await writeAtomic(join(at(task), `prompt-${number}.md`), text, 0o600)
    },
    readPrompt: (task, number) =>
      readFile(join(at(task), `prompt-${number}.md`), 'utf8').catch(() => undefined),
    keepOutput: async (task, attempt, directory) => {
      const { stdout } = placesOf(directory)
      await rename(stdout, join(at(task), `stdout-${attempt}`))
    },
  }
}
