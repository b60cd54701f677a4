import { expect, test } from 'vitest'
import type { ReviewFile } from '../role/review/schema.ts'
import { fresh } from './record/rules.ts'
import { hear } from './rules.ts'
import type { Answers, Input, Review, Setting, Signal } from './schema.ts'
import { settingOf } from './setting/rules.ts'

const start = 1_000_000
const template = { id: 'v1', text: 'Spawn roz for {{session_id}}.' }
const input = (letter: string): Input => ({ value: {}, sha256: letter.repeat(64), size: 2 })

/** A session that is told one thing after another, a second apart. */
const told = (written: ReviewFile) => {
  const setting: Setting = settingOf({ gates: { tools: ['Bash:gh*'] }, ...written }, undefined)
  let review: Review = fresh('s1', start)
  let now = start
  let count = 0
  const tell = <From extends Signal['from']>(signal: Extract<Signal, { from: From }>): Answers[From] => {
    now += 1_000
    const heard = hear<From>(review, signal, setting, now)
    review = heard.review
    return heard.answer
  }
  const id = (): string => {
    count += 1
    return `r${count}`
  }
  return {
    review: () => review,
    wait: (ms: number) => {
      now += ms
    },
    start: (source: string) => tell<'started'>({ from: 'started', source }),
    prompt: (text: string, person = true) => tell<'prompted'>({ from: 'prompted', text, person }),
    nudge: () => tell<'prompted'>({ from: 'prompted', text: 'go on', person: false, work: true }),
    stop: (more: { background?: boolean; tree?: string } = {}) =>
      tell<'stopped'>({
        from: 'stopped',
        again: false,
        background: false,
        template,
        attempt: id(),
        ...more,
      }),
    gate: (letter = 'a', call = 'c1', tree?: string) =>
      tell<'gated'>({
        from: 'gated',
        call,
        tool: 'Bash',
        input: input(letter),
        pattern: 'Bash:gh*',
        tree,
        attempt: id(),
      }),
    begin: () => tell<'begun'>({ from: 'begun', attempt: id() }).id,
    fail: (attempt: string) => tell<'failed'>({ from: 'failed', attempt, why: 'it crashed' }),
    spawn: (reviewer: string, tree?: string) =>
      tell<'spawned'>({ from: 'spawned', reviewer, secret: input('f').sha256, attempt: id(), tree }),
    leave: (reviewer: string) => tell<'left'>({ from: 'left', reviewer }),
    /** By the process `by`, else by the secret of `spawn`. */
    decide: (verdict: 'COMPLETE' | 'ISSUES', by?: string, tree?: string) =>
      tell<'decided'>({
        from: 'decided',
        said: { verdict, summary: 'seen', tree },
        by:
          by === undefined
            ? { kind: 'subagent', secret: input('f').sha256 }
            : { kind: 'process', attempt: by },
      }),
    person: (verdict: 'COMPLETE' | 'ISSUES') =>
      tell<'decided'>({
        from: 'decided',
        said: { verdict, summary: 'seen' },
        by: { kind: 'person', name: 'ann' },
      }),
    slip: () => tell<'slipped'>({ from: 'slipped', secret: input('f').sha256 }),
    end: () => tell<'ended'>({ from: 'ended', reason: 'other' }),
    outcomes: () => review.attempts.map(({ outcome }) => outcome),
  }
}
type Told = ReturnType<typeof told>
const process: ReviewFile = { reviewer: 'process' }
const subagent: ReviewFile = { reviewer: 'subagent' }

const review = (one: Told, verdict: 'COMPLETE' | 'ISSUES'): void => void one.decide(verdict, one.begin())

/** Each brings the session from the start to a state, and is told one thing more. */
test.each<
  [string, ReviewFile, (one: Told) => unknown, Review['state'], (one: Told) => unknown, Review['state']]
