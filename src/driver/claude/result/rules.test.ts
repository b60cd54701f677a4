import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ends, lines } from '../../../../test/samples/read.ts'
import type { Exit, Result, StreamEvent, Usage } from '../../schema.ts'
import { readStream } from '../stream/rules.ts'
import { decisive, judge, noUsage, spent } from './rules.ts'

const run = (name: string) => {
  const events = lines(`stream/${name}.jsonl`).flatMap(readStream)
  const end = ends[name]
  if (!end) throw new Error(name)
  return { events, exit: { code: end.exit, signal: end.signal, stderr: end.stderr } }
}

test.each([
  ['tools', 'ok done'],
  ['resume', 'ok again'],
  ['fork', 'ok again'],
  ['compact', 'ok '],
  ['subagent', 'ok main done'],
  ['background', 'ok main done'],
  ['stop-block', 'ok t1'],
  ['structured', 'ok {"ok":true}'],
  ['used', 'fatal Error: Session ID 00000000-0000-4000-8000-000000000001 is already in use.'],
  ['unknown', 'fatal No conversation found with session ID: 00000000-0000-4000-8000-000000000099'],
  ['max-turns', 'max_turns Reached maximum number of turns (2)'],
  ['max-budget', 'budget Reached maximum budget ($0.01)'],
  ['auth', 'auth 401 Invalid API key · Fix external API key'],
  ['forbidden', 'auth 403 Failed to authenticate. API Error: 403 not allowed'],
  ['not-logged-in', 'auth Not logged in · Please run /login'],
  ['bad-request', 'fatal 400 API Error: 400 messages: bad'],
  ['credit', 'fatal 400 Credit balance is too low'],
  ['rate-limit', 'rate_limit 429 API Error: Request rejected (429) · slow down, after 2000 ms'],
  [
    'refused',
    'retryable API Error: Connection refused — a firewall or proxy may be blocking it (ECONNREFUSED)',
  ],
  ['sigint', 'interrupted the turn was interrupted'],
  ['sigint-early', 'interrupted the turn was interrupted'],
  ['deny-interrupt', 'interrupted the turn was interrupted'],
  ['sigterm', 'interrupted ended by SIGTERM'],
  ['sigkill', 'interrupted ended by SIGKILL'],
  ['prompt-blocked', 'blocked no such prompt'],
  [
    'keeper-dead',
    'blocked UserPromptSubmit operation blocked by hook:\n[http://127.0.0.1:4000/hook]: failed; blocking because onFailure is "block"\nconnect ECONNREFUSED 127.0.0.1:4000',
  ],
  ['keeper-dead-tool', 'ok x'],
])('the recorded run "%s"', (name, expected) => {
  const { events, exit } = run(name)
  const outcome = judge(events, exit)
  const { ok } = outcome
  const status = !ok && outcome.status !== undefined ? `${outcome.status} ` : ''
  const after = !ok && outcome.retryAfterMs !== undefined ? `, after ${outcome.retryAfterMs} ms` : ''
  expect(ok ? `ok ${outcome.text}` : `${outcome.class} ${status}${outcome.message}${after}`).toBe(expected)
  expect(judge(events.filter(decisive), exit)).toEqual(outcome)
})

test.each([
  ['too-long', 'context_overflow'],
  ['no-model', 'fatal'],
  ['server-error', 'retryable'],
  ['overload', 'overload'],
  ['max-tokens', 'fatal'],
  ['refusal', 'fatal'],
])('the recorded run "%s" failed: %s', (name, expected) => {
  const { events, exit } = run(name)
  expect(judge(events, exit)).toMatchObject({ ok: false, class: expected })
})

test('everything a good run tells', () => {
  const { events, exit } = run('tools')
  expect(judge(events, exit)).toEqual({
    ok: true,
    session: '00000000-0000-4000-8000-000000000001',
    text: 'done',
    turns: 7,
    total: { input: 400, output: 80, cacheRead: 0, cacheWrite: 0, costUsd: 0.0016 },
    denials: [{ id: 'toolu_tools_2_0', tool: 'Bash', input: { command: 'echo denied', description: 'd' } }],
  })
  const background = run('background')
  expect(judge(background.events, background.exit)).toMatchObject({ turns: 4 })
})

const good: Result = {
  session: 's',
  isError: false,
  subtype: 'success',
  reason: 'completed',
  text: 'done',
  turns: 1,
  denials: [],
  total: noUsage,
}
const result = (change: Partial<Result> = {}): StreamEvent => ({
  kind: 'result',
  result: { ...good, ...change },
})
const bad = (text: string, change: Partial<Result> = {}) =>
  result({ isError: true, reason: '', text, ...change })
