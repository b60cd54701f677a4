// Decisions said beforehand, as a person or a CI job asks for them.
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { world } from './kit.ts'

const coder = `name: coder
instructions: Work.
permissions:
  deny: ['Bash(git push *)']
tests:
  ask: ['Bash(make)']
  deny: ['Bash(git push)']
`

const at = async () => {
  const made = world()
  expect((await made.agency(['init'])).code).toBe(0)
  writeFileSync(join(made.root, 'roles/coder.yaml'), coder)
  return made
}

test('role explain: text, JSON calls, files as they are, and what cannot be read', async () => {
  const { agency, json, cwd, root } = await at()
  const push = await agency(['role', 'explain', 'coder', 'Bash(/usr/bin/git -C . push)'])
  expect([push.code, push.out]).toEqual([0, expect.stringContaining('denied by rules, Bash(git push *)')])
  symlinkSync('/usr/bin/git', join(cwd, 'other'))
  const linked = await agency(['role', 'explain', 'coder', 'Bash(./other push)'])
  expect(linked.out).toContain('denied by rules, Bash(git push *)')
  const designed = (path: string) =>
    json(['role', 'explain', 'designer', JSON.stringify({ tool: 'Write', input: { file_path: path } })])
  writeFileSync(join(cwd, 'there.md'), '')
  mkdirSync(join(cwd, 'deep'))
  symlinkSync(root, join(cwd, 'deep/link'))
  expect(await designed('new.md')).toMatchObject({ verdict: 'ask', by: { layer: 'claude' } })
  expect(await designed('there.md')).toMatchObject({ verdict: 'deny', by: { rule: 'can_write_files' } })
  expect(await designed('deep/link/roles/x.yaml')).toMatchObject({ verdict: 'deny', by: { layer: 'own' } })
  const { layers } = (await designed('new.md')) as { layers: { layer: string }[] }
  expect(layers.map(({ layer }) => layer)).toEqual(
    'tools own capabilities rules gate budget sandbox'.split(' '),
  )
  const bad = await agency(['role', 'explain', 'coder', 'push'])
  expect([bad.code, bad.err]).toEqual([2, expect.stringContaining('The call cannot be read')])
  expect((await agency(['role', 'explain', 'nobody', 'Bash(ls)'])).code).toBe(2)
})

test('role test: all of them, some of them, and one that does not hold', async () => {
  const { agency, json, root } = await at()
  const all = await json(['role', 'test'])
  const roles = all.roles as { role: string; tests: unknown[] }[]
  expect([all.passed, roles.map(({ role }) => role)]).toEqual([
    true,
    ['actor', 'coder', 'commander', 'designer', 'planner', 'reviewer', 'tester'],
  ])
  for (const { role, tests } of roles) if (role !== 'coder') expect(tests.length).toBeGreaterThanOrEqual(15)
  const two = await agency(['role', 'test', 'coder', 'planner'])
  expect([two.code, two.out]).toEqual([
    0,
    expect.stringMatching(/^coder +2 of 2 hold\nplanner +\d+ of \d+ hold$/m),
  ])
  writeFileSync(
    join(root, 'roles/coder.yaml'),
    coder.replace("deny: ['Bash(git push)']", "deny: ['Bash(make)']"),
  )
  const failed = await agency(['role', 'test', 'coder'])
  expect([failed.code, failed.out]).toEqual([
    1,
    expect.stringContaining('coder: Bash(make) must be denied, and is asked'),
  ])
  const { code, out } = await agency(['role', 'test', 'coder', '--json'])
  expect([code, JSON.parse(out).passed]).toEqual([1, false])
})
