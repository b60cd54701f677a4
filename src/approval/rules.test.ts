import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Event } from '../journal/schema.ts'
import {
  askFact,
  changeFact,
  expired,
  gistOf,
  hear,
  isLate,
  isRemembered,
  outcome,
  reduceApproval,
  ruleOf,
  shownInput,
} from './rules.ts'
import type { Answering, Approval, ApprovalSignal } from './schema.ts'

const asked: Approval = {
  id: 'a1234567',
  agent: 'coder',
  session: 's1',
  hook: 'h1',
  tool: 'Bash',
  input: { command: 'touch x' },
  rule: 'Bash(touch x)',
  call: 'c1',
  terminal: true,
  at: 0,
  expires: 1_000,
  life: 'asked',
}
const allow: Answering = { verdict: 'allow', by: 'ann', via: 'cli' }
const deny: Answering = { verdict: 'deny', by: 'bob', via: 'api', reason: 'Not now.' }
const answered = (answer: Answering): Approval => ({ ...asked, life: 'sent', answer: { ...answer, at: 5 } })
const late: Approval = { ...asked, life: 'expired', answer: { ...expired, at: 1_000 } }
const closed: Approval = { ...asked, life: 'gone', why: 'the agent asks no more' }
const won = (
  from: Approval,
  verdict: 'allow' | 'deny',
  who: NonNullable<Approval['receipt']>['won'],
  by: NonNullable<Approval['receipt']>['by'],
): Approval => {
  const { why: _why, ...rest } = from
  return {
    ...rest,
    life: who === 'expiry' ? 'expired' : 'confirmed',
    receipt: { verdict, won: who, by, at: 9 },
  }
}
const yes = { from: 'decided', accepted: true, person: true } as const
const no = { from: 'decided', accepted: false, person: true } as const
const hookYes = { from: 'decided', accepted: true, person: false } as const
const hookNo = { from: 'decided', accepted: false, person: false } as const
const ran = { from: 'ran' } as const
const unrun = { from: 'unrun' } as const

test.each<[string, Approval, ApprovalSignal, Approval]>([
  [
    'an answer is sent',
    asked,
    { from: 'answer', answer: allow },
    { ...asked, life: 'sent', answer: { ...allow, at: 9 } },
  ],
  ['a second answer changes nothing', answered(deny), { from: 'answer', answer: allow }, answered(deny)],
  ['nor one after its time', late, { from: 'answer', answer: allow }, late],
  ['nor one that nobody waits for', closed, { from: 'answer', answer: allow }, closed],
  ['the clock strikes only in time', asked, { from: 'clock' }, asked],
  ['a person at the dialog allowed', asked, yes, won(asked, 'allow', 'dialog', 'telemetry')],
  ['a person at the dialog denied', asked, no, won(asked, 'deny', 'dialog', 'telemetry')],
  ['its own rule allowed', asked, hookYes, won(asked, 'allow', 'other', 'telemetry')],
  ['it ran, and we had said nothing', asked, ran, won(asked, 'allow', 'dialog', 'call')],
  ['it did not run, and we had said nothing', asked, unrun, won(asked, 'deny', 'dialog', 'result')],
  [
    'without a dialog it was not one',
    { ...asked, terminal: false },
    ran,
    won({ ...asked, terminal: false }, 'allow', 'other', 'call'),
  ],
  ['the agent hung up', asked, { from: 'closed' }, closed],
  ['the turn is over', asked, { from: 'over', why: 'w' }, { ...asked, life: 'gone', why: 'w' }],
  ['ours was taken', answered(allow), hookYes, won(answered(allow), 'allow', 'cli', 'telemetry')],
  ['ours was taken: it ran', answered(allow), ran, won(answered(allow), 'allow', 'cli', 'call')],
  [
    'the person was first, and said the same',
    answered(allow),
    yes,
    won(answered(allow), 'allow', 'dialog', 'telemetry'),
  ],
  [
    'the person was first, and said no',
    answered(allow),
    no,
    won(answered(allow), 'deny', 'dialog', 'telemetry'),
  ],
  ['our no was taken', answered(deny), hookNo, won(answered(deny), 'deny', 'api', 'telemetry')],
  ['our no was taken: it did not run', answered(deny), unrun, won(answered(deny), 'deny', 'api', 'result')],
  ['our no came too late: it ran', answered(deny), ran, won(answered(deny), 'allow', 'dialog', 'call')],
  ['what did not run although allowed may have been interrupted', answered(allow), unrun, answered(allow)],
  ['hanging up after an answer says nothing', answered(allow), { from: 'closed' }, answered(allow)],
  [
    'the session ended before anybody told',
    answered(allow),
    { from: 'over', why: 'w' },
    { ...answered(allow), life: 'gone', why: 'w' },
  ],
  ['expiry was taken', late, hookNo, won(late, 'deny', 'expiry', 'telemetry')],
  ['the person was faster than expiry', late, yes, won(late, 'allow', 'dialog', 'telemetry')],
  ['who hung up had pressed 1', closed, ran, won(closed, 'allow', 'dialog', 'call')],
  ['who hung up had pressed Esc', closed, no, won(closed, 'deny', 'dialog', 'telemetry')],
  [
    'telemetry knows better who it was',
    won(answered(allow), 'allow', 'cli', 'call'),
    yes,
    won(answered(allow), 'allow', 'dialog', 'telemetry'),
  ],
  [
    'but changes no verdict',
    won(answered(allow), 'allow', 'cli', 'call'),
    no,
    won(answered(allow), 'allow', 'cli', 'call'),
  ],
  [
    'and is not corrected itself',
    won(asked, 'deny', 'dialog', 'telemetry'),
    ran,
    won(asked, 'deny', 'dialog', 'telemetry'),
  ],
  ['an end stays an end', late, { from: 'over', why: 'w' }, late],
])('%s', (_, before, signal, after) => {
  expect(hear(before, signal, 9)).toEqual(after)
})

