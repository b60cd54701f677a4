import { expect, onTestFinished, test } from 'vitest'
import { openApprovals } from '../approval/desk.ts'
import type { Answering } from '../approval/schema.ts'
import type { HookEvent } from '../driver/schema.ts'
import { hear, launched } from '../session/rules.ts'
import type { Session, Signal } from '../session/schema.ts'
import { reduceOf } from '../state/rules.ts'
import { openStore } from '../store/sqlite.ts'
import type { Store } from '../store/store.ts'
import { asking } from './asking.ts'
import { type PermitOptions, type Permits, permitOf, type Review } from './permit.ts'

const patience = { timeout: 20_000, interval: 10 }
const place = { session: 's1', cwd: '/w', transcript: '/t', turn: 't1' }
const asked: Extract<HookEvent, { kind: 'permission_asked' }> = {
  ...place,
  kind: 'permission_asked',
  tool: 'Bash',
  input: { command: 'touch x' },
}
const call = { id: 'c1', tool: 'Bash', input: asked.input }
const allow: Answering = { verdict: 'allow', by: 'ann', via: 'cli' }

/** A session that hears what it is told, as a live one does, and the approvals of its root. */
type Staged = { review?: Review; forbids?: PermitOptions['forbids']; full?: () => boolean }
const stage = async ({ review, forbids, full = () => false }: Staged = {}) => {
  const opened = await openStore({ file: ':memory:', reduce: reduceOf, now: () => new Date(0) })
  const transact: Store['transact'] = (subject, decide) =>
    full() ? Promise.reject(new Error('the disk is full')) : opened.transact(subject, decide)
  const approvals = await openApprovals({
    store: { ...opened, transact },
    now: () => 1_000,
    log: { warn: () => {} },
    mask: async () => (text) => text,
  })
  onTestFinished(approvals.close)
  const begin = (): Permits & { tell: (signal: Signal) => void; session: () => Session } => {
    const born = launched({ id: 's1', agent: 'a', managed: true, reviewer: false, at: 0, reportMs: 1 })
    let session: Session = asking({ ...born, started: true }, approvals, 's1')
    const tell = (signal: Signal): void => {
      permit.hear(signal, session)
      session = hear(session, signal, 1_000)
      permit.follow(session)
    }
    const permit = permitOf({
      agent: 'a',
      session: 's1',
      terminal: true,
      approvals,
      patience: async () => undefined,
      review,
      forbids,
      tell,
    })
    onTestFinished(permit.close)
    tell({ from: 'hook', event: { ...place, kind: 'tool_asked', call } })
    tell({ from: 'hook', event: asked, call: 'c1' })
    return { ...permit, tell, session: () => session }
  }
  return { approvals, begin }
}
const waits = (approvals: { list(): readonly { life: string; id: string }[] }) =>
  expect
    .poll(() => approvals.list().find(({ life }) => life === 'asked')?.id, patience)
    .toEqual(expect.any(String))

test.each<[string, Awaited<ReturnType<Review>>, object]>([
  ['allows', { verdict: 'allow', reason: 'harmless' }, { kind: 'allow' }],
  ['denies', { verdict: 'deny', reason: 'no' }, { kind: 'deny', reason: expect.stringContaining('no') }],
])('a reviewer that %s is asked before anybody else, and recorded', async (_, said, answer) => {
  const { approvals, begin } = await stage({ review: async () => said })
  expect(await begin().ask('h1', asked, 'c1')).toEqual(answer)
  expect(approvals.list()).toMatchObject([
    { life: 'sent', answer: { via: 'reviewer', verdict: said.verdict } },
  ])
})

