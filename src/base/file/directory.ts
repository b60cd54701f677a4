// Makes a directory and those above it.
import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code

const makeOne = async (path: string, mode: number): Promise<void> => {
  await mkdir(path, { mode }).catch((error: unknown) => {
    if (codeOf(error) !== 'EEXIST') throw error
  })
}

/**
 * Node's own `recursive` never returns where the system says ENOENT below a directory that is there, as /proc
 * does; here each directory is tried twice, then that is the error.
 */
export const makeDirectory = async (path: string, mode: number): Promise<void> => {
  try {
    await makeOne(path, mode)
  } catch (error) {
    if (codeOf(error) !== 'ENOENT' || dirname(path) === path) throw error
    await makeDirectory(dirname(path), mode)
    await makeOne(path, mode)
  }
}
