// A headless task within the walls that it has by default: it works there, sees nothing else, and leaves nothing.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Scenario } from '../../src/driver/scripted/scenario/schema.ts'
import { findKeepers } from '../../src/keeper/find.ts'
import { members } from '../../src/keeper/members.ts'
import { type Stage, stage } from '../agent/kit.ts'
import { ask } from '../agent/tasks.ts'
import { git } from '../kit/repository.ts'
import { needWalls, patience, secret } from './kit.ts'

needWalls()

const bash = (command: string) => ({ calls: [{ name: 'Bash', input: { command } }] })

/** No word of a sandbox: a headless agent has one, and nothing is asked inside it. */
const staged = async (scenario: Scenario, file = '', role = ''): Promise<Stage> => {
  const at = await stage(scenario, {
    s: `name: s\nagent_type: scripted\ninstructions: Work.\npermission_mode: bypassPermissions\n${role}`,
  })
  mkdirSync(join(at.root, 'agents/ag'), { recursive: true })
  writeFileSync(join(at.root, 'agents/ag/config.yaml'), `role: s\n${file}`)
  writeFileSync(join(at.home, 'secret'), secret)
  at.env.GITHUB_TOKEN = secret
  expect((await at.agency(['start'])).code).toBe(0)
  return at
}

const give = async (at: Stage, body: object): Promise<string> => {
  const got = await ask(at, 'POST', '/agents/ag/task', body)
  expect(got, JSON.stringify(got.body)).toMatchObject({ status: 201 })
  return got.body.task_id
}
const show = async (at: Stage, id: string) => (await ask(at, 'GET', `/agents/ag/task/${id}`)).body
const untilState = async (at: Stage, id: string, state: string) => {
  await expect.poll(async () => (await show(at, id)).state, patience).toBe(state)
  return show(at, id)
}

test('it works in the directory of its session and sees nothing of anybody else', async () => {
  const look = `env > env.txt; cat ~/secret ${'$'}AGENCY_ROOT/token /etc/shadow > stolen.txt 2>&1; touch ~/x; perl -e 'open(F, ">", "../x")'; exit 0`
  const at = await staged({ scripts: [{ replies: [bash(look), { text: 'Done.' }] }] })
  const done = await untilState(
    at,
    await give(at, { prompt: 'go', env: { COLOUR: 'blue-as-the-sky' } }),
    'completed',
  )
  const place = join(at.root, 'work', done.session_id)
  expect(readdirSync(place).sort()).toEqual(['env.txt', 'stolen.txt'])
  const env = readFileSync(join(place, 'env.txt'), 'utf8')
  expect(env).toContain('COLOUR=blue-as-the-sky')
  expect(env).not.toContain(secret)
  expect(readFileSync(join(place, 'stolen.txt'), 'utf8')).not.toContain(secret)
  await expect.poll(() => findKeepers(at.root), patience).toEqual([])
})

test('cancelled, nothing is left of it, not even what fled from its group', async () => {
  const flee = 'setsid sh -c "sleep 300" & touch began; sleep 300'
  const at = await staged({ scripts: [{ replies: [bash(flee)] }] })
  const id = await give(at, { prompt: 'go' })
  const { session_id } = await show(at, id)
  const place = join(at.root, 'work', session_id)
  await expect.poll(() => readdirSync(place), patience).toContain('began')
  const [keeper] = await findKeepers(at.root)
  await ask(at, 'POST', `/agents/ag/task/${id}/cancel`, {})
  await untilState(at, id, 'cancelled')
  expect(members({ cookie: keeper?.cookie ?? '', except: [] })).toEqual([])
})

test('in a repository it works on a clone of its own', async () => {
  const work =
    'echo new > file.txt; git add -A; git -c user.name=a -c user.email=a@b commit -qm work; git log --oneline | wc -l > count'
  const at = await staged(
    { scripts: [{ replies: [bash(work), { text: 'Done.' }] }] },
    `root_dir: ${'REPO'}\n`,
    'worktree: { enabled: true }\n',
  )
  const repository = join(at.folder, 'repository')
  mkdirSync(repository)
  git(repository, 'init', '-q', '-b', 'main')
  git(repository, '-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-q', '--allow-empty', '-m', 'first')
  writeFileSync(join(at.root, 'agents/ag/config.yaml'), `role: s\nroot_dir: ${repository}\n`)
  await at.agency(['down'])
  await at.agency(['start'])
  await untilState(at, await give(at, { prompt: 'go' }), 'completed')
  expect(readFileSync(join(at.root, 'worktrees/ag/count'), 'utf8').trim()).toBe('2')
  expect(readdirSync(repository)).toEqual(['.git'])
  expect(git(repository, 'log', '--format=%s', 'ag').split('\n')).toEqual(['work', 'first'])
})

test('without walls it is not done at all', async () => {
  const at = await staged({ scripts: [{ replies: [{ text: 'Done.' }] }] })
  writeFileSync(
    join(at.root, 'agents/ag/config.yaml'),
    'role: s\nsandbox: { read_write_paths: [/nowhere/at/all] }\n',
  )
  await at.agency(['down'])
  await at.agency(['start'])
  const failed = await untilState(at, await give(at, { prompt: 'go' }), 'failed')
  expect(failed.error).toMatchObject({ type: 'sandbox_error', message: expect.stringContaining('/nowhere') })
})
