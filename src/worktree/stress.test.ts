// Many makers at once, in processes of their own, while a person runs git in the same repository.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { git, ground, program, write } from '../../test/kit/repository.ts'
import { createWorktree } from './create.ts'
import { listWorktrees } from './list.ts'
import { removeWorktree } from './remove.ts'

const rounds = 3
const makers = 8

/** A person's git all the while; whether it fails is git's own affair. */
const person = (at: string, repo: string): ChildProcess => {
  const child = spawn(
    'sh',
    [
      '-c',
      `while [ ! -e '${at}/stop' ]; do
         git -C '${repo}' worktree list
         git -C '${repo}' worktree add -f -B hand '${at}/hand' main
         git -C '${repo}' worktree remove --force '${at}/hand'
         git -C '${repo}' worktree prune
       done >/dev/null 2>&1`,
    ],
    { stdio: 'ignore' },
  )
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}

const leave = async (at: string, child: ChildProcess): Promise<void> => {
  const gone = once(child, 'exit')
  write(join(at, 'stop'), '')
  await gone
}

test('makers in many processes, each with trees of its own and one that all want', async () => {
  const { at, root, repo } = ground()
  const file = await program(
    at,
    'maker',
    `import { createWorktree } from 'SRC/worktree/create.ts'
     const [root, directory, id, rounds] = process.argv.slice(2)
     const made = []
     for (let round = 0; round < Number(rounds); round++)
       for (const agent of ['own-' + id + '-' + round, 'shared-' + round]) {
         const { path, reused } = await createWorktree({ root, agent, directory, settings: {} })
         made.push({ agent, path, reused })
       }
     process.stdout.write(JSON.stringify(made))`,
  )
  const beside = person(at, repo)
  const told = await Promise.all(
    Array.from({ length: makers }, async (_, id) => {
      const child = spawn(process.execPath, [file, root, repo, String(id), String(rounds)], {
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      onTestFinished(() => void child.kill('SIGKILL'))
      const [out, words]: [Buffer[], Buffer[]] = [[], []]
      child.stdout.on('data', (chunk: Buffer) => out.push(chunk))
      child.stderr.on('data', (chunk: Buffer) => words.push(chunk))
      await once(child, 'close')
      expect(String(Buffer.concat(words))).toBe('')
      return JSON.parse(String(Buffer.concat(out))) as { agent: string; path: string; reused: boolean }[]
    }),
  )
  await leave(at, beside)
  const fresh = told.flat().filter(({ reused }) => !reused)
  const agents = fresh.map(({ agent }) => agent).sort()
  // Each tree was made once; whoever came later for the shared ones found it whole.
  expect(new Set(agents).size).toBe(agents.length)
  expect(agents).toHaveLength(rounds * (makers + 1))
  const states = await listWorktrees(root, 120)
  expect(states.map(({ agent, state, branch }) => [agent, state, branch])).toEqual(
    agents.map((agent) => [agent, 'clean', agent]),
  )
  for (const { path } of fresh) expect(readFileSync(join(path, 'below/b.txt'), 'utf8')).toBe('b\n')
  expect(readdirSync(join(repo, '.git/worktrees')).sort()).toEqual(agents)
}, 600_000)

test('parallel calls in one process, making and removing', async () => {
  const { at, root, repo } = ground()
  const beside = person(at, repo)
  const agents = Array.from({ length: makers }, (_, id) => `agent-${id}`)
  for (let round = 0; round < rounds; round++) {
    const asked = [...agents, ...agents].map((agent) => ({ root, agent, directory: repo, settings: {} }))
    const made = await Promise.all(asked.map(createWorktree))
    expect(made.filter(({ reused }) => !reused)).toHaveLength(makers)
    expect((await listWorktrees(root, 120)).map(({ state }) => state)).toEqual(agents.map(() => 'clean'))
    await Promise.all(agents.map((agent) => removeWorktree({ root, agent, live: false })))
    expect(await listWorktrees(root, 120)).toEqual([])
  }
  await leave(at, beside)
  expect(git(repo, 'for-each-ref', '--format=%(refname)', 'refs/heads').split('\n')).toEqual(
    expect.not.arrayContaining([expect.stringContaining('agent-')]),
  )
}, 600_000)
