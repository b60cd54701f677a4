// What `agency session gc` removes, and what it leaves.
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Stage, stage } from '../agent/kit.ts'
import { git } from '../kit/repository.ts'

const talk = { scripts: [{ replies: [{ text: 'Heard.', times: 0 }] }] }
const tree = ['--override', 'worktree.enabled=true']

const repository = (at: Stage): void => {
  git(at.cwd, 'init', '--quiet')
  writeFileSync(join(at.cwd, 'README.md'), 'x\n')
  git(at.cwd, 'add', '.')
  git(at.cwd, 'commit', '--quiet', '-m', 'begin')
}

const sessions = (at: Stage): string[] => readdirSync(join(at.root, 'sessions')).sort()

test('what has ended goes; what runs, holds work or is not ours stays', async () => {
  const at = await stage(talk)
  repository(at)
  for (const [name, ...more] of [['ended'], ['live'], ['clean', ...tree], ['dirty', ...tree]] as const)
    expect((await at.run(name, ...more)).code).toBe(0)
  for (const name of ['ended', 'clean', 'dirty']) expect((await at.agency(['stop', name])).code).toBe(0)
  writeFileSync(join(at.root, 'worktrees/dirty/new.txt'), 'work\n')
  const outside = join(at.folder, 'outside')
  mkdirSync(outside)
  writeFileSync(join(outside, 'precious'), 'x')
  symlinkSync(outside, join(at.root, 'sessions/link'))
  symlinkSync(outside, join(at.root, 'sessions/ended/inside'))
  const all = ['clean', 'dirty', 'ended', 'link', 'live']

  const dry = await at.agency(['session', 'gc', '--dry-run'])
  expect([dry.code, dry.out], dry.err).toEqual([
    0,
    'would remove clean; its worktree stays (`agency worktree remove clean`)\nwould remove ended\nleft dirty: its worktree holds 1 file not committed (`agency worktree remove dirty`)\nleft link: it is a symbolic link\nleft live: it runs (idle)\nNothing was removed (--dry-run).\n',
  ])
  expect(sessions(at)).toEqual(all)
  const young = (await at.json(['session', 'gc', '--older', '1'])) as { removed: object[]; left: object[] }
  expect([young.removed, young.left.length]).toEqual([[], 5])
  expect(sessions(at)).toEqual(all)
  expect((await at.agency(['session', 'gc', '--older', 'week'])).code).toBe(2)
  const agent = await at.agency(['session', 'gc'], { env: { AGENCY_ACTOR: 'live' } })
  expect([agent.code === 0, sessions(at)]).toEqual([false, all])

  const { code, out, err } = await at.agency(['session', 'gc'])
  expect([code, out], err).toEqual([
    0,
    expect.stringMatching(/^removed clean.*\nremoved ended\nleft dirty: /),
  ])
  expect(sessions(at)).toEqual(['dirty', 'link', 'live'])
  expect(readFileSync(join(outside, 'precious'), 'utf8')).toBe('x')
  expect(existsSync(join(at.root, 'worktrees/clean/README.md'))).toBe(true)
  await at.until('live', { state: 'idle' })
  // Its name is free, and a new session begins.
  expect((await at.run('ended')).code).toBe(0)
})

test('a live agent stays also while no host is up; one that was lost only goes when an age is given', async () => {
  const at = await stage(talk)
  await at.run('live')
  await at.run('lost')
  await at.killHost()
  const { pid } = (await at.keeper('lost')).found
  process.kill(pid, 'SIGKILL')
  await expect
    .poll(async () => ((await at.json(['session', 'list'])) as { sessions: object[] }).sessions, {
      timeout: 60_000,
      interval: 200,
    })
    .toMatchObject([
      { agent: 'live', role: 's', state: 'running' },
      { agent: 'lost', role: 's', state: 'lost' },
    ])
  expect((await at.agency(['session', 'gc'])).out).toMatch(
    /^left live: it runs \(keeper \d+\)\nleft lost: it was lost, not ended.*`agency session resume lost`\)\n$/,
  )
  expect(await at.json(['session', 'gc', '--older', '0'])).toMatchObject({
    removed: [{ agent: 'lost' }],
    left: [{ agent: 'live' }],
    failed: [],
  })
  expect(sessions(at)).toEqual(['live'])
})
