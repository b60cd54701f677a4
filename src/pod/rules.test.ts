import { expect, test } from 'vitest'
import { check } from '../base/problem/rules.ts'
import { checkPod, expandPod, podName } from './rules.ts'
import { podFile } from './schema.ts'

test('a template becomes agents with their names', () => {
  const template = podFile.parse({
    pod_name: 'backend',
    agents: [
      { role: 'lead' },
      { name: 'builder', role: 'coder', count: 2, overrides: { 'worktree.enabled': true, model: 'opus' } },
      { name: 'spare', role: 'coder', count: 0 },
    ],
  })
  const overrides = ['worktree.enabled=true', 'model=opus']
  expect(expandPod(template, 'p')).toEqual([
    { name: 'lead', role: 'lead', pod: 'p', overrides: [], index: 1 },
    { name: 'builder-1', role: 'coder', pod: 'p', overrides, index: 1 },
    { name: 'builder-2', role: 'coder', pod: 'p', overrides, index: 2 },
  ])
})

test.each([
  [{ flag: 'f', env: 'e', template: 't', stem: 's' }, 'f'],
  [{ env: 'e', template: 't', stem: 's' }, 'e'],
  [{ env: '', template: 't', stem: 's' }, 't'],
  [{ stem: 's' }, 's'],
])('the pod of %j is %s', (from, expected) => {
  expect(podName(from)).toBe(expected)
})

const said = (file: object): string[] => {
  const checked = check(podFile, file)
  const remarks = 'issues' in checked ? checked.issues : checkPod(checked.value)
  return remarks.map((each) => each.message)
}

test.each<[object, string[]]>([
  [{ agents: [{ name: 'a', role: 'r' }] }, []],
  [{}, ['agents is missing']],
  [
    { agents: [{ role: 'r', count: 100 }, { role: 's' }] },
    ['agents: are 101 together; a pod has at most 100'],
  ],
  [{ agents: [] }, ['agents must not be empty']],
  [{ agents: [{ name: 'a' }] }, ['agents[0].role is missing']],
  [{ agents: [{ name: '../x', role: 'r' }] }, [expect.stringContaining('agents[0].name must be a name')]],
  [{ agents: [{ name: 'all', role: 'r' }] }, ['agents[0].name: "all" is a reserved name']],
  [{ agents: [{ role: 'r' }, { role: 'r' }] }, ['agents[1].name: "r" is used twice in this pod']],
  [
    {
      agents: [
        { role: 'r', count: 2 },
        { name: 'r-2', role: 'q' },
      ],
    },
    ['agents[1].name: "r-2" is used twice in this pod'],
  ],
  [
    { agents: [{ name: 'x'.repeat(62), role: 'r', count: 2 }] },
    [`agents[0].name: "${'x'.repeat(62)}-1" is too long for a name`],
  ],
  [{ agents: [{ role: 'r', count: -1 }] }, ['agents[0].count must be at least 0']],
  [{ agents: [{ role: 'r', count: 0 }] }, ['agents[0].count is 0: none of these is launched']],
  [
    { agents: [{ role: 'r', overrides: { 'worktre.enabled': true } }] },
    ['agents[0].overrides.worktre.enabled: unknown key worktre.enabled (did you mean worktree.enabled?)'],
  ],
  [
    { agents: [{ role: 'r', overrides: { worktree: { enabled: true } } }] },
    ['agents[0].overrides.worktree must be a single value; write nested keys with dots: worktree.enabled'],
  ],
])('%j', (file, messages) => {
  expect(said(file)).toEqual(messages)
})
