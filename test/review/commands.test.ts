// `agency review …` as a process: on the gate's own file without a host, on a host's store by its routes, on both.
import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { fresh, openFact } from '../../src/review/record/rules.ts'
import type { Attempt, Review } from '../../src/review/schema.ts'
import { inside } from '../cli/inside.ts'
import { program, type World, world } from '../cli/kit.ts'
import { closing, gateFile, hostFile, place, secretOf, written } from './kit.ts'

const first = '11112222-aaaa-4000-8000-000000000001'
const second = '11112222-bbbb-4000-8000-000000000002'
const other = '33334444-cccc-4000-8000-000000000003'

const rooted = async (): Promise<World> => {
  const at = world()
  expect((await at.agency(['init'])).code).toBe(0)
  return at
}

/** One that was prompted and refused, one that met a gate, one that is approved. */
const withGate = async (): Promise<World> => {
  const at = await rooted()
  const { of, close, clock } = await gateFile(at.root)
  // So that what is done to them now is later.
  clock.at -= 60_000
  await of(first).started('startup')
  await of(first).prompted({ text: '#roz Fix the bug.\u001b[31m\nAnd test it.', person: true })
  expect(await of(first).stop({ again: false, background: false })).toMatchObject({ kind: 'block' })
  clock.at += 1_000
  await of(second).prompted({ text: 'Close it.', person: true })
  expect(await of(second).gate(closing(7), { place })).toMatchObject({ kind: 'closed' })
  clock.at += 1_000
  await of(other).prompted({ text: '#roz Do it.', person: true })
  await of(other).decide({ verdict: 'COMPLETE', summary: 'fine' }, { kind: 'person', name: 'ann' })
  await close()
  return at
}

type Line = { session: string; where: string; state: string; verdict?: string; blocks: number }
const list = async (at: World, ...more: string[]) =>
  ((await at.json(['review', 'list', ...more])) as { reviews: Line[] }).reviews
const standing = async (at: World) =>
  (await list(at)).map(({ session, state, verdict, blocks }) => [session, state, verdict, blocks])
const debug = async (at: World, session: string): Promise<Review> =>
  ((await at.json(['review', 'debug', session])) as { review: Review }).review
const events = async (at: World, session: string): Promise<string[]> =>
  ((await at.json(['review', 'trace', session])) as { events: { name: string }[] }).events.map(
    ({ name }) => name,
  )

test('list: the latest first, with state, verdict and blocks; roz is another spelling', async () => {
  const at = await withGate()
  expect(await at.json(['review', 'list'])).toMatchObject({
    reviews: [
      { session: other, state: 'approved', verdict: 'COMPLETE', where: 'file', about: '#roz Do it.' },
      { session: second, state: 'pending', blocks: 0, about: 'Bash: gh issue close 7' },
      { session: first, state: 'blocked', blocks: 1, about: '#roz Fix the bug. And test it.' },
    ],
    more: 0,
  })
  const roz = join(at.folder, 'roz')
  symlinkSync(program, roz)
  const { code, out } = await at.agency(['list', '-l', '1'], { as: roz })
  expect([code, out]).toEqual([0, expect.stringContaining('2 more; type `agency review list --limit 0`')])
  expect(await list(at, '--limit', '0')).toHaveLength(3)
  // No host was started because somebody looked.
  expect(existsSync(join(at.root, 'host.json'))).toBe(false)
})

test('context: prompts whole, the gated call, the verdict, how to decide; and no control characters', async () => {
  const at = await withGate()
  const { code, out } = await at.agency(['review', 'context', first])
  expect(code).toBe(0)
  expect(out).toContain('  | #roz Fix the bug.\n  | And test it.\n')
  expect(out).toContain(`  agency review decide ${first} COMPLETE "SUMMARY" --secret SECRET\n`)
  expect(out).not.toContain('\u001b')
  expect((await at.agency(['review', 'context', second])).out).toContain('"command": "gh issue close 7"')
  expect(await at.json(['review', 'context', '3333'])).toMatchObject({
    session: other,
    where: 'file',
    state: 'approved',
    decision: { verdict: 'COMPLETE', by: 'person', name: 'ann' },
  })
})

