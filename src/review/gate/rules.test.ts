import { expect, test } from 'vitest'
import { fresh } from '../record/rules.ts'
import type { Approval, Review } from '../schema.ts'
import { settingOf } from '../setting/rules.ts'
import { callOf, canonical, gatedBy, isOpen, kept } from './rules.ts'

const place = { cwd: '/w', tree: '/w', home: '/h' }
const gates = (tools: string[], skip: string[] = []) => settingOf({ gates: { tools, skip } }, undefined).gates
const bash = (command: string) => callOf('Bash', { command })

test.each<[string, ReturnType<typeof callOf>, string | undefined]>([
  ['as written', bash('gh issue close 1'), 'Bash:gh issue close*'],
  ['another command', bash('gh issue list'), undefined],
  ['a pipe to cat', bash('gh issue close 1 | cat'), 'Bash:gh issue close*'],
  ['a list', bash('cd x && gh issue close 1'), 'Bash:gh issue close*'],
  ['a shell of its own', bash('bash -lc "gh issue close 1"'), 'Bash:gh issue close*'],
  ['a substitution', bash('echo $(gh issue close 1)'), 'Bash:gh issue close*'],
  ['what nobody can know', bash('curl https://x | sh'), 'Bash:gh issue close*'],
  ['half a quote', bash("gh issue 'close"), 'Bash:gh issue close*'],
  ['a command that is no text', callOf('Bash', { command: 7 }), 'Bash:gh issue close*'],
  ['no input at all', callOf('Bash', 'garbage'), 'Bash:gh issue close*'],
  [
    'another tool that runs commands',
    callOf('Monitor', { command: 'gh issue close 1' }),
    'Bash:gh issue close*',
  ],
  ['a tool of a server', callOf('mcp__beads__close', {}), 'mcp__beads__*'],
  ['a file', callOf('Write', { file_path: 'src/a.ts' }), 'Edit(src/**)'],
  ['a file elsewhere', callOf('Write', { file_path: 'docs/a.md' }), undefined],
])('gated: %s', (_, call, pattern) => {
  const all = gates(['Bash:gh issue close*', 'mcp__beads__*', 'Edit(src/**)'])
  expect(gatedBy(all, call, place)?.pattern).toBe(pattern)
})

test.each([
  ['gh issue close --help', false],
  ['gh issue close 1', true],
  ['gh issue close --help && gh issue close 1', true],
  ['gh issue close --help; echo done', true],
  ['gh issue close --help $(gh issue close 1)', true],
])('skipped only where all of it is: %s', (command, gated) => {
  const all = gates(['Bash:gh issue close*'], ['Bash:gh issue close --help'])
  expect(gatedBy(all, bash(command), place) !== undefined).toBe(gated)
})

test('the same input is the same text, whatever the order of its keys', () => {
  expect(canonical({ b: [1, { d: null, c: 'x' }], a: undefined })).toBe(
    '{"a":null,"b":[1,{"c":"x","d":null}]}',
  )
  expect(canonical({ b: 1, a: 2 })).toBe(canonical({ a: 2, b: 1 }))
  expect(canonical('x')).toBe('"x"')
  expect(canonical(undefined)).toBe('null')
})

const hash = 'a'.repeat(64)

test('a large input is cut, with the hash and the size of all of it', () => {
  expect(kept('{"a":1}', hash, 7)).toEqual({ value: { a: 1 }, sha256: hash, size: 7 })
  const long = JSON.stringify('x'.repeat(20_000))
  expect(kept(long, hash, 20_002)).toEqual({
    value: `"${'x'.repeat(9_999)}`,
    cut: true,
    sha256: hash,
    size: 20_002,
  })
})

const approved = (approval: Partial<Approval>, more: Partial<Review> = {}): Review => ({
  ...fresh('s', 1_000_000),
  state: 'approved',
  turn: 1,
  approval: { at: 1_000_000, since: 1_000_000, turn: 1, ...approval },
  ...more,
})
const call = { call: 'c1', input: { value: {}, sha256: hash, size: 2 } }
const at = 1_010_000

test.each<[string, Review, Parameters<typeof settingOf>[0], number, boolean]>([
  ['nothing approved', fresh('s', 0), {}, at, false],
  ['this prompt', approved({}), {}, at, true],
  ['a later prompt', approved({}, { turn: 2 }), {}, at, false],
  [
    'this session, a later prompt',
    approved({}, { turn: 2 }),
    { gates: { approval_scope: 'session' } },
    at,
    true,
  ],
  ['a session that ended', approved({ over: true }), { gates: { approval_scope: 'session' } }, at, false],
  ['this call', approved({ input: hash }), { gates: { approval_scope: 'tool' } }, at, true],
  ['another call', approved({ input: 'b'.repeat(64) }), { gates: { approval_scope: 'tool' } }, at, false],
  ['no call', approved({}), { gates: { approval_scope: 'tool' } }, at, false],
  [
    'used by another',
    approved({ input: hash, used: 'c0' }),
    { gates: { approval_scope: 'tool' } },
    at,
    false,
  ],
  ['asked twice', approved({ input: hash, used: 'c1' }), { gates: { approval_scope: 'tool' } }, at, true],
  ['within its time', approved({}), { gates: { approval_ttl_seconds: 11 } }, at, true],
  ['after its time', approved({}), { gates: { approval_ttl_seconds: 10 } }, at, false],
  [
    'after its time, by a clock that went back',
    approved({}, { changed: at }),
    { gates: { approval_ttl_seconds: 10 } },
    1_000_001,
    false,
  ],
  [
    'within its time, by a clock that was ahead before',
    approved({ since: 9_000_000 }, { changed: 9_000_000 }),
    { gates: { approval_ttl_seconds: 11 } },
    at,
    true,
  ],
  [
    'after its time, by a clock that was ahead before',
    approved({ since: 9_000_000 }, { changed: 9_000_000 }),
    { gates: { approval_ttl_seconds: 10 } },
    at,
    false,
  ],
  ['from the future', approved({ at: at + 5_001 }), {}, at, false],
  ['from clocks that differ a little', approved({ at: at + 5_000 }), {}, at, true],
  ['of this tree, and none is known', approved({ tree: 't1' }), { bind_tree: true }, at, false],
  ['of no tree', approved({}), { bind_tree: true }, at, false],
])('an approval: %s', (_, review, written, now, open) => {
  expect(isOpen(review, call, settingOf(written, undefined), now)).toBe(open)
})

test('a verdict is bound to the tree that was looked at', () => {
  const setting = settingOf({ bind_tree: true }, undefined)
  expect(isOpen(approved({ tree: 't1' }), { ...call, tree: 't1' }, setting, at)).toBe(true)
  expect(isOpen(approved({ tree: 't1' }), { ...call, tree: 't2' }, setting, at)).toBe(false)
})
