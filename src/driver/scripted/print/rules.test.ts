import { expect, test } from 'vitest'
import { exitOf, type Ran, refusedLine, resultLine, textOf } from './rules.ts'

const ran: Ran = {
  reason: 'completed',
  text: 'hi',
  turns: 1,
  usage: { input: 10, output: 5 },
  stop: 'end_turn',
  limits: { turns: 2, cost: 1 },
}
const report = {
  session: 's',
  uuid: 'u',
  index: 0,
  spent: { cost: 0.5, apiMs: 9, usage: {} },
  denials: [{ tool_name: 'Bash' }],
  ms: 11,
}
const trouble = { status: 500, type: 'api_error', message: 'm' }

test.each<[string, Partial<Ran>, object, number]>([
  [
    'fine',
    {},
    {
      subtype: 'success',
      is_error: false,
      result: 'hi',
      terminal_reason: 'completed',
      total_cost_usd: 0.5,
      num_turns: 1,
    },
    0,
  ],
  [
    'an API error',
    { reason: 'api_error', text: 'API Error', trouble },
    { subtype: 'success', is_error: true, api_error_status: 500, result: 'API Error' },
    1,
  ],
  [
    'too many turns',
    { reason: 'max_turns', turns: 3 },
    {
      subtype: 'error_max_turns',
      is_error: true,
      num_turns: 3,
      errors: ['Reached maximum number of turns (2)'],
    },
    1,
  ],
  [
    'too much money',
    { reason: 'budget_exhausted' },
    { subtype: 'error_max_budget_usd', is_error: true, errors: ['Reached maximum budget ($1)'] },
    1,
  ],
  [
    'interrupted',
    { reason: 'aborted_tools' },
    { subtype: 'error_during_execution', is_error: true, terminal_reason: 'aborted_tools' },
    1,
  ],
  ['stopped by a hook', { reason: 'hook_stopped' }, { subtype: 'success', is_error: false }, 0],
])('%s', (_, change, line, code) => {
  const made = resultLine({ ...ran, ...change }, report)
  expect(made).toMatchObject(line)
  expect('result' in made).toBe(!('errors' in made))
  expect(made).not.toHaveProperty('exit_code')
  expect(exitOf({ ...ran, ...change }, false, false)).toBe(code)
})

test('SIGINT exits 0 whatever came of it; a missing classifier exits 1 although all is well', () => {
  expect(exitOf({ ...ran, reason: 'aborted_tools' }, true, false)).toBe(0)
  expect(exitOf(ran, false, true)).toBe(1)
})

test('text is the answer, or what went wrong', () => {
  expect(textOf(ran)).toBe('hi')
  expect(textOf({ ...ran, reason: 'max_turns' })).toBe('Reached maximum number of turns (2)')
})

test('a session that cannot be resumed', () =>
  expect(refusedLine({ problem: 'No', session: 's' })).toEqual({
    type: 'result',
    subtype: 'error_during_execution',
    is_error: true,
    num_turns: 0,
    session_id: 's',
    errors: ['No'],
  }))