test('when its time is over it is a no, whoever comes first: the clock or an answer', () => {
  expect(hear(asked, { from: 'clock' }, 1_000)).toEqual(late)
  expect(hear(asked, { from: 'answer', answer: allow }, 1_000)).toBe(asked)
  expect(hear(asked, { from: 'answer', answer: allow }, 999).life).toBe('sent')
  const { expires: _expires, ...patient } = asked
  expect(hear(patient, { from: 'clock' }, 1e15)).toBe(patient)
})

const signal = fc.oneof<fc.Arbitrary<ApprovalSignal>[]>(
  fc.constantFrom<ApprovalSignal>(yes, no, hookYes, hookNo, ran, unrun),
  fc.constantFrom<ApprovalSignal>({ from: 'clock' }, { from: 'closed' }, { from: 'over', why: 'w' }),
  fc
    .record({
      verdict: fc.constantFrom('allow' as const, 'deny' as const),
      via: fc.constantFrom('cli' as const, 'api' as const),
      by: fc.string({ minLength: 1 }),
    })
    .map((answer) => ({ from: 'answer', answer })),
)

test('whatever comes in whatever order: the first answer stays, no verdict changes, nothing is allowed late', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(signal, fc.nat(400)), { maxLength: 20 }),
      fc.boolean(),
      (steps, terminal) => {
        let approval: Approval = { ...asked, terminal }
        let stored: Approval | undefined = reduceApproval(undefined, {
          ...askFact(approval),
          seq: 1,
          at: '',
        } as Event)
        let at = 0
        for (const [each, pause] of steps) {
          at += pause
          const before = approval
          approval = hear(before, each, at)
          if (before.answer !== undefined) expect(approval.answer).toBe(before.answer)
          else if (approval.answer?.verdict === 'allow') expect(isLate(before, at)).toBe(false)
          if (before.receipt !== undefined) expect(approval.receipt?.verdict).toBe(before.receipt.verdict)
          if (before.life !== 'asked') expect(approval.life).not.toBe('asked')
          if (approval.life === 'expired') expect(approval.answer?.verdict).toBe('deny')
          const fact = changeFact(before, approval)
          if (fact !== undefined) stored = reduceApproval(stored, { ...fact, seq: 1, at: '' } as Event)
          expect(stored).toEqual(approval)
        }
      },
    ),
  )
})

