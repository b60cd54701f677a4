import { expect, test } from 'vitest'
import { hooksOf, merge, read } from './rules.ts'

const hook = (command: string) => ({ hooks: [{ type: 'command' as const, command }] })

test.each([
  ['not JSON', '{', false],
  ['no object', '[]', false],
  ['a bad scalar', '{"disableAllHooks":"yes"}', false],
  ['a bad PreToolUse entry', '{"hooks":{"PreToolUse":[{"hooks":[{"type":"x"}]}]}}', false],
  ['a bad PermissionRequest entry', '{"hooks":{"PermissionRequest":[{"hooks":[{}]}]}}', false],
  ['a bad entry elsewhere', '{"hooks":{"Stop":[{"hooks":[{}]}]}}', true],
  ['something unknown', '{"later":1}', true],
])('a file with %s is taken: %#', (_, text, taken) => expect(read(text) !== undefined).toBe(taken))

test('a bad event is left out alone', () => {
  const given = read(JSON.stringify({ hooks: { Stop: [{ hooks: [{}] }], PreToolUse: [hook('a')] } }))
  expect(hooksOf(given ?? {}, 'user').map(({ event, entry }) => [event, entry.command])).toEqual([
    ['PreToolUse', 'a'],
  ])
})

const all = {
  user: { model: 'u', hooks: { Stop: [hook('u')] }, permissions: { allow: ['A'], deny: ['D'] } },
  project: { model: 'p', hooks: { Stop: [hook('p')] }, permissions: { allow: ['B'], deny: ['E'] } },
  local: { permissions: { defaultMode: 'plan' } },
  flag: { hooks: { Stop: [hook('f')] } },
}

test('hooks and rules of all add up, the strongest scalar wins', () => {
  const merged = merge(all, [], true)
  expect({ ...merged, hooks: merged.hooks.map(({ source, entry }) => [source, entry.command]) }).toEqual({
    hooks: [
      ['user', 'u'],
      ['project', 'p'],
      ['flag', 'f'],
    ],
    allow: ['A', 'B'],
    deny: ['D', 'E'],
    ask: [],
    mode: 'plan',
    model: 'p',
    untrusted: false,
    noBypass: false,
    noBypassDialog: false,
    env: {},
  })
})

test('a project that nobody trusted cannot allow, but its hooks run and its denials hold', () => {
  const { allow, deny, hooks, untrusted } = merge(all, [], false)
  expect({ allow, deny, hooks: hooks.length, untrusted }).toEqual({
    allow: ['A'],
    deny: ['D', 'E'],
    hooks: 3,
    untrusted: true,
  })
})

test.each([
  [{ project: { disableAllHooks: true } }, 0],
  [{ project: { disableAllHooks: true }, flag: { ...all.flag, disableAllHooks: false } }, 1],
  [{ user: { disableAllHooks: true }, local: { disableAllHooks: false }, flag: all.flag }, 1],
  [{ flag: { ...all.flag, disableAllHooks: true } }, 0],
])('who switches hooks off: %#', (sources, count) =>
  expect(merge({ flag: all.flag, ...sources }, [], true).hooks).toHaveLength(count),
)

test('addresses of all that name any', () => {
  expect(
    merge({ project: { allowedHttpHookUrls: ['a'] }, flag: { allowedHttpHookUrls: ['b'] } }, [], true).urls,
  ).toEqual(['a', 'b'])
  expect(merge({ project: { allowedHttpHookUrls: [] } }, [], true).urls).toEqual([])
})
