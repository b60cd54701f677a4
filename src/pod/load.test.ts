import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { loadPod, templateNames } from './load.ts'

const rootWith = (files: Readonly<Record<string, string>>): string => {
  const root = mkdtempSync(join(tmpdir(), 'agency-pod-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }))
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  return root
}

test('a template is read; its roles may be of pods, of the root or built in', async () => {
  const root = rootWith({
    'pods/templates/team.yaml': 'agents: [{role: lead}, {role: coder, count: 2}, {role: tester}]\n',
    'pods/templates/Other One.yaml': 'x',
    'pods/roles/lead.yaml': 'name: lead\ninstructions: i\n',
    'roles/coder.yaml': 'name: coder\ninstructions: i\n',
  })
  expect(await templateNames(root)).toEqual(['team'])
  expect(await loadPod(root, 'team')).toEqual({
    name: 'team',
    file: join(root, 'pods/templates/team.yaml'),
    template: {
      agents: [
        { role: 'lead', count: 1, overrides: {} },
        { role: 'coder', count: 2, overrides: {} },
        { role: 'tester', count: 1, overrides: {} },
      ],
    },
    warnings: [],
  })
})

test('a template that is not there, or not right, is refused with what to do', async () => {
  const root = rootWith({
    'pods/templates/team.yaml':
      'agents:\n  - {role: nope}\n  - {role: actor, overrides: {sandbox.enabled: false}}\n',
  })
  await expect(loadPod(root, 'tem')).rejects.toMatchObject({
    code: 'pod_not_found',
    exit: 2,
    message: 'There is no pod template "tem" (did you mean "team"?).',
  })
  await expect(loadPod(root, '../team')).rejects.toMatchObject({ code: 'validation_error', exit: 2 })
  await expect(loadPod(root, 'team')).rejects.toMatchObject({
    code: 'pod_invalid',
    exit: 2,
    problems: [
      'pods/templates/team.yaml:3:48 agents[1].overrides.sandbox.enabled: sandbox cannot be overridden: what a role may do is decided in its file',
      'pods/templates/team.yaml:2:12 agents[0].role must name a role: there is no "nope" (`agency role list` shows them)',
    ],
  })
  expect(await templateNames(rootWith({}))).toEqual([])
})