>([
  ['idle, #roz', process, () => 0, 'idle', (one) => one.prompt('#roz x'), 'pending'],
  ['idle, a gated call', process, () => 0, 'idle', (one) => one.gate(), 'pending'],
  ['idle, another prompt', process, () => 0, 'idle', (one) => one.prompt('x'), 'idle'],
  ['idle, a prompt in mode always', { mode: 'always' }, () => 0, 'idle', (one) => one.prompt('x'), 'pending'],
  ['idle, an end in mode always', { mode: 'always' }, () => 0, 'idle', (one) => one.stop(), 'pending'],
  ['idle, #roz in mode never', { mode: 'never' }, () => 0, 'idle', (one) => one.prompt('#roz x'), 'idle'],
  ['idle, a gated call in mode never', { mode: 'never' }, () => 0, 'idle', (one) => one.gate(), 'pending'],
  ['idle, end of turn', process, () => 0, 'idle', (one) => one.stop(), 'idle'],
  ['pending, end of turn', subagent, (one) => one.prompt('#roz'), 'pending', (one) => one.stop(), 'blocked'],
  [
    'pending, a process begins',
    process,
    (one) => one.prompt('#roz'),
    'pending',
    (one) => one.begin(),
    'blocked',
  ],
  [
    'pending, another prompt',
    process,
    (one) => one.prompt('#roz'),
    'pending',
    (one) => one.prompt('x'),
    'pending',
  ],
  [
    'pending, a compaction',
    process,
    (one) => one.prompt('#roz'),
    'pending',
    (one) => one.start('compact'),
    'pending',
  ],
  [
    'pending, a clear',
    process,
    (one) => one.prompt('#roz'),
    'pending',
    (one) => one.start('clear'),
    'pending',
  ],
  [
    'blocked, COMPLETE',
    subagent,
    (one) => [one.prompt('#roz'), one.stop(), one.spawn('a')],
    'blocked',
    (one) => one.decide('COMPLETE'),
    'approved',
  ],
  [
    'blocked, ISSUES',
    subagent,
    (one) => [one.prompt('#roz'), one.stop(), one.spawn('a')],
    'blocked',
    (one) => one.decide('ISSUES'),
    'pending',
  ],
  [
    'blocked, a prompt',
    subagent,
    (one) => [one.prompt('#roz'), one.stop()],
    'blocked',
    (one) => one.prompt('hurry'),
    'pending',
  ],
  [
    'blocked, the breaker',
    { ...subagent, circuit_breaker: { max_blocks: 1 } },
    (one) => [one.prompt('#roz'), one.stop()],
    'blocked',
    (one) => one.stop(),
    'escalated',
  ],
  [
    'a process at work, a prompt',
    process,
    (one) => [one.prompt('#roz'), one.begin()],
    'blocked',
    (one) => one.prompt('hurry'),
    'blocked',
  ],
  [
    'a process at work, it fails',
    process,
    (one) => [one.prompt('#roz'), one.begin()],
    'blocked',
    (one) => one.fail('r1'),
    'pending',
  ],
  [
    'approved, #roz',
    process,
    (one) => [one.prompt('#roz'), review(one, 'COMPLETE')],
    'approved',
    (one) => one.prompt('#roz more'),
    'pending',
  ],
  [
    'approved, another prompt',
    process,
    (one) => [one.prompt('#roz'), review(one, 'COMPLETE')],
    'approved',
    (one) => one.prompt('more'),
    'idle',
  ],
  [
    'approved, a notification',
    process,
    (one) => [one.prompt('#roz'), review(one, 'COMPLETE')],
    'approved',
    (one) => one.prompt('#roz from an agent', false),
    'approved',
  ],
  [
    'approved, a gated call that it covers',
    process,
    (one) => [one.prompt('#roz'), review(one, 'COMPLETE')],
    'approved',
    (one) => one.gate(),
    'approved',
  ],
  [
    'approved, a gated call that it does not cover',
    { ...process, gates: { tools: ['Bash:gh*'], approval_scope: 'tool' } },
    (one) => [one.prompt('#roz'), review(one, 'COMPLETE')],
    'approved',
    (one) => one.gate(),
    'pending',
  ],
  [
    'approved, the end',
    process,
    (one) => [one.prompt('#roz'), review(one, 'COMPLETE')],
    'approved',
    (one) => one.stop(),
    'approved',
  ],
  [
    'approved, a clear',
    process,
    (one) => [one.prompt('#roz'), review(one, 'COMPLETE')],
    'approved',
    (one) => one.start('clear'),
    'idle',
  ],
  [
    'approved, the session ends',
    process,
    (one) => [one.prompt('#roz'), review(one, 'COMPLETE')],
    'approved',
    (one) => one.end(),
    'approved',
  ],
  [
    'escalated, a gated call',
    { ...subagent, circuit_breaker: { max_blocks: 1 } },
    (one) => [one.prompt('#roz'), one.stop(), one.stop()],
    'escalated',
    (one) => one.gate(),
    'escalated',
  ],
  [
    'escalated, #roz',
    { ...subagent, circuit_breaker: { max_blocks: 1 } },
    (one) => [one.prompt('#roz'), one.stop(), one.stop()],
    'escalated',
    (one) => one.prompt('#roz again'),
    'pending',
  ],
  [
    'escalated, a person says COMPLETE',
    { ...subagent, circuit_breaker: { max_blocks: 1 } },
    (one) => [one.prompt('#roz'), one.stop(), one.stop()],
    'escalated',
    (one) => one.person('COMPLETE'),
    'approved',
  ],
])('%s', (_, written, before, from, then, to) => {
  const one = told(written)
  before(one)
  expect(one.review().state).toBe(from)
  then(one)
  expect(one.review().state).toBe(to)
})