test('trace and debug', async () => {
  const at = await withGate()
  expect(await events(at, first)).toEqual(['SessionStart', 'PromptReceived', 'StopHookCalled'])
  const { out } = await at.agency(['review', 'trace', second])
  expect(out).toMatch(
    /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} {2}PromptReceived .*\n.*GateBlocked .*tool=Bash/,
  )
  expect((await at.agency(['review', 'trace', second, '-v'])).out).toContain('  |   "tool": "Bash",')
  const printed = await at.agency(['review', 'debug', first])
  expect(JSON.parse(printed.out)).toEqual(await at.json(['review', 'debug', first]))
  expect(await debug(at, first)).toMatchObject({ session: first, blocks: 1, turn: 1 })
})

const wrong: [string[], number, RegExp][] = [
  [['context', '9999'], 1, /No review of a session or agent "9999" is known/],
  [['context', '111'], 1, /No review of a session or agent "111"/],
  [['trace', '1111'], 1, /"1111" is the beginning of 2 sessions: .*Type more/s],
  [['decide', first, 'MAYBE', 'x'], 2, /expected COMPLETE or ISSUES/],
  [['decide', first, 'COMPLETE'], 2, /needs summary/],
  [['decide', '9999', 'COMPLETE', 'x'], 1, /No review/],
  [['decide', other, 'COMPLETE', 'x'], 1, /Nothing of session .* waits for a verdict: it is approved/],
  [['list', '-l', 'x'], 2, /expected a whole number/],
  [['clean', '--before', '7'], 2, /expected an age such as 7d/],
]

test('what is wrong is said in words, and changes nothing', async () => {
  const at = await withGate()
  const before = await standing(at)
  for (const [argv, exit, words] of wrong) {
    const said = await inside(at, ['review', ...argv])
    expect([argv, said.code, said.out, said.err]).toEqual([argv, exit, '', expect.stringMatching(words)])
  }
  expect(await standing(at)).toEqual(before)
})

test('a person decides: in any case of letters, recorded by name, and it opens the gate', async () => {
  const at = await withGate()
  const said = await at.agency(['review', 'decide', second, 'issues', 'No test.', '-m', 'Write one.'])
  expect([said.code, said.err]).toEqual([0, ''])
  expect(said.out).toMatch(new RegExp(`^Session ${second}: ISSUES, by \\S+\\.\n$`))
  expect((await debug(at, second)).decisions).toMatchObject([
    { verdict: 'ISSUES', summary: 'No test.', message: 'Write one.', by: 'person', name: expect.any(String) },
  ])
  const reply = await at.json(['review', 'decide', second, 'COMPLETE', 'ok', '-o', 'codex: fine'])
  expect(reply).toMatchObject({ where: 'file', review: { state: 'approved' } })
  const { of } = await gateFile(at.root)
  expect(await of(second).gate(closing(7), { place })).toEqual({ kind: 'pass' })
})

test('whoever is in an agent’s shell is refused, and the try is recorded', async () => {
  const at = await withGate()
  for (const env of [{ CLAUDECODE: '1' }, { AGENCY_ACTOR: 'coder-1' }, { H2_ACTOR: 'coder-1' }]) {
    const said = await at.agency(['review', 'decide', second, 'COMPLETE', 'ok'], { env })
    expect([said.code, said.out, said.err]).toEqual([1, '', expect.stringContaining('not permitted')])
  }
  expect(await debug(at, second)).toMatchObject({ state: 'pending', refused: 3, decisions: [] })
  expect((await events(at, second)).filter((name) => name === 'DecisionRefused')).toHaveLength(3)
  // Nor is it told more than that of what it cannot name or reach.
  const env = { CLAUDECODE: '1' }
  for (const more of [{ env }, { env: { ...env, AGENCY_ROOT: join(at.folder, 'nowhere') } }]) {
    const said = await at.agency(['review', 'decide', '9999', 'COMPLETE', 'ok'], more)
    expect([said.code, said.err]).toEqual([1, expect.stringContaining('not permitted')])
  }
  expect((await at.agency(['review', 'clean', '--all'], { env: { AGENCY_ACTOR: 'coder-1' } })).code).toBe(1)
})

