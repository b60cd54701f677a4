// kill -9 at every step: before and after each git, and at moments nobody chose. The next run must work.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { commit, git, ground, program, temporary, write } from '../../test/kit/repository.ts'
import { createWorktree } from './create.ts'
import { listWorktrees } from './list.ts'

const maker = (at: string) =>
  program(
    at,
    'maker',
    `import { createWorktree } from 'SRC/worktree/create.ts'
     import { removeWorktree } from 'SRC/worktree/remove.ts'
     const [what, root, agent, directory] = process.argv.slice(2)
     if (what === 'create') await createWorktree({ root, agent, directory, settings: {} })
     else await removeWorktree({ root, agent, live: false })`,
  )

/** A git that kills whoever started it at its n-th call, before or after the real one has run. */
const assassin = (at: string): string => {
  const real = (process.env.PATH ?? '').split(':').map((folder) => join(folder, 'git'))
  const found = real.find((path) => existsSync(path)) ?? expect.fail('no git')
  write(
    join(at, 'bin/git'),
    `#!/bin/sh
echo x >> "$HOME/calls"
n=$(wc -l < "$HOME/calls")
if [ "$n" -eq "$(cat "$HOME/at")" ] && [ "$(cat "$HOME/when")" = before ]; then kill -9 $PPID; fi
${found} "$@"
code=$?
if [ "$n" -eq "$(cat "$HOME/at")" ] && [ "$(cat "$HOME/when")" = after ]; then kill -9 $PPID; fi
exit $code
`,
    0o755,
  )
  return join(at, 'bin')
}

type End = { readonly killed: boolean; readonly words: string }
const run = async (
  file: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  ms?: number,
): Promise<End> => {
  const child = spawn(process.execPath, [file, ...args], { env, stdio: ['ignore', 'ignore', 'pipe'] })
  const words: Buffer[] = []
  child.stderr.on('data', (chunk: Buffer) => words.push(chunk))
  const timer = ms === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), ms)
  onTestFinished(() => void child.kill('SIGKILL'))
  const [, signal] = (await once(child, 'exit')) as [number | null, string | null]
  clearTimeout(timer)
  return { killed: signal === 'SIGKILL', words: String(Buffer.concat(words)) }
}

const whole = (repo: string, root: string, first: string): void => {
  const path = join(root, 'worktrees/a')
  expect(git(path, 'status', '--porcelain')).toBe('')
  expect(readFileSync(join(path, '.env'), 'utf8')).toBe('secret')
  expect(git(path, 'rev-parse', 'a', 'HEAD')).toBe(`${first}\n${first}`)
  expect(git(repo, 'worktree', 'list', '--porcelain').match(/^worktree /gm)).toHaveLength(2)
  expect(readdirSync(join(repo, '.git/worktrees'))).toEqual(['a'])
  expect(readdirSync(join(root, 'worktrees')).sort()).toEqual(['.agency', 'a'])
}

const scene = () => {
  const files: Record<string, string> = { '.gitignore': '.env\n', '.worktreeinclude': '.env\n' }
  for (let n = 0; n < 80; n++) files[`f${n}.txt`] = `${n}\n`.repeat(200)
  const made = ground(files)
  write(join(made.repo, '.env'), 'secret')
  return made
}

test.each(['before', 'after'])(
  'killed %s each git of making and removing a tree',
  async (when) => {
    const at = temporary()
    const file = await maker(at)
    const bin = assassin(at)
    const env = { ...process.env, HOME: at, TMPDIR: at, PATH: `${bin}:${process.env.PATH}` }
    write(join(at, 'when'), when)
    for (const what of ['create', 'remove']) {
      for (let n = 1; ; n++) {
        const { root, repo, first } = scene()
        const asked = { root, agent: 'a', directory: repo, settings: {} }
        if (what === 'remove') await createWorktree(asked)
        write(join(at, 'at'), String(n))
        write(join(at, 'calls'), '')
        const end = await run(file, [what, root, 'a', repo], env)
        write(join(at, 'at'), '0')
        expect(end.words).toBe('')
        if (what === 'remove') {
          const left = await run(file, [what, root, 'a', repo], env)
          if (!end.killed) expect(left.words).toContain('worktree_unknown')
          expect(existsSync(join(root, 'worktrees/a'))).toBe(false)
          expect([git(repo, 'branch', '--list', 'a'), await listWorktrees(root)]).toEqual(['', []])
          expect(
            readdirSync(join(root, 'worktrees/.agency')).filter((name) => /json|removed/.test(name)),
          ).toEqual([])
        }
        await createWorktree(asked)
        whole(repo, root, first)
        if (!end.killed) break
      }
    }
  },
  600_000,
)

test('killed at any moment, while its git goes on', async () => {
  const at = temporary()
  const file = await maker(at)
  for (let round = 0; round < 12; round++) {
    const { root, repo, first } = scene()
    // From before the first git to well into the checkout, on a fast machine and on a slow one.
    await run(file, ['create', root, 'a', repo], { ...process.env, TMPDIR: at }, 60 + round * 25)
    await createWorktree({ root, agent: 'a', directory: repo, settings: {} })
    whole(repo, root, first)
  }
})

test('git killed while it wrote the entry, the ref and the index', async () => {
  const { root, repo, first } = scene()
  const path = join(root, 'worktrees/a')
  const common = join(repo, '.git')
  const record = { agent: 'a', state: 'making', path, repository: common, branch: 'a', commit: first }
  write(join(root, 'worktrees/.agency/a.json'), JSON.stringify(record))
  write(join(common, 'worktrees/a/locked'), 'initializing')
  write(join(common, 'worktrees/a/commondir'), '')
  write(join(common, 'refs/heads/a.lock'), '')
  write(join(path, '.git'), `gitdir: ${common}/worktrees/a\n`)
  write(join(path, 'f1.txt'), 'half')
  await createWorktree({ root, agent: 'a', directory: repo, settings: {} })
  whole(repo, root, first)
})

test('work done in a tree whose record says that it is being made is not taken back', async () => {
  const { root, repo, first } = scene()
  const asked = { root, agent: 'a', directory: repo, settings: {} }
  const { path } = await createWorktree(asked)
  const file = join(root, 'worktrees/.agency/a.json')
  write(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), state: 'making' }))
  const done = commit(path, { 'work.txt': 'work' })
  write(join(path, 'draft.txt'), 'draft')
  expect(await createWorktree(asked)).toMatchObject({ reused: true })
  expect([git(path, 'rev-parse', 'HEAD'), existsSync(join(path, 'draft.txt')), done !== first]).toEqual([
    done,
    true,
    true,
  ])
})
