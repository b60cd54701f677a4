import fc from 'fast-check'
import { expect, test } from 'vitest'
import { mangled, values } from '../../../../test/samples/read.ts'
import { readTelemetry } from './rules.ts'

const bodies = (name: string): readonly unknown[] =>
  values(`telemetry/${name}.jsonl`).map((post) => (post as { body: unknown }).body)
const events = (name: string) => bodies(name).flatMap(readTelemetry)

const log = (name: string, attributes: Record<string, unknown>) => ({
  resourceLogs: [
    {
      scopeLogs: [
        {
          logRecords: [
            {
              timeUnixNano: '1794779398550000000',
              attributes: [
                { key: 'event.name', value: { stringValue: name } },
                { key: 'session.id', value: { stringValue: 's' } },
                ...Object.entries(attributes).map(([key, value]) => ({ key, value })),
              ],
            },
          ],
        },
      ],
    },
  ],
})
const text = (stringValue: string) => ({ stringValue })
const place = { session: 's', at: 1794779398550 }

test.each([
  [
    'tool_decision',
    {
      tool_use_id: text('t'),
      tool_name: text('Bash'),
      decision: text('accept'),
      source: text('user_temporary'),
    },
    { kind: 'decided', call: 't', tool: 'Bash', accepted: true, source: 'user_temporary', person: true },
  ],
  [
    'tool_decision',
    { tool_use_id: text('t'), tool_name: text('Bash'), decision: text('reject'), source: text('hook') },
    { kind: 'decided', call: 't', tool: 'Bash', accepted: false, source: 'hook', person: false },
  ],
  [
    'tool_result',
    { tool_use_id: text('t'), tool_name: text('Bash'), success: text('true'), duration_ms: text('26') },
    { kind: 'ended', ended: { call: 't', ok: true, ran: true }, tool: 'Bash', ms: 26 },
  ],
  [
    'api_request',
    {
      model: text('m'),
      input_tokens: { intValue: 100 },
      output_tokens: { intValue: '20' },
      cache_read_tokens: text('3'),
      cost_usd: { doubleValue: 0.5 },
    },
    {
      kind: 'requested',
      model: 'm',
      usage: { input: 100, output: 20, cacheRead: 3, cacheWrite: 0, costUsd: 0.5 },
    },
  ],
  [
    'api_error',
    { error: text('Overloaded'), status_code: text('529'), attempt: { intValue: 2 } },
    { kind: 'request_failed', error: 'Overloaded', status: 529, attempt: 2, final: false },
  ],
  [
    'api_error',
    { error: text('x'), status_code: text('undefined') },
    { kind: 'request_failed', error: 'x', final: false },
  ],
  ['user_prompt', { 'delivery.mode': text('mid_turn') }, { kind: 'prompted', midTurn: true }],
])('%s', (name, attributes, event) => {
  expect(readTelemetry(log(name, attributes))).toEqual([{ ...place, ...event }])
})

test.each([
  [undefined],
  ['text'],
  [{}],
  [{ resourceLogs: 7 }],
  [{ resourceLogs: [{ scopeLogs: [{ logRecords: [null, { attributes: 'x' }] }] }] }],
  [log('tool_result', { success: text('true') })],
  [log('constructor', {})],
  [log('plugin_loaded', {})],
])('nothing is read from %j', (body) => {
  expect(readTelemetry(body)).toEqual([])
})

test('a record that cannot be read does not hide its neighbours', () => {
  const body = log('user_prompt', {})
  body.resourceLogs[0]?.scopeLogs[0]?.logRecords.unshift(null as never)
  expect(readTelemetry(body)).toEqual([{ ...place, kind: 'prompted', midTurn: false }])
})

test('the dialog answered by a person, in the recorded terminal session', () => {
  expect(events('terminal').filter((event) => event.kind === 'decided' && event.person)).toEqual([
    {
      session: '00000000-0000-4000-8000-000000000009',
      at: 1794779519102,
      kind: 'decided',
      call: 'toolu_inter_4_0',
      tool: 'Bash',
      accepted: true,
      source: 'user_temporary',
      person: true,
    },
    {
      session: '00000000-0000-4000-8000-000000000009',
      at: 1794779520489,
      kind: 'decided',
      call: 'toolu_inter_6_0',
      tool: 'Bash',
      accepted: false,
      source: 'user_reject',
      person: true,
    },
  ])
})

test('requests and metrics of a recorded run tell the same amounts', () => {
  const first = events('tools').filter((event) => event.session === '00000000-0000-4000-8000-000000000001')
  const requested = first.flatMap((event) => (event.kind === 'requested' ? [event.usage] : []))
  const metric = (name: string, of: string) =>
    first.reduce(
      (total, event) =>
        event.kind === 'metric' && event.name === name && event.of === of ? total + event.value : total,
      0,
    )
  expect(requested.reduce((total, usage) => total + usage.output, 0)).toBe(metric('token.usage', 'output'))
  expect(requested.reduce((total, usage) => total + usage.costUsd, 0)).toBeCloseTo(
    metric('cost.usage', ''),
    9,
  )
})

test('errors of the API, with the last one marked', () => {
  const failures = events('overload').filter((event) => event.kind === 'request_failed')
  expect(failures.map((event) => [event.status, event.final])).toEqual([
    [529, false],
    [529, true],
  ])
})

test('a post with anything else in any place is read without an error', () => {
  fc.assert(
    fc.property(mangled([...bodies('tools'), ...bodies('overload')]), (body) => {
      expect(readTelemetry(body)).toBeInstanceOf(Array)
    }),
  )
})

test.each([
  ['generate_session_title', true],
  ['repl_main_thread', undefined],
  ['agent:custom', undefined],
  ['never_heard_of', undefined],
])('a request of %s is aside: %s', (source, aside) => {
  const [event] = readTelemetry(log('api_request', { query_source: text(source) }))
  expect(event?.kind === 'requested' && event.aside).toBe(aside)
})
