// A directory for each question, below the root, where agents neither write nor read: what the CLI needs to run.
import { existsSync, readdirSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { layout } from '../../config/layout/rules.ts'
import type { Launch } from '../../driver/schema.ts'
import { endAll } from './run.ts'

export type Place = {
  readonly directory: string
  readonly cwd: string
  readonly paths: { readonly config: string; readonly tmp: string }
  write(files: Launch['files']): Promise<void>
  remove(): Promise<void>
}

const remove = (directory: string): Promise<void> =>
  rm(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })

export const makePlace = async (root: string, cookie: string): Promise<Place> => {
  const directory = join(layout(root).reviews, cookie)
  const [cwd, config, tmp] = ['empty', 'config', 'tmp'].map((name) => join(directory, name)) as [
    string,
    string,
    string,
  ]
  await mkdir(layout(root).reviews, { recursive: true, mode: 0o700 })
  await mkdir(directory, { mode: 0o700 })
  for (const path of [cwd, config, tmp]) await mkdir(path, { mode: 0o700 })
  return {
    directory,
    cwd,
    paths: { config, tmp },
    write: async (files) => {
      for (const { path, text } of files) await writeFile(path, text, { mode: 0o600, flag: 'wx' })
    },
    remove: () => remove(directory),
  }
}

/** What a host that was killed has left: processes that nobody listens to, and their directories. */
export const clearPlaces = async (root: string): Promise<void> => {
  const { reviews } = layout(root)
  // Before anything else can happen: what is made from now on is ours.
  const names = existsSync(reviews) ? readdirSync(reviews) : []
  for (const name of names) {
    await endAll(name)
    await remove(join(reviews, name))
  }
}