test.each<[string, Review]>([
  ['is not sure', async () => ({ verdict: 'ask', reason: '' })],
  ['breaks', () => Promise.reject(new Error('garbage'))],
])('a reviewer that %s leaves it to a person', async (_, review) => {
  const { approvals, begin } = await stage({ review })
  const live = begin()
  const answer = live.ask('h1', asked, 'c1')
  await waits(approvals)
  expect(live.session().waiting).toMatchObject([
    { call: 'c1', by: 'person', approval: approvals.list()[0]?.id },
  ])
  await approvals.answer(approvals.list()[0]?.id ?? '', allow)
  expect(await answer).toEqual({ kind: 'allow' })
})

test('what hangs up while it is reviewed is answered nothing, and asked of nobody', async () => {
  let decide = (_: Awaited<ReturnType<Review>>): void => {}
  const review: Review = () =>
    new Promise((resolve) => {
      decide = resolve
    })
  const { approvals, begin } = await stage({ review })
  const live = begin()
  const answer = live.ask('h1', asked, 'c1')
  live.closed('h1')
  await expect
    .poll(() => {
      decide({ verdict: 'allow', reason: '' })
      return Promise.race([answer, undefined])
    }, patience)
    .toEqual({ kind: 'none' })
  expect(approvals.list()).toEqual([])
})

/** One that thinks until it is told what, or that nobody wants to know. */
const thinker = () => {
  let begun = 0
  let left = false
  const review: Review = (_, signal) => {
    begun += 1
    return new Promise((resolve) => {
      signal?.addEventListener('abort', () => {
        left = true
        resolve({ verdict: 'ask', reason: '' })
      })
    })
  }
  return { review, begun: () => begun, left: () => left }
}

test('what the rules refuse by now nobody can allow, and nobody is asked', async () => {
  const { review, begun } = thinker()
  const { approvals, begin } = await stage({ review, forbids: async () => 'not any more.' })
  expect(await begin().ask('h1', asked, 'c1')).toEqual({
    kind: 'deny',
    reason: expect.stringContaining('Denied by the rules of its role: not any more.'),
  })
  expect(begun()).toBe(0)
  expect(approvals.list()).toMatchObject([{ life: 'sent', answer: { via: 'rule', verdict: 'deny' } }])
})

const decidedBy = (accepted: boolean, call = 'c1') =>
  ({
    from: 'telemetry',
    event: { kind: 'decided', call, tool: 'Bash', accepted, source: 'user', person: true },
  }) as const

test.each([true, false])(
  'answered in the dialog while it is reviewed (%s): nobody else is asked',
  async (yes) => {
    const { review, begun, left } = thinker()
    const { approvals, begin } = await stage({ review })
    const live = begin()
    const answer = live.ask('h1', asked, 'c1')
    await expect.poll(begun, patience).toBe(1)
    live.tell(decidedBy(yes, 'another'))
    expect(left()).toBe(false)
    live.tell(decidedBy(yes))
    expect(left()).toBe(true)
    expect(await answer).toEqual({ kind: 'none' })
    expect(approvals.list()).toEqual([])
  },
)

test('a host that goes while it is reviewed answers nothing: the next one is asked again', async () => {
  const { review, begun, left } = thinker()
  const { approvals, begin } = await stage({ review })
  const before = begin()
  let said = false
  void before.ask('h1', asked, 'c1').then(() => {
    said = true
  })
  await expect.poll(begun, patience).toBe(1)
  before.close()
  expect(left()).toBe(true)
  // Later than whatever that could have begun.
  await approvals.ask({ agent: 'a', session: 's9', hook: 'h9', tool: 'Bash', input: {}, terminal: true })
  expect([said, approvals.list('s1')]).toEqual([false, []])
  void begin().ask('h1', asked, 'c1')
  await expect.poll(begun, patience).toBe(2)
})

test('what is allowed for the session is told to the agent, and needs nobody the next time', async () => {
  let reviews = 0
  const review: Review = async () => {
    reviews += 1
    return { verdict: 'ask', reason: '' }
  }
  const { approvals, begin } = await stage({ review })
  const live = begin()
  const answer = live.ask('h1', asked, 'c1')
  await waits(approvals)
  await approvals.answer(approvals.list()[0]?.id ?? '', { ...allow, always: 'session' })
  expect(await answer).toEqual({ kind: 'allow', rules: ['Bash(touch x)'] })
  expect(await live.ask('h2', asked, 'c2')).toEqual({ kind: 'allow' })
  expect(reviews).toBe(1)
  expect(approvals.byHook('s1', 'h2')?.answer).toMatchObject({ via: 'rule' })
})