test.each([
  ['#roz', true],
  ['#roz fix it', true],
  ['\n  #roz\tfix it', true],
  ['#rozfoo', false],
  ['#roz:stop', false],
  ['please #roz', false],
  ['#ROZ', false],
])('%j asks for a review: %s', (text, asks) => {
  const one = told(process)
  one.prompt(text)
  expect(one.review().state).toBe(asks ? 'pending' : 'idle')
})

const warning =
  'Review not complete: the end of the turn was refused 3 times and is let through now, unreviewed. Gated calls stay closed. The work is asked about again after 300 s; a person can decide with `agency review decide`.'

test('a subagent that never comes: three blocks are shown, the fourth end is free, and no gate is', () => {
  const one = told(subagent)
  one.prompt('#roz x')
  const block = { kind: 'block', reason: 'Spawn roz for s1.' }
  expect([one.stop(), one.stop(), one.stop()]).toEqual([block, block, block])
  expect(one.review().blocks).toBe(3)
  expect(one.stop()).toEqual({ kind: 'pass', warning, escalated: true })
  expect(one.stop()).toEqual({ kind: 'pass', warning, escalated: true })
  expect(one.gate()).toMatchObject({ kind: 'closed', need: 'spawn' })
  expect(one.outcomes()).toEqual(['not_spawned', 'not_spawned', 'not_spawned', 'pending'])
  one.wait(300_000)
  expect(one.stop()).toEqual(block)
  expect(one.review()).toMatchObject({ state: 'blocked', blocks: 1 })
})

test.each([
  ['always', 'pending', 'review'],
  ['prompt', 'approved', 'pass'],
] as const)('mode %s: work that no person asked for, after a COMPLETE, is %s', (mode, state, answer) => {
  const one = told({ ...process, mode })
  one.prompt('#roz x')
  review(one, 'COMPLETE')
  one.prompt('<task-notification>', false)
  expect(one.review().state).toBe('approved')
  const { turn } = one.review()
  one.nudge()
  expect(one.review()).toMatchObject({ state, turn })
  expect(one.stop().kind).toBe(answer)
})

test('a process that always finds issues: told three times, looked at four times, then free', () => {
  const one = told(process)
  one.prompt('#roz x')
  for (let turn = 0; turn < 3; turn += 1) {
    expect(one.stop()).toEqual({ kind: 'review' })
    review(one, 'ISSUES')
    expect(one.stop()).toMatchObject({ kind: 'block' })
  }
  expect(one.stop()).toEqual({ kind: 'review' })
  review(one, 'ISSUES')
  expect(one.stop()).toEqual({ kind: 'pass', warning, escalated: true })
  expect(one.gate()).toMatchObject({ kind: 'closed' })
})

