import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { filled, type Given, next, pieces, silence, stopOf } from './rules.ts'
import type { Scenario } from './schema.ts'

const play = (scenario: Scenario, heard: [string, boolean?][]): (string | undefined)[] => {
  let given: Given = []
  return heard.map(([said, subagent = false]) => {
    const taken = next(scenario, given, { said, subagent })
    given = taken.given
    return taken.reply.text
  })
}

test('replies come in order, each as often as it says, then silence', () => {
  const scenario = { scripts: [{ replies: [{ text: 'a' }, { text: 'b', times: 2 }, { text: 'c' }] }] }
  expect(play(scenario, Array(6).fill(['x']))).toEqual(['a', 'b', 'b', 'c', silence.text, silence.text])
})

test('times 0 is for ever', () => {
  expect(
    play({ scripts: [{ replies: [{ text: 'a', times: 0 }, { text: 'b' }] }] }, Array(4).fill(['x'])),
  ).toEqual(Array(4).fill('a'))
})

test('the first script that matches and has something left speaks', () => {
  const scenario = {
    scripts: [
      { match: 'one', replies: [{ text: '1' }] },
      { subagent: true, replies: [{ text: 'sub' }] },
      { replies: [{ text: 'any', times: 0 }] },
    ],
  }
  expect(play(scenario, [['say one'], ['say one'], ['two'], ['one', true], ['one', true]])).toEqual([
    '1',
    'any',
    'any',
    'sub',
    'any',
  ])
})

test.each([
  [{ text: 'x' }, 'end_turn'],
  [{ calls: [{ name: 'Bash', input: {} }] }, 'tool_use'],
  [{ calls: [] }, 'end_turn'],
  [{ stop: 'max_tokens' as const }, 'max_tokens'],
])('%j stops with %s', (reply, stop) => expect(stopOf(reply)).toBe(stop))

test('pieces are the whole text', () => {
  fc.assert(fc.property(fc.string({ maxLength: 500 }), (text) => pieces(text).join('') === text))
})

test('a call repeats what was heard last', () => {
  const call = (word: string) => ({
    calls: [{ name: 'Bash', input: { command: `say ${word}`, deep: [{ word }] } }],
  })
  const told = 'secret: old-1\nsecret: new-2, keep it'
  expect(filled(call('{{heard:secret: ([\\w-]+)}}'), told)).toEqual(call('new-2'))
  expect(filled(call('{{heard:key: (.+)}}'), told)).toEqual(call(''))
  expect(filled({ text: '{{heard:(.)}}' }, told)).toEqual({ text: '{{heard:(.)}}' })
})
