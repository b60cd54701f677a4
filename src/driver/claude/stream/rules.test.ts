import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ends, lines, mangled, values } from '../../../../test/samples/read.ts'
import { type Cut, nothing, readCut, readStream, split } from './rules.ts'

const feed = (chunks: readonly string[], cap: number) => {
  let rest = nothing
  const found: Cut[] = []
  for (const chunk of chunks) {
    const next = split(rest, chunk, cap)
    found.push(...next.lines)
    rest = next.rest
  }
  return { found, rest }
}

test.each([
  [['a\nb\n'], 10, ['a:1', 'b:1'], nothing],
  [['a', 'b', '\n', 'c'], 10, ['ab:2'], { text: 'c', skipped: 0 }],
  [['\n\n'], 10, [':0', ':0'], nothing],
  [['abcdef\nx\n'], 4, ['abcd:6', 'x:1'], nothing],
  [['abc', 'def', 'ghi\nx\n'], 4, ['abcd:9', 'x:1'], nothing],
  [['abcdef'], 4, [], { text: 'abcd', skipped: 2 }],
])('%j cut at %i', (chunks, cap, cuts, rest) => {
  const result = feed(chunks, cap)
  expect(result.found.map(({ text, length }) => `${text}:${length}`)).toEqual(cuts)
  expect(result.rest).toEqual(rest)
})

test('however output is cut into chunks, its lines are the same', () => {
  const text = fc.array(fc.constantFrom('a', 'bc', '\n', 'ü')).map((pieces) => pieces.join(''))
  fc.assert(
    fc.property(text, fc.array(fc.nat(20)), (output, sizes) => {
      const chunks: string[] = []
      let at = 0
      for (const size of sizes) {
        chunks.push(output.slice(at, at + size))
        at += size
      }
      chunks.push(output.slice(at))
      expect(feed(chunks, 3)).toEqual(feed([output], 3))
    }),
  )
})

const toolResult = (block: object, more: object = {}) =>
  JSON.stringify({
    type: 'user',
    message: { content: [{ type: 'tool_result', tool_use_id: 't', ...block }] },
    ...more,
  })
const meta = (fields: object) => ({ tool_result_meta: [{ id: 't', ...fields }] })
const accepted = meta({ permission_decision: { decision: 'accept', source: 'config' } })

test.each([
  ['it ran', toolResult({ content: 'x', is_error: false }, accepted), { ok: true, ran: true }],
  [
    'it ran and failed',
    toolResult({ content: 'Exit code 1', is_error: true }, accepted),
    { ok: false, ran: true },
  ],
  ['no word about it', toolResult({ content: 'x' }), { ok: true, ran: true }],
  [
    'turned down',
    toolResult({ content: '<tool_use_error>No such tool', is_error: true }),
    { ok: false, ran: false },
  ],
  ['a tool that prints those words', toolResult({ content: '<tool_use_error>' }), { ok: true, ran: true }],
  [
    'a failing tool that prints those words',
    toolResult({ content: '<tool_use_error>', is_error: true }, accepted),
    { ok: false, ran: true },
  ],
  [
    'denied by a hook',
    toolResult({ is_error: true }, meta({ permission_decision: { decision: 'reject' } })),
    { ok: false, ran: false },
  ],
  [
    'refused by the person',
    toolResult({ is_error: true }, meta({ non_execution_kind: 'user-rejected' })),
    { ok: false, ran: false },
  ],
])('a result: %s', (_, text, ended) => {
  expect(readStream(text)).toEqual([{ kind: 'ended', ended: { call: 't', ...ended } }])
})