test('a process that fails is a block that says so, and the next end begins another', () => {
  const one = told(process)
  one.prompt('#roz x')
  one.fail(one.begin())
  expect(one.stop()).toEqual({
    kind: 'block',
    reason:
      'The reviewer gave no verdict: it crashed. The work is not approved.\nDo what is needed, then finish again: the work is reviewed again.',
  })
  expect(one.stop()).toEqual({ kind: 'review' })
  expect(one.outcomes()).toEqual(['no_decision'])
})

test('COMPLETE and a new prompt of a person begin the count anew; a notification does not', () => {
  const one = told(subagent)
  one.prompt('#roz x')
  one.stop()
  one.stop()
  one.prompt('a message of an agent', false)
  expect(one.review().blocks).toBe(2)
  one.prompt('what now?')
  expect(one.review().blocks).toBe(0)
  one.stop()
  one.spawn('a')
  one.decide('COMPLETE')
  expect(one.review()).toMatchObject({ state: 'approved', blocks: 0 })
  expect(one.review().attempts.at(-1)).toMatchObject({ outcome: 'success', verdict: 'COMPLETE', blocks: 1 })
})

test('a reviewer in the background: the end is let through uncounted, and without one it is not', () => {
  const one = told(subagent)
  one.prompt('#roz x')
  expect(one.stop({ background: true })).toMatchObject({ kind: 'block' })
  one.spawn('a')
  expect(one.stop({ background: true })).toEqual({ kind: 'pass' })
  expect(one.review()).toMatchObject({ blocks: 1, state: 'blocked' })
  one.decide('COMPLETE')
  expect(one.leave('a')).toEqual({ kind: 'pass' })
  expect(one.stop()).toEqual({ kind: 'pass' })
})

test('a prompt while a reviewer is at work does not void what it says, the next one does', () => {
  const one = told(subagent)
  one.prompt('close it')
  one.gate()
  one.spawn('a')
  one.prompt('hurry up')
  one.decide('COMPLETE')
  expect(one.gate()).toEqual({ kind: 'pass' })
  one.prompt('and the next')
  expect(one.gate('b')).toMatchObject({ kind: 'closed' })
})

test('#roz while a reviewer is at work: its verdict counts for the gates, and the end is owed another', () => {
  const one = told(subagent)
  one.prompt('#roz first')
  one.stop()
  one.spawn('a')
  one.prompt('#roz second')
  one.decide('COMPLETE')
  expect(one.review()).toMatchObject({ state: 'pending', cause: 'prompt' })
  expect(one.gate()).toEqual({ kind: 'pass' })
  expect(one.stop()).toMatchObject({ kind: 'block' })
})

test('a gated call while a reviewer is at work waits, and the verdict is not taken for it', () => {
  const one = told({ ...process, gates: { tools: ['Bash:gh*'], approval_scope: 'tool' } })
  expect(one.gate('a')).toMatchObject({ need: 'begin' })
  const attempt = one.begin()
  expect(one.gate('b', 'c2')).toMatchObject({ need: 'wait' })
  one.decide('COMPLETE', attempt)
  expect(one.gate('b', 'c2')).toMatchObject({ kind: 'closed', need: 'begin' })
  // Of two calls at once neither takes the other's verdict away.
  expect(one.gate('a')).toEqual({ kind: 'pass' })
})

test('scope tool: once, and an answer that was lost may be asked for again', () => {
  const one = told({ ...process, gates: { tools: ['Bash:gh*'], approval_scope: 'tool' } })
  one.gate('a')
  review(one, 'COMPLETE')
  expect(one.gate('a', 'c1')).toEqual({ kind: 'pass' })
  expect(one.gate('a', 'c1')).toEqual({ kind: 'pass' })
  expect(one.gate('a', 'c2')).toMatchObject({ kind: 'closed' })
  expect(one.gate('a', '')).toMatchObject({ kind: 'closed' })
})

test('a gate that is closed after ISSUES tells them once, and then begins another review', () => {
  const one = told(process)
  one.gate()
  review(one, 'ISSUES')
  expect(one.gate()).toEqual({
    kind: 'closed',
    pattern: 'Bash:gh*',
    need: 'none',
    reason:
      'This call needs a review first (gate Bash:gh*).\nThe reviewer found ISSUES: seen\nMake the call again when that is done, and it is reviewed again.',
  })
  expect(one.gate()).toMatchObject({ need: 'begin' })
})