test('the reviewer decides by its secret, once, and for its own session only', async () => {
  const at = await withGate()
  const { of, close } = await gateFile(at.root)
  const secret = await secretOf(of(second))
  await close()
  const env = { CLAUDECODE: '1' }
  const decide = (session: string, ...more: string[]) =>
    at.agency(['review', 'decide', session, 'COMPLETE', 'ok', ...more], { env })
  for (const [session, wrong] of [
    [first, secret],
    [second, 'a'.repeat(64)],
    [second, ''],
  ] as const) {
    const said = await decide(session, `--secret=${wrong}`)
    expect([said.code === 0, said.out], wrong).toEqual([false, ''])
  }
  expect((await decide('99990000', '--secret', secret)).err).toContain('No review of a session')
  expect((await debug(at, second)).attempts).toMatchObject([{ slipped: true }])
  expect((await decide(second, '--secret', secret)).code).toBe(0)
  expect(await debug(at, second)).toMatchObject({
    state: 'approved',
    decisions: [{ by: 'subagent', verdict: 'COMPLETE' }],
  })
  const again = await decide(second, '--secret', secret)
  expect([again.code, again.err]).toEqual([1, expect.stringContaining('not permitted')])
})

test('clean: by age, never what is open, and it says what it keeps', async () => {
  const at = await withGate()
  expect((await at.agency(['review', 'clean'])).out).toContain('kept 1 that changed lately')
  expect((await at.agency(['review', 'clean', '--all', '--dry-run'])).out).toMatch(
    new RegExp(`^would forget ${other} \\(approved\\)\n[^]*Nothing was forgotten`),
  )
  expect(await list(at)).toHaveLength(3)
  expect(await at.json(['review', 'clean', '--all'])).toMatchObject({
    dry_run: false,
    removed: [{ session: other, where: 'file' }],
    kept: [
      { session: second, why: 'open' },
      { session: first, why: 'open' },
    ],
  })
  expect((await list(at)).map(({ session }) => session)).toEqual([second, first])
  // What is forgotten opens nothing.
  const { of } = await gateFile(at.root)
  expect(await of(other).gate(closing(7), { place })).toMatchObject({ kind: 'closed' })
})

test('by the routes of a host; what only the gate’s own file knows is found there', async () => {
  const at = await rooted()
  const { of, close } = await hostFile(at.root)
  const settings = { ...written, reviewer: 'process' } as const
  await of(first, settings).prompted({ text: '#roz Go.', person: true })
  await close()
  const gate = await gateFile(at.root)
  await gate.of(other).prompted({ text: '#roz Here.', person: true })
  await gate.close()
  const warned = await at.agency(['review', 'list'])
  expect([warned.code, warned.err]).toEqual([0, expect.stringContaining('No host is up')])
  // A person's verdict starts the host whose agents wait for it.
  const said = await at.json(['review', 'decide', '1111', 'COMPLETE', 'ok'])
  expect(said).toMatchObject({ where: 'host', review: { state: 'approved' } })
  expect(existsSync(join(at.root, 'host.json'))).toBe(true)
  expect((await list(at)).map(({ session, where }) => [session, where])).toEqual([
    [first, 'host'],
    [other, 'file'],
  ])
  expect(await events(at, first)).toEqual(['PromptReceived', 'RozDecision'])
  const refused = await at.agency(['review', 'decide', first, 'COMPLETE', 'x'], {
    env: { AGENCY_ACTOR: 'coder-1' },
  })
  expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('not permitted')])
  expect(await events(at, first)).toContain('DecisionRefused')
  expect(await at.json(['review', 'clean', '--all'])).toMatchObject({
    removed: [{ session: first, where: 'host' }],
    kept: [{ session: other, where: 'file' }],
  })
})