test.each([
  ['', []],
  ['Warning: no stdin data', [{ kind: 'noise', text: 'Warning: no stdin data', length: 22 }]],
  ['{"type":"assist', [{ kind: 'noise', text: '{"type":"assist', length: 15 }]],
  ['null', [{ kind: 'noise', text: 'null', length: 4 }]],
  ['[1]', [{ kind: 'noise', text: '[1]', length: 3 }]],
  ['{"type":"result"}', [{ kind: 'noise', text: '{"type":"result"}', length: 17 }]],
  ['{"type":"new_thing","x":1}', [{ kind: 'other', type: 'new_thing' }]],
  ['{"type":"system","subtype":"new"}', [{ kind: 'other', type: 'system/new' }]],
  ['{"type":"assistant"}', []],
  [
    '{"type":"assistant","message":{"content":[7,{"type":"thinking"},{"type":"text","text":"a"}]}}',
    [{ kind: 'said', text: 'a' }],
  ],
  [
    '{"type":"assistant","parent_tool_use_id":"p","message":{"content":[{"type":"tool_use","id":"t","name":"Bash","input":{"a":1}}]}}',
    [{ kind: 'called', call: { id: 't', tool: 'Bash', input: { a: 1 } }, parent: 'p' }],
  ],
  ['{"type":"user","message":{"content":"[Request interrupted by user] I typed"}}', []],
  [
    '{"type":"user","message":{"content":[{"type":"text","text":"[Request interrupted by user for tool use]"}]}}',
    [{ kind: 'interrupted' }],
  ],
  [
    '{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":1800000000}}',
    [{ kind: 'limited', rejected: true, resetsAt: 1_800_000_000_000 }],
  ],
  [
    '{"type":"rate_limit_event","rate_limit_info":{"status":"allowed_warning"}}',
    [{ kind: 'limited', rejected: false }],
  ],
])('%j', (text, events) => {
  expect(readStream(text)).toEqual(events)
})

test('a line beyond the cap is noise with its length, even if its beginning were JSON', () => {
  expect(readCut({ text: '{"type":"system"}', length: 1_000_000 })).toEqual([
    { kind: 'noise', text: '{"type":"system"}', length: 1_000_000 },
  ])
  expect(readCut({ text: '{"type":"x"}', length: 12 })).toEqual([{ kind: 'other', type: 'x' }])
})

test('a line with anything else in any place is read without an error', () => {
  const recorded = ['tools', 'overload', 'background'].flatMap((name) => values(`stream/${name}.jsonl`))
  fc.assert(
    fc.property(mangled(recorded), (value) => {
      expect(readStream(JSON.stringify(value))).toBeInstanceOf(Array)
    }),
  )
})

const kinds = (name: string): string =>
  lines(`stream/${name}.jsonl`)
    .flatMap(readStream)
    .map((event) => (event.kind === 'ended' ? `ended:${event.ended.ok}:${event.ended.ran}` : event.kind))
    .filter((kind) => kind !== 'other' && kind !== 'answered')
    .join(' ')

test.each([
  [
    'tools',
    'started said called called ended:true:true ended:true:true called called ended:false:false called ended:false:true ended:false:true called ended:false:false said result',
  ],
  [
    'background',
    'started called called ended:true:true called ended:true:true ended:true:true said said started said result result',
  ],
  ['overload', 'started retrying failed result'],
  ['sigterm', 'started called ended:false:true'],
  ['sigint', 'started called ended:false:false interrupted result'],
  ['prompt-blocked', 'started prompt_blocked result'],
  ['keeper-dead', 'started prompt_blocked result'],
  ['keeper-dead-tool', 'started called ended:false:false said result'],
  ['compact', 'started compacted result'],
  ['used', ''],
])('the recorded run "%s"', (name, expected) => {
  expect(kinds(name)).toBe(expected)
})

test('each piece of an answer names it, so that whoever counts can count it once', () => {
  const found = lines('stream/tools.jsonl')
    .flatMap(readStream)
    .flatMap((event) => (event.kind === 'answered' ? [event] : []))
  expect(found).toHaveLength(8)
  expect(new Set(found.map(({ id }) => id)).size).toBe(4)
  expect(found[0]?.usage).toEqual({ input: 100, output: 1, cacheRead: 0, cacheWrite: 0 })
})

test('no recorded line is noise', () => {
  const all = Object.keys(ends).flatMap((name) => lines(`stream/${name}.jsonl`).flatMap(readStream))
  expect(all.length).toBeGreaterThan(100)
  expect(all.filter((event) => event.kind === 'noise')).toEqual([])
})