test('a denied gate voids an older COMPLETE: the end is reviewed again', () => {
  const one = told({ ...process, gates: { tools: ['Bash:gh*'], approval_scope: 'tool' } })
  one.prompt('#roz')
  review(one, 'COMPLETE')
  one.gate()
  expect(one.stop()).toEqual({ kind: 'review' })
})

test('work that changed after its verdict is reviewed again', () => {
  const one = told({ ...process, bind_tree: true })
  one.prompt('#roz')
  one.decide('COMPLETE', one.begin(), 't1')
  expect(one.stop({ tree: 't1' })).toEqual({ kind: 'pass' })
  expect(one.gate('a', 'c1', 't1')).toEqual({ kind: 'pass' })
  expect(one.stop({ tree: 't2' })).toEqual({ kind: 'review' })
  expect(one.review()).toMatchObject({ state: 'pending', cause: 'changed' })
  expect(one.gate('a', 'c1', 't1')).toMatchObject({ kind: 'closed' })
})

test('only whoever is at work decides: not twice, not from before, not by another way', () => {
  const one = told(process)
  one.prompt('#roz')
  expect(one.decide('COMPLETE', 'r9')).toBe('not_permitted')
  const first = one.begin()
  const second = one.begin()
  expect(one.decide('COMPLETE', first)).toBe('not_permitted')
  expect(one.decide('COMPLETE')).toBe('not_permitted')
  expect(one.decide('ISSUES', second)).toBeUndefined()
  expect(one.decide('COMPLETE', second)).toBe('not_permitted')
  expect(one.review()).toMatchObject({ state: 'pending', refused: 4 })
  expect(one.outcomes()).toEqual(['withdrawn', 'success'])
  expect(one.person('COMPLETE')).toBeUndefined()
  expect(one.person('COMPLETE')).toBe('not_pending')
})

test('a reviewer without a verdict is held twice, then it has given none', () => {
  const one = told(subagent)
  one.prompt('#roz')
  one.stop()
  one.spawn('a')
  expect([one.leave('a').kind, one.leave('a').kind, one.leave('a').kind]).toEqual(['block', 'block', 'pass'])
  expect(one.review()).toMatchObject({ state: 'pending' })
  expect(one.outcomes()).toEqual(['no_decision'])
  expect(one.leave('nobody')).toEqual({ kind: 'pass' })
  expect(one.decide('COMPLETE')).toBe('not_permitted')
})

test('a reviewer that named another session is told apart, unless it decides after all', () => {
  const one = told(subagent)
  one.prompt('#roz')
  one.stop()
  one.spawn('a')
  one.slip()
  for (let turn = 0; turn < 3; turn += 1) one.leave('a')
  expect(one.outcomes()).toEqual(['bad_session_id'])
  one.stop()
  one.spawn('b')
  one.slip()
  one.decide('COMPLETE')
  expect(one.outcomes()).toEqual(['bad_session_id', 'success'])
})

test.each([
  [4_000, 'approved'],
  [-3_000, 'approved'],
  [-60_000, 'pending'],
] as const)('a verdict %d ms after its reviewer came: %s', (later, state) => {
  const one = told(subagent)
  one.prompt('#roz')
  one.stop()
  one.spawn('a')
  one.wait(later)
  one.decide('COMPLETE')
  one.leave('a')
  expect(one.review().state).toBe(state)
})

test('where nothing waits for a verdict a reviewer is given no secret', () => {
  const one = told(subagent)
  expect(one.spawn('a')).toBe(false)
  one.prompt('#roz')
  expect(one.spawn('b')).toBe(true)
})

test('a clear takes what was approved, also for the session, and leaves what is owed', () => {
  const one = told({ ...process, gates: { tools: ['Bash:gh*'], approval_scope: 'session' } })
  one.gate()
  review(one, 'COMPLETE')
  one.prompt('next')
  expect(one.gate()).toEqual({ kind: 'pass' })
  for (const source of ['compact', 'resume', 'startup']) one.start(source)
  expect(one.gate()).toEqual({ kind: 'pass' })
  one.start('clear')
  expect(one.gate()).toMatchObject({ kind: 'closed' })
})

