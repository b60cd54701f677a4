import { expect, test } from 'vitest'
import { values } from '../../../../test/samples/read.ts'
import type { HookEvent } from '../../schema.ts'
import { readHook } from '../hook/rules.ts'
import { match, track, type Waiting } from './rules.ts'

const place = { session: 's', cwd: '/c', transcript: '/t', turn: 'p1' }
const asked = (id: string, command: string, subagent?: string): HookEvent => ({
  ...place,
  ...(subagent ? { subagent: { id: subagent, type: 'x' } } : {}),
  kind: 'tool_asked',
  call: { id, tool: 'Bash', input: { command, description: 'd' } },
})
const request = (command: string, subagent?: string): HookEvent & { kind: 'permission_asked' } => ({
  ...place,
  ...(subagent ? { subagent: { id: subagent, type: 'x' } } : {}),
  kind: 'permission_asked',
  tool: 'Bash',
  input: { description: 'd', command },
})

/** Plays events; returns which call each request was matched to, and who still waits. */
const play = (events: readonly HookEvent[]) => {
  let waiting: readonly Waiting[] = []
  const found: (string | undefined)[] = []
  for (const event of events) {
    if (event.kind === 'permission_asked') {
      const result = match(waiting, event)
      found.push(result.call?.id)
      waiting = result.waiting
    } else waiting = track(waiting, event)
  }
  return { found, left: waiting.map((one) => one.call.id) }
}

const done = (id: string): HookEvent => ({
  ...place,
  kind: 'tool_done',
  call: { id, tool: 'Bash', input: {} },
})
const prompt = (turn: string): HookEvent => ({
  ...place,
  turn,
  kind: 'prompted',
  text: '',
  origin: 'person',
  reads: [],
})
const ended: HookEvent = { ...place, kind: 'turn_ended', again: false, last: '', background: [] }

test.each<[string, HookEvent[], (string | undefined)[], string[]]>([
  ['one call', [asked('a', 'x'), request('x')], ['a'], ['a']],
  [
    'parallel calls, asked in another order',
    [asked('a', 'x'), asked('b', 'y'), request('y'), request('x')],
    ['b', 'a'],
    ['a', 'b'],
  ],
  [
    'twice the same call: oldest first',
    [asked('a', 'x'), asked('b', 'x'), request('x'), request('x')],
    ['a', 'b'],
    ['a', 'b'],
  ],
  ['a call is asked about once', [asked('a', 'x'), request('x'), request('x')], ['a', undefined], ['a']],
  [
    'the same input in a subagent',
    [asked('a', 'x'), asked('b', 'x', 'sub'), request('x', 'sub'), request('x')],
    ['b', 'a'],
    ['a', 'b'],
  ],
  ['a subagent nobody knows', [asked('a', 'x'), request('x', 'sub')], [undefined], ['a']],
  ['input changed by a hook, one call', [asked('a', 'x'), request('changed')], ['a'], ['a']],
  [
    'input changed by a hook, several',
    [asked('a', 'x'), asked('b', 'y'), request('changed')],
    [undefined],
    ['a', 'b'],
  ],
  ['a call that has ended', [asked('a', 'x'), done('a'), request('x')], [undefined], []],
  ['after Esc the next turn forgets', [asked('a', 'x'), prompt('p2'), request('x')], [undefined], []],
  ['a message queued into the turn does not', [asked('a', 'x'), prompt('p1'), request('x')], ['a'], ['a']],
  [
    'a turn that ended leaves its background subagents',
    [asked('a', 'x'), asked('b', 'y', 'sub'), ended],
    [],
    ['b'],
  ],
  [
    'the end of the session forgets all',
    [asked('a', 'x', 'sub'), { ...place, kind: 'session_ended', reason: '' }],
    [],
    [],
  ],
])('%s', (_, events, found, left) => {
  expect(play(events)).toEqual({ found, left })
})

test('an input nested without end is compared without end of the stack', () => {
  const deep = (): unknown => JSON.parse(`${'['.repeat(50_000)}${']'.repeat(50_000)}`)
  const call = (id: string): HookEvent => ({
    ...place,
    kind: 'tool_asked',
    call: { id, tool: 'Bash', input: deep() },
  })
  const { found } = play([call('a'), call('b'), { ...request('x'), input: deep() }])
  expect(found).toEqual([undefined])
})

test('waiting calls are bounded', () => {
  const { left } = play(Array.from({ length: 1500 }, (_, index) => asked(`c${index}`, 'x')))
  expect([left.length, left[0], left.at(-1)]).toEqual([1000, 'c500', 'c1499'])
})

test.each([
  ['tools', ['toolu_tools_0_1', 'toolu_tools_1_2']],
  ['subagent', ['toolu_subagent_0_1', 'toolu_subagent_1_0']],
  ['background', ['toolu_background_0_1', 'toolu_background_1_0']],
  ['terminal', ['toolu_inter_4_0', 'toolu_inter_6_0']],
])('requests of the recorded session "%s"', (name, calls) => {
  const events = values(`hook/${name}.jsonl`).flatMap((body) => {
    const read = readHook(body)
    return read.ok ? [read.event] : []
  })
  expect(play(events).found.toSorted()).toEqual(calls)
})
