// Exit codes and results: neither tells the whole truth alone, `subtype` least of all.
import { expect } from 'vitest'
import { bash, says, turn } from '../twin/say.ts'
import { twin } from '../twin/twin.ts'

twin('a plain success', async (make) => {
  const rig = await make([says('go', 'Hello.')])
  const { code, result } = await rig.print('go')
  expect(code).toBe(0)
  expect(result).toMatchObject({
    type: 'result',
    subtype: 'success',
    is_error: false,
    result: 'Hello.',
    num_turns: 1,
    permission_denials: [],
    terminal_reason: 'completed',
    usage: { input_tokens: 100, output_tokens: 20 },
  })
  expect(result).not.toHaveProperty('exit_code')
})

twin('a refused tool is still a success', async (make) => {
  const rig = await make([turn('go', [bash('touch ran')])])
  const { code, result } = await rig.print('go', ['--permission-mode', 'manual'])
  expect([code, result?.is_error, result?.num_turns]).toEqual([0, false, 2])
  expect(result?.permission_denials).toMatchObject([
    { tool_name: 'Bash', tool_input: { command: 'touch ran', description: 'A step' } },
  ])
})

twin('--max-turns ends with an error of its own and no result text', async (make) => {
  const rig = await make([{ match: 'go', replies: [{ calls: [bash('true')], times: 0 }] }])
  const { code, result } = await rig.print('go', ['--allowedTools=Bash', '--max-turns', '2'])
  expect(code).toBe(1)
  expect(result).toMatchObject({
    subtype: 'error_max_turns',
    is_error: true,
    errors: ['Reached maximum number of turns (2)'],
    num_turns: 3,
  })
  expect(result).not.toHaveProperty('result')
})

twin('--max-budget-usd is checked after the call, so it overshoots', async (make) => {
  const rig = await make([
    {
      match: 'go',
      replies: [{ calls: [bash('true')], usage: { input: 1_000_000, output: 0 } }, { text: 'no' }],
    },
  ])
  const { code, result } = await rig.print('go', ['--allowedTools=Bash', '--max-budget-usd', '0.5'])
  expect([code, result?.subtype, result?.is_error, result?.terminal_reason]).toEqual([
    1,
    'error_max_budget_usd',
    true,
    'budget_exhausted',
  ])
  expect(result?.total_cost_usd).toBeGreaterThan(0.5)
})

const bad: Record<string, [string[], RegExp]> = {
  'a flag that does not exist': [['--prompt', 'x'], /unknown option/],
  'a missing settings file': [['--settings', '/nowhere/settings.json'], /not found/i],
  'stream-json without --verbose': [['--output-format', 'stream-json'], /--verbose/],
  'an unknown permission mode': [['--permission-mode', 'anything'], /permission-mode/],
}
for (const [name, [args, told]] of Object.entries(bad)) {
  twin(`${name}: exit 1, nothing on stdout`, async (make) => {
    const rig = await make([says('go', 'never said')])
    const { code, stdout, stderr } = await rig.print('go', args)
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(told)
  })
}

twin('no prompt at all: exit 1', async (make) => {
  const rig = await make([says('go', 'never said')])
  const { code, stdout, stderr } = await rig.print('')
  expect([code, stdout]).toEqual([1, ''])
  expect(stderr).toMatch(/Input must be provided/)
})

twin('a prompt of 200 kB on stdin is fine', async (make) => {
  const rig = await make([says('the very end', 'I read it.')])
  const { code, result } = await rig.print(`${'word '.repeat(40_000)} the very end`)
  expect([code, result?.result]).toEqual([0, 'I read it.'])
})

twin('--version', async (make) => {
  const rig = await make([])
  const { code, stdout } = await rig.bare(['--version']).ended
  expect(code).toBe(0)
  expect(stdout).toMatch(/^\d+\.\d+\.\d+\S* \(/)
})