test('what was approved for the session ends with it', () => {
  const one = told({ ...process, gates: { tools: ['Bash:gh*'], approval_scope: 'session' } })
  one.gate()
  review(one, 'COMPLETE')
  one.end()
  one.start('resume')
  expect(one.gate()).toMatchObject({ kind: 'closed' })
})

test('a breaker whose clock went back is cooled: the work is asked about again', () => {
  const one = told({ ...subagent, circuit_breaker: { max_blocks: 1 } })
  one.prompt('#roz')
  one.stop()
  one.stop()
  one.wait(-3_600_000)
  expect(one.stop()).toMatchObject({ kind: 'block' })
})

test('an approval that did not hold once is void, even if a clock or a tree comes back', () => {
  const one = told(process)
  one.prompt('#roz')
  review(one, 'COMPLETE')
  one.wait(-3_600_000)
  expect(one.gate()).toMatchObject({ kind: 'closed' })
  one.wait(3_600_000)
  expect(one.gate()).toMatchObject({ kind: 'closed' })
})

test('what is over stays over, whatever happens while the clock is back', () => {
  const gates = { tools: ['Bash:gh*'], approval_scope: 'session' as const, approval_ttl_seconds: 10 }
  const one = told({ ...process, gates })
  one.prompt('#roz')
  review(one, 'COMPLETE')
  one.wait(20_000)
  one.prompt('later')
  one.wait(-20_000)
  one.prompt('earlier')
  expect(one.gate()).toMatchObject({ kind: 'closed' })
})

test('ISSUES void what was approved for the session', () => {
  const one = told({ ...process, gates: { tools: ['Bash:gh*'], approval_scope: 'session' } })
  one.prompt('#roz')
  review(one, 'COMPLETE')
  one.prompt('#roz more')
  expect(one.gate()).toEqual({ kind: 'pass' })
  review(one, 'ISSUES')
  expect(one.gate()).toMatchObject({ kind: 'closed' })
})

test('the call that a reviewer is asked about stays while it is at work', () => {
  const one = told(process)
  one.gate('a')
  one.begin()
  one.gate('b', 'c2')
  expect(one.review().trigger?.input).toEqual(input('a'))
})

test('an attempt is no secret, and a secret no attempt', () => {
  const one = told(subagent)
  one.prompt('#roz')
  one.stop()
  one.spawn('a')
  expect(one.decide('COMPLETE', one.review().attempts[0]?.id)).toBe('not_permitted')
  expect(one.decide('COMPLETE')).toBeUndefined()
})

test('where a process reviews, a subagent gets no secret and no end in the background', () => {
  const one = told(process)
  one.prompt('#roz')
  expect(one.spawn('a')).toBe(false)
  expect(one.decide('COMPLETE')).toBe('not_permitted')
  one.begin()
  expect(one.stop({ background: true })).toEqual({ kind: 'review' })
})

test('a reviewer of whom nothing was heard for too long is given up', () => {
  const one = told({ ...process, reviewer: { deadline_seconds: 30 } })
  one.gate()
  const attempt = one.begin()
  one.wait(110_000)
  expect(one.gate()).toMatchObject({ need: 'wait' })
  one.wait(10_000)
  expect(one.gate()).toMatchObject({
    need: 'none',
    reason: expect.stringContaining('The reviewer gave no verdict: it took too long.'),
  })
  expect(one.gate()).toMatchObject({ need: 'begin' })
  expect(one.decide('COMPLETE', attempt)).toBe('not_permitted')
})

test('a subagent has looked at the tree as it was when it came, whatever is there when it decides', () => {
  const one = told({ ...subagent, bind_tree: true })
  one.prompt('#roz')
  one.stop({ tree: 't1' })
  one.spawn('a', 't1')
  one.decide('COMPLETE', undefined, 't2')
  expect(one.gate('a', 'c1', 't1')).toEqual({ kind: 'pass' })
  expect(one.stop({ tree: 't2' })).toMatchObject({ kind: 'block' })
})
