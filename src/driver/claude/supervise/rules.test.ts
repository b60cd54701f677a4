import { expect, test } from 'vitest'
import { lines, values } from '../../../../test/samples/read.ts'
import type { Ended } from '../../schema.ts'
import { readHook } from '../hook/rules.ts'
import { readStream } from '../stream/rules.ts'
import { readTelemetry } from '../telemetry/rules.ts'
import { readTranscript } from '../transcript/rules.ts'
import { unasked } from './rules.ts'

const end = (call: string, ran = true): Ended => ({ call, ok: true, ran })

test.each([
  [[], [], []],
  [['a'], [end('a')], []],
  [[], [end('a')], ['a']],
  [[], [end('a', false)], []],
  [['b'], [end('a'), end('b'), end('a')], ['a']],
])('asked %j, ended %j', (asked, ended, calls) => {
  expect(unasked(new Set(asked), ended)).toEqual(calls)
})

const askedIn = (name: string): ReadonlySet<string> =>
  new Set(
    values(`hook/${name}.jsonl`).flatMap((body) => {
      const read = readHook(body)
      return read.ok && read.event.kind === 'tool_asked' ? [read.event.call.id] : []
    }),
  )
const endsOf = (events: readonly { readonly kind: string }[]): readonly Ended[] =>
  events.flatMap((event) => (event.kind === 'ended' && 'ended' in event ? [event.ended as Ended] : []))

const sources: Readonly<Record<string, (name: string) => readonly Ended[]>> = {
  stream: (name) => endsOf(lines(`stream/${name}.jsonl`).flatMap(readStream)),
  transcript: (name) => endsOf(lines(`transcript/${name}.jsonl`).flatMap(readTranscript)),
  telemetry: (name) =>
    endsOf(
      values(`telemetry/${name}.jsonl`).flatMap((post) => readTelemetry((post as { body: unknown }).body)),
    ),
}

test.each([
  ['stream', 'tools', 6],
  ['stream', 'subagent', 3],
  ['stream', 'background', 3],
  ['transcript', 'tools', 6],
  ['transcript', 'terminal', 3],
  ['telemetry', 'tools', 4],
  ['telemetry', 'subagent', 3],
])('the %s of the recorded session "%s" shows no call that was not asked about', (source, name, count) => {
  const ended = sources[source]?.(name) ?? []
  expect(new Set(ended.map((one) => one.call)).size).toBe(count)
  expect(unasked(askedIn(name), ended)).toEqual([])
  // With no hooks every call that ran is noticed, and only those.
  const ran = new Set(ended.filter((one) => one.ran).map((one) => one.call))
  expect(unasked(new Set(), ended)).toEqual([...ran])
})