test.each([
  [answered(allow), 'allowed by ann'],
  [answered(deny), 'denied by bob'],
  [won(answered(deny), 'allow', 'dialog', 'call'), 'allowed in the dialog'],
  [won(asked, 'allow', 'other', 'telemetry'), 'allowed by a rule of the agent’s program'],
  [late, 'denied because nobody answered in time'],
  [closed, 'the agent asks no more'],
  [asked, 'nobody has answered'],
])('%# who won, in words: %s', (approval, words) => {
  expect(outcome(approval)).toBe(words)
})

test('what is shown is masked before it is cut, and says that it was cut', () => {
  const mask = (text: string): string => text.replaceAll('hunter22', '[redacted]')
  expect(shownInput({ command: 'echo hunter22' }, mask)).toEqual({ input: { command: 'echo [redacted]' } })
  const edge = shownInput({ command: `${'x'.repeat(9_996)}hunter22` }, mask)
  expect(edge.cut).toBe(true)
  expect(JSON.stringify(edge.input)).not.toContain('hunt')
  expect(shownInput('text', mask)).toEqual({ input: { input: 'text' } })
  const many = shownInput(
    Object.fromEntries(Array.from({ length: 90 }, (_, at) => [at, 'y'.repeat(5_000)])),
    mask,
  )
  expect([many.cut, JSON.stringify(many.input).length < 41_000]).toEqual([true, true])
  let deep: unknown = 1
  for (let at = 0; at < 5_000; at++) deep = { deep }
  expect(shownInput(deep, mask).cut).toBe(true)
})

test.each([
  [{ command: 'rm -r x', description: 'Clean' }, 'rm -r x'],
  [{ file_path: '/a\nb' }, '/a b'],
  [{ odd: 1 }, '{"odd":1}'],
])('%j is about %j', (input, gist) => {
  expect(gistOf({ input })).toBe(gist)
})

test.each([
  ['Bash', { command: 'git push origin main' }, 'Bash(git push origin main)'],
  ['Bash', { command: 'rm *' }, undefined],
  ['Bash', { command: 'a\nb' }, undefined],
  ['Bash', { command: '(cd x)' }, undefined],
  ['Bash', {}, undefined],
  ['Write', { file_path: '/w/a.ts' }, 'Edit(//w/a.ts)'],
  ['Edit', { file_path: '/w/[x]/a.ts' }, undefined],
  ['Read', { file_path: '/etc/hosts' }, 'Read(//etc/hosts)'],
  ['WebFetch', { url: 'https://x.org/a?b' }, 'WebFetch(domain:x.org)'],
  ['WebFetch', { url: 'https://user@evil.org' }, undefined],
  ['mcp__beads__list', { any: 1 }, 'mcp__beads__list'],
  ['Agent', { prompt: 'x' }, undefined],
  ['constructor', { file_path: '/x' }, undefined],
])('%s %j: the rule %s', (tool, input, rule) => {
  expect(ruleOf(tool, input)).toBe(rule)
})

test('only what was allowed for good is remembered, only in its session, only word by word', () => {
  const always: Approval = { ...asked, life: 'sent', answer: { ...allow, always: 'session', at: 1 } }
  expect(isRemembered([always], 's1', 'Bash(touch x)')).toBe(true)
  expect(isRemembered([always], 's2', 'Bash(touch x)')).toBe(false)
  expect(isRemembered([always], 's1', 'Bash(touch y)')).toBe(false)
  expect(isRemembered([always], 's1', undefined)).toBe(false)
  expect(isRemembered([answered(allow)], 's1', 'Bash(touch x)')).toBe(false)
  expect(isRemembered([won(always, 'deny', 'dialog', 'telemetry')], 's1', 'Bash(touch x)')).toBe(false)
})