test('stats: the table of 200 recorded attempts, and only of the days that were asked for', async () => {
  const at = await rooted()
  const { store, close } = await gateFile(at.root)
  const recorded = JSON.parse(readFileSync('test/samples/review-attempts.json', 'utf8')) as Attempt[]
  const now = Date.now()
  for (let part = 0; part < 4; part++) {
    const attempts = recorded
      .slice(part * 50, part * 50 + 50)
      .map((each) => ({ ...each, at: now - 86_400_000 }))
    await store.append([openFact({ ...fresh(`recorded-${part}`, now), attempts })])
  }
  const old = recorded.slice(0, 50).map((each) => ({ ...each, at: now - 40 * 86_400_000 }))
  await store.append([openFact({ ...fresh('old', now), attempts: old })])
  await close()
  const { code, out } = await at.agency(['review', 'stats'])
  expect([code, out]).toEqual([
    0,
    [
      'TEXT     WHERE  TRIES  VERDICT  NOT SPAWNED  NO DECISION  BAD SESSION  OPEN  BLOCKS  RATE  95 %',
      'gate     file   17     11       4            1            0            1     0.0     69 %  44-86 %',
      'process  file   13     9        0            3            0            1     0.0     75 %  47-91 %',
      'v1       file   60     41       9            4            2            4     1.8     73 %  60-83 %',
      'v2       file   60     52       3            3            0            2     1.7     90 %  79-95 %',
      'v3       file   50     18       17           5            5            5     1.7     40 %  27-55 %',
      '',
    ].join('\n'),
  ])
  const { stats } = (await at.json(['review', 'stats', '--days', '60'])) as { stats: { tries: number }[] }
  expect(stats.reduce((sum, { tries }) => sum + tries, 0)).toBe(250)
  const refused = await inside(at, ['review', 'stats', '--days', '0'])
  expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('a whole number of days')])
})

test('in a clone with a root that nobody has trusted, one’s own reviews are meant', async () => {
  const at = world()
  const home = join(at.home, '.agency')
  const env = { AGENCY_ROOT: '' }
  expect((await at.agency(['init'], { env })).code).toBe(0)
  const { of, close } = await gateFile(home)
  await of(first).prompted({ text: '#roz Go.', person: true })
  await close()
  writeFileSync(join(at.cwd, '.agency-dir.txt'), '1\n')
  expect((await at.agency(['status'], { env })).err).toContain('not trusted')
  expect((await at.agency(['review', 'decide', first, 'COMPLETE', 'ok'], { env })).code).toBe(0)
})

test('a file that is none of ours, or cannot be read, is named, and decides nothing', async () => {
  const at = await rooted()
  writeFileSync(join(at.root, 'review.db'), 'COMPLETE\n'.repeat(1000))
  for (const argv of [['list'], ['decide', first, 'COMPLETE', 'ok'], ['clean', '--all']]) {
    const said = await inside(at, ['review', ...argv])
    expect([said.code, said.out, said.err]).toEqual([1, '', expect.stringContaining('review.db')])
    expect(said.err).not.toMatch(/\n\s+at /)
  }
})

test('where nothing was kept there is nothing to list; what only a host has, it is asked for', async () => {
  const at = await rooted()
  const said = await at.agency(['review', 'list'])
  expect([said.code, said.out, said.err]).toEqual([0, 'Nothing was or is to be reviewed.\n', ''])
  const unknown = await at.agency(['review', 'context', 'abcd'])
  expect([unknown.code, unknown.err]).toEqual([1, expect.stringContaining('abcd')])
  await at.agency(['start'])
  await at.agency(['down'])
  const absent = await at.agency(['review', 'list'])
  expect([absent.code, absent.err]).toEqual([1, expect.stringContaining('No host runs')])
})
