// What budgets rest on: a hook that refuses a call can end the turn, and a run can be limited to what it may cost.
import { expect, test } from 'vitest'
import { budgetCases } from '../agent/budget.ts'
import { castOf } from '../agent/cast.ts'
import { bash } from '../twin/say.ts'
import { each, hooked, http, pre } from '../twin/settings.ts'
import { untilEntry } from '../twin/transcript.ts'
import { twin } from '../twin/twin.ts'

const events = ['UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'Stop'] as const
const steps = ['one', 'two', 'three'].map((name) => ({ calls: [bash(`touch ${name}`)] }))
const script = { match: 'go', replies: [...steps, { text: 'Done.' }] }
const ends = { continue: false, stopReason: 'used up', ...pre('deny', 'used up') }

/** Ends the turn at the second call. */
const second = () => {
  let calls = 0
  return ({ event }: { event: string }) => {
    if (event !== 'PreToolUse') return undefined
    calls += 1
    return calls === 2 ? ends : undefined
  }
}

twin('a refusal that ends the run: the call does not run, the model is not asked again', async (make) => {
  const rig = await make([script])
  const listener = await rig.listen(second())
  const { result, code } = await rig.stream('go', ['--allowedTools=Bash'], {
    settings: hooked(each(events, http(listener.url))),
  })
  expect(listener.events()).toEqual(['UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'PreToolUse'])
  expect(code).toBe(0)
  expect(result).toMatchObject({ is_error: false, terminal_reason: 'hook_stopped', result: '' })
  expect(Object.values(result?.modelUsage ?? {})).toMatchObject([{ outputTokens: 40 }])
})

twin('… at a terminal: no hook tells of the end, the transcript does', async (make) => {
  const rig = await make([script])
  const listener = await rig.listen(second())
  const terminal = await rig.terminal(['--permission-mode', 'manual', '--allowedTools=Bash'], {
    settings: hooked(each(events, http(listener.url))),
  })
  await terminal.send('go')
  await listener.until('PreToolUse', 2)
  const session = listener.of('PreToolUse')[0]?.session_id ?? ''
  await untilEntry(rig, session, 'the end of the turn', ({ attachment }) => {
    const { type, message } = (attachment ?? {}) as Record<string, unknown>
    return type === 'hook_stopped_continuation' && message === 'used up'
  })
  await terminal.sees(/hook stopped continuation: used up/)
  expect(listener.events()).toEqual(['UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'PreToolUse'])
})

twin('what a run may cost is its own, also when it goes on with a session', async (make) => {
  const rig = await make([{ match: 'go', replies: [{ calls: [bash('true')], times: 0 }] }])
  const args = ['--allowedTools=Bash', '--max-budget-usd=0.0025']
  const first = await rig.print('go', args)
  const { session_id = '' } = first.result ?? {}
  const again = await rig.print('go', [...args, '--resume', session_id])
  for (const { result } of [first, again])
    expect(result).toMatchObject({ subtype: 'error_max_budget_usd', terminal_reason: 'budget_exhausted' })
  const [one = 0, two = 0] = [first, again].map(({ result }) => Number(result?.total_cost_usd))
  expect(one).toBeGreaterThanOrEqual(0.0025)
  expect(two - one).toBeGreaterThanOrEqual(0.0025)
})

const cast = castOf('claude')
for (const [name, run] of Object.entries(budgetCases)) test(name, () => run(cast))