test('the next host is asked the same hook: known by its call, answered as it was', async () => {
  const { approvals, begin } = await stage()
  const before = begin()
  void before.ask('h1', asked, 'c1')
  await waits(approvals)
  before.close()
  const next = begin()
  expect([next.known('h1'), next.known('h2')]).toEqual(['c1', undefined])
  await approvals.answer(approvals.list()[0]?.id ?? '', { ...allow, verdict: 'deny', reason: 'Not now' })
  expect(await next.ask('h1', asked, undefined)).toEqual({
    kind: 'deny',
    reason: expect.stringContaining('Denied by ann: Not now'),
  })
  expect(approvals.list()).toHaveLength(1)
})

test('an answer that was sent does not free the terminal before the agent has told that it has it', async () => {
  const { approvals, begin } = await stage()
  const live = begin()
  const answer = live.ask('h1', asked, 'c1')
  await waits(approvals)
  await approvals.answer(approvals.list()[0]?.id ?? '', allow)
  await answer
  expect(live.session().waiting).toHaveLength(1)
  const decided = {
    kind: 'decided',
    call: 'c1',
    tool: 'Bash',
    accepted: true,
    source: 'hook',
    person: false,
  } as const
  live.tell({ from: 'telemetry', event: decided })
  expect(live.session().waiting).toEqual([])
  await expect
    .poll(() => approvals.list()[0]?.receipt, patience)
    .toMatchObject({ won: 'cli', by: 'telemetry' })
})

test('where the agent tells nothing, it is free after a while', async () => {
  const { approvals, begin } = await stage()
  const live = begin()
  void live.ask('h1', asked, 'c1')
  await waits(approvals)
  await approvals.answer(approvals.list()[0]?.id ?? '', allow)
  await expect.poll(() => live.session().waiting, patience).toEqual([])
  expect(approvals.list()[0]?.life).toBe('sent')
})

test('telemetry of another program that the agent started says nothing of its calls', async () => {
  const { approvals, begin } = await stage()
  const live = begin()
  void live.ask('h1', asked, 'c1')
  await waits(approvals)
  const decided = {
    kind: 'decided',
    call: 'c1',
    tool: 'Bash',
    accepted: true,
    source: 'x',
    person: true,
  } as const
  live.tell({ from: 'telemetry', event: { ...decided, session: 'another' } })
  // Later than whatever that could have begun.
  await approvals.ask({ agent: 'a', session: 's9', hook: 'h9', tool: 'Bash', input: {}, terminal: true })
  expect(approvals.byHook('s1', 'h1')?.life).toBe('asked')
})

test.each<[string, Signal]>([
  [
    'the turn',
    { from: 'hook', event: { ...place, kind: 'turn_ended', again: false, last: '', background: [] } },
  ],
  ['the session', { from: 'keeper', event: { kind: 'exited', code: 0, signal: null } }],
])('when %s is over nobody is asked any more, and the hook gets no opinion', async (_, signal) => {
  const { approvals, begin } = await stage()
  const live = begin()
  const answer = live.ask('h1', asked, 'c1')
  await waits(approvals)
  await expect.poll(() => live.session().waiting[0]?.approval, patience).toBeDefined()
  live.tell(signal)
  expect(await answer).toEqual({ kind: 'none' })
  expect(approvals.list()[0]).toMatchObject({ life: 'gone' })
})

test('what cannot be stored is not answered: the keeper then refuses', async () => {
  const { begin } = await stage({ full: () => true })
  await expect(begin().ask('h1', asked, 'c1')).rejects.toThrow('the disk is full')
})