const zero: Exit = { code: 0, signal: null, stderr: '' }
const one: Exit = { code: 1, signal: null, stderr: '' }

test.each<[string, StreamEvent[], Exit, object]>([
  ['all well', [result()], zero, { ok: true, text: 'done' }],
  ['a hook has ended it', [result({ reason: 'hook_stopped', text: '' })], zero, { ok: true, stopped: true }],
  [
    'a good result, but exit 1',
    [result()],
    { ...one, stderr: 'a\nclassifier unavailable\n' },
    { ok: false, class: 'fatal', message: 'classifier unavailable' },
  ],
  [
    'a good result, killed on the way out',
    [result()],
    { ...zero, code: 143 },
    { ok: false, class: 'interrupted' },
  ],
  ['exit 0, but an error', [bad('x')], zero, { ok: false, class: 'fatal', message: 'x' }],
  [
    'nothing at all, exit 0',
    [],
    zero,
    { ok: false, class: 'interrupted', message: 'ended without a result' },
  ],
  [
    'nothing at all, exit 1',
    [],
    one,
    { ok: false, class: 'fatal', message: 'ended with exit code 1 and no result' },
  ],
  ['words of the seed on stderr', [], { ...one, stderr: 'Rate limit exceeded' }, { class: 'rate_limit' }],
  ['network trouble on stderr', [], { ...one, stderr: 'network error' }, { class: 'retryable' }],
  [
    'a limit with its end in the text',
    [bad('Claude AI usage limit reached|1800000000')],
    one,
    { class: 'rate_limit', resetsAt: 1_800_000_000_000 },
  ],
  [
    'a limit with its end in an event',
    [
      { kind: 'limited', rejected: true, resetsAt: 5 },
      { kind: 'limited', rejected: false, resetsAt: 9 },
      bad("You've hit your session limit · resets 3pm"),
    ],
    one,
    { class: 'rate_limit', resetsAt: 5, message: "You've hit your session limit · resets 3pm" },
  ],
  [
    'an overflow that comes as 400',
    [bad('prompt is too long: 1 > 0', { status: 400 })],
    one,
    { class: 'context_overflow' },
  ],
  [
    'a bad request that speaks of connections',
    [bad('bad connection field', { status: 400 })],
    one,
    { class: 'fatal' },
  ],
  ['a conflict', [bad('x', { status: 409 })], one, { class: 'retryable' }],
  [
    'a blocked prompt of an older version',
    [result({ turns: 0, text: 'UserPromptSubmit operation blocked by hook:\nno' })],
    zero,
    { ok: false, class: 'blocked' },
  ],
  [
    'a command that exists only in a terminal',
    [result({ turns: 0, text: "/help isn't available in this environment." })],
    zero,
    { ok: false, class: 'fatal' },
  ],
  ['a command without a turn', [result({ turns: 0, text: '' })], zero, { ok: true }],
  [
    'a blocked prompt after work was done',
    [{ kind: 'prompt_blocked', reason: 'r' }, result({ turns: 2 })],
    zero,
    { ok: true },
  ],
])('%s', (_, events, exit, expected) => {
  expect(judge(events, exit)).toMatchObject(expected)
})

const usage = (output: number, costUsd: number): Usage => ({ ...noUsage, output, costUsd })

test.each([
  ['the first run', usage(80, 0.0016), undefined, usage(80, 0.0016)],
  ['a resumed session', usage(100, 0.002), usage(80, 0.0016), usage(20, 0.0004)],
  ['a fork, from its parent', usage(120, 0.0024000000000000002), usage(100, 0.002), usage(20, 0.0004)],
  ['a counter that began anew', usage(5, 0.0001), usage(100, 0.002), usage(5, 0.0001)],
  ['a run that told nothing', undefined, usage(100, 0.002), noUsage],
])('spent: %s', (_, total, before, expected) => {
  expect(spent(total, before)).toEqual(expected)
})

test('what runs spent adds up to the total', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(1000), fc.nat(1_000_000)), { minLength: 1 }), (runs) => {
      let total: Usage | undefined
      let sum = 0
      for (const [output, micros] of runs) {
        const next = usage((total?.output ?? 0) + output, (total?.costUsd ?? 0) + micros / 1e6)
        sum += spent(next, total).costUsd
        total = next
      }
      expect(sum).toBeCloseTo(total?.costUsd ?? 0, 6)
    }),
  )
})

test('no recorded failure is taken for a success, whatever the exit code was', () => {
  for (const name of [
    'auth',
    'overload',
    'sigint',
    'max-turns',
    'prompt-blocked',
    'keeper-dead',
    'too-long',
  ]) {
    const { events } = run(name)
    for (const code of [0, 1, 143]) expect(judge(events, { code, signal: null, stderr: '' }).ok).toBe(false)
  }
})
