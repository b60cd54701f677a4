import fc from 'fast-check'
import { expect, test } from 'vitest'
import { forkTranscript } from './rules.ts'

const ids = { from: 'parent', to: 'child' }
const said = (type: 'user' | 'assistant', content: unknown, more: object = {}) => ({
  type,
  message: { role: type, content },
  sessionId: 'parent',
  ...more,
})
const prompt = (text: string) => said('user', text, { promptSource: 'typed' })
const call = (...names: string[]) =>
  said(
    'assistant',
    names.map((id) => ({ type: 'tool_use', id, name: 'Bash', input: {} })),
  )
const end = (id: string) =>
  said('user', [{ type: 'tool_result', tool_use_id: id, content: 'x' }], { session_id: 'parent' })
const words = said('assistant', [{ type: 'text', text: 'Done.' }])
const mode = { type: 'mode', mode: 'normal', sessionId: 'parent' }
const other = { type: 'summary', sessionId: 'another' }

const text = (...lines: readonly object[]): string =>
  lines.map((line) => `${JSON.stringify(line)}\n`).join('')
const renamed = (...lines: readonly object[]): string => text(...lines).replaceAll('"parent"', '"child"')

test.each<[string, readonly object[], readonly object[] | undefined]>([
  ['nothing', [], undefined],
  ['no word yet', [mode, other], undefined],
  ['a turn', [mode, prompt('a'), words, other], [mode, prompt('a'), words, other]],
  ['a call that ended', [prompt('a'), call('1'), end('1'), words], [prompt('a'), call('1'), end('1'), words]],
  ['a call at work', [prompt('a'), words, call('1'), mode], [prompt('a'), words]],
  ['one of two at work', [prompt('a'), call('1'), call('2'), end('1')], [prompt('a')]],
  ['one of two in a message', [prompt('a'), call('1', '2'), end('2')], [prompt('a')]],
  ['nothing but a call', [mode, call('1')], undefined],
])('%s', (_, before, after) => {
  expect(forkTranscript(text(...before), ids)).toBe(after && renamed(...after))
})

test('what is torn or still being written is left out', () => {
  const whole = text(prompt('a'), words)
  expect(forkTranscript(`${whole}{"type":"user","sess`, ids)).toBe(renamed(prompt('a'), words))
  expect(forkTranscript(`{"half\n\0\0\0\n[]\n7\n${whole}`, ids)).toBe(renamed(prompt('a'), words))
  expect(forkTranscript('no line at all', ids)).toBeUndefined()
})

test('however it was cut, no call of the copy is open', () => {
  const lines = fc.array(fc.tuple(fc.constantFrom('call', 'end', 'words'), fc.constantFrom('1', '2', '3')))
  fc.assert(
    fc.property(lines, (story) => {
      const told = story.map(([kind, id]) => (kind === 'call' ? call(id) : kind === 'end' ? end(id) : words))
      const copy = forkTranscript(text(prompt('a'), ...told), ids) ?? ''
      for (const id of ['1', '2', '3'])
        if (copy.includes(`"id":"${id}"`)) expect(copy).toContain(`"tool_use_id":"${id}"`)
      expect(copy).not.toContain('"parent"')
    }),
  )
})
