// The temporary places of one case: nothing of the machine's own home or settings is in reach.
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

export const key = 'sk-ant-fake-0123456789-abcdefghij-klmnopqrst'

export type Place = {
  dir: string
  home: string
  work: string
  config: string
  tmp: string
  /** Writes a file below `dir` and returns its path. */
  write: (path: string, content: string | object, mode?: number) => Promise<string>
  remove: () => Promise<void>
}

/** What a person has answered in the first-run dialogs. Of the key, the CLI keeps the last 20 characters. */
export const firstRun = (work: string, trusted = true) => ({
  hasCompletedOnboarding: true,
  theme: 'dark',
  bypassPermissionsModeAccepted: true,
  customApiKeyResponses: { approved: [key.slice(-20)], rejected: [] },
  projects: { [work]: { hasTrustDialogAccepted: trusted } },
})

export const makePlace = async (): Promise<Place> => {
  const dir = await mkdtemp(join(tmpdir(), 'twin-'))
  const [home, work, config, tmp] = ['home', 'work', 'config', 'tmp'].map((name) => join(dir, name)) as [
    string,
    string,
    string,
    string,
  ]
  for (const folder of [home, work, config, tmp]) await mkdir(folder)
  const write: Place['write'] = async (path, content, mode = 0o600) => {
    const file = join(dir, path)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content), { mode })
    return file
  }
  await write('config/.claude.json', firstRun(work))
  // A program that was just killed may still be writing its last file into the folder.
  const remove = () => rm(dir, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
  return { dir, home, work, config, tmp, write, remove }
}

/** The objects of a file of JSON lines; [] while it does not exist. A last, half-written line is left out. */
export const jsonLines = async <T = Record<string, unknown>>(path: string): Promise<T[]> => {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return ''
    throw error
  })
  const lines = text.split('\n')
  return lines
    .slice(0, -1)
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as T)
}

/** All files below a folder; [] while it does not exist. */
export const files = async (folder: string): Promise<string[]> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
}
