import { expect, test } from 'vitest'
import { invalid, offered, suggestion, timeoutOf } from './rules.ts'

test.each([
  [undefined, [], ['Bash', 'Write', 'Edit', 'Read', 'Agent']],
  [['Bash', 'Task'], [], ['Bash', 'Agent']],
  [[], [], []],
  [undefined, ['Bash', 'Task'], ['Write', 'Edit', 'Read']],
])('of %j without %j there are %j', (asked, refused, there) => expect(offered(asked, refused)).toEqual(there))

test.each([
  ['Bash', { command: 'x' }, undefined],
  [
    'Bash',
    {},
    'InputValidationError: Bash failed due to the following issue:\nThe required parameter `command` is missing',
  ],
  [
    'Write',
    { file_path: 1, content: '' },
    'InputValidationError: Write failed due to the following issue:\nThe required parameter `file_path` is missing',
  ],
])('%s with %j', (tool, input, problem) => expect(invalid(tool, input)).toBe(problem))

test.each([
  [{}, 120_000],
  [{ timeout: 5 }, 5],
  [{ timeout: 1e9 }, 600_000],
  [{ timeout: -1 }, 120_000],
])('%j may take %i ms', (input, ms) => expect(timeoutOf(input)).toBe(ms))

test('what a dialog offers for next time', () => {
  expect(suggestion('Bash', { command: 'touch a' })).toEqual([
    {
      type: 'addRules',
      rules: [{ toolName: 'Bash', ruleContent: 'touch *' }],
      behavior: 'allow',
      destination: 'localSettings',
    },
  ])
  expect(suggestion('Write', {})).toEqual([{ type: 'setMode', mode: 'acceptEdits', destination: 'session' }])
})
