// Real repositories in temporary places, and git as a person runs it.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { rolldown } from 'rolldown'
import { onTestFinished } from 'vitest'

export const temporary = (): string => {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'agency-worktree-')))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }))
  return directory
}

const person = ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.org', '-c', 'init.defaultBranch=main']

export const git = (directory: string, ...args: readonly string[]): string =>
  execFileSync('git', [...person, '-C', directory, ...args], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  }).trim()

export const write = (file: string, text: string, mode = 0o644): string => {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text, { mode })
  return file
}

export const commit = (directory: string, files: Readonly<Record<string, string>>): string => {
  for (const [name, text] of Object.entries(files)) write(join(directory, name), text)
  git(directory, 'add', '--all')
  git(directory, 'commit', '--quiet', '--message', 'work')
  return git(directory, 'rev-parse', 'HEAD')
}

/** A root, and a repository on `main` with one commit. */
export const ground = (
  files: Readonly<Record<string, string>> = { 'a.txt': 'a\n', 'below/b.txt': 'b\n' },
) => {
  const at = temporary()
  const [root, repo] = [join(at, 'root'), join(at, 'repo')]
  mkdirSync(root)
  mkdirSync(repo)
  git(repo, 'init', '--quiet')
  const first = commit(repo, files)
  return { at, root, repo, first }
}

/** A program of its own from TypeScript, with the packages of this project. */
export const program = async (at: string, name: string, text: string): Promise<string> => {
  const here = (path: string): string => new URL(`../../${path}`, import.meta.url).pathname
  write(join(at, `${name}.ts`), text.replaceAll('SRC/', here('src/')))
  symlinkSync(here('node_modules'), join(at, 'node_modules'))
  const bundle = await rolldown({
    input: join(at, `${name}.ts`),
    platform: 'node',
    external: [/^node:/, '@photostructure/sqlite'],
    resolve: { modules: [here('node_modules')] },
  })
  await bundle.write({ file: join(at, `${name}.mjs`), format: 'esm', codeSplitting: false })
  return join(at, `${name}.mjs`)
}
