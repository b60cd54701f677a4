import { expect, test } from 'vitest'
import * as z from 'zod'
import { kindByContent, kindByName, kindByPlace } from './rules.ts'
import type { Kind } from './schema.ts'

const kind = (name: string, places: string[], types?: string[]): Kind => ({
  name,
  places,
  schema: z.unknown(),
  ...(types && { types }),
})
const kinds = [
  kind('config', ['config.yaml']),
  kind('role', ['roles/*.yaml', 'pods/roles/*.yaml']),
  kind('agent', ['agents/*/config.yaml'], ['agent']),
  kind('director', ['directors/*/config.yaml'], ['github', 'scheduler']),
]

test.each([
  ['config.yaml', true, 'config'],
  ['roles/x.yaml', true, 'role'],
  ['pods/roles/x.yaml', true, 'role'],
  ['agents/a/config.yaml', true, 'agent'],
  ['agents/a/b/config.yaml', true, undefined],
  ['roles/deep/x.yaml', true, undefined],
  ['roles/xyaml', true, undefined],
  ['sub/roles/x.yaml', true, undefined],
  ['/somewhere/roles/x.yaml', false, 'role'],
  ['/somewhere/agents/a/config.yaml', false, 'agent'],
  ['/somewhere/config.yaml', false, 'config'],
  ['/somewhere/myconfig.yaml', false, undefined],
])('%s (from the root: %s) is %s', (path, whole, expected) => {
  expect(kindByPlace(path, kinds, whole)?.name).toBe(expected)
})

test.each([
  ['# yaml-language-server: $schema=../schemas/role.json\nname: x', {}, 'role'],
  ['#yaml-language-server: $schema=https://x/y/director.schema.json', {}, 'director'],
  ['', { $schema: './schemas/agent.json' }, 'agent'],
  ['', { type: 'scheduler' }, 'director'],
  ['', { type: 'other' }, undefined],
  ['', null, undefined],
  ['', [], undefined],
])('%j with %j is %s', (text, value, expected) => {
  expect(kindByContent(text, value, kinds)?.name).toBe(expected)
})

test('a file is known by its name at last', () => {
  expect(kindByName('/x/agent.yaml', kinds)?.name).toBe('agent')
  expect(kindByName('/x/agents.yaml', kinds)).toBeUndefined()
})
