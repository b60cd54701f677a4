// The end of a turn: blocks are obeyed eight times in a row, then overridden.
import { expect } from 'vitest'
import { bash } from '../twin/say.ts'
import { block, hooked, http } from '../twin/settings.ts'
import { twin } from '../twin/twin.ts'

const chatter = [{ replies: [{ text: 'I am done.', times: 0 }] }]

twin('a Stop hook that always blocks is overridden after eight, and nothing says so', async (make) => {
  const rig = await make(chatter)
  const listener = await rig.listen(() => block('not yet'))
  const { code, result } = await rig.print('go', [], { settings: hooked({ Stop: http(listener.url) }) })
  expect([code, result?.is_error, result?.result]).toEqual([0, false, ''])
  const active = listener.of('Stop').map((body) => body.stop_hook_active)
  expect(active.slice(0, 8)).toEqual([false, true, true, true, true, true, true, true])
  expect(active.length).toBeLessThanOrEqual(9)
})

twin('the cap can be set', async (make) => {
  const rig = await make(chatter)
  const listener = await rig.listen(() => block('not yet'))
  const env = { CLAUDE_CODE_STOP_HOOK_BLOCK_CAP: '3' }
  const { code, result } = await rig.print('go', [], { env, settings: hooked({ Stop: http(listener.url) }) })
  expect([code, result?.result]).toEqual([0, ''])
  expect([3, 4]).toContain(listener.of('Stop').length)
})

twin('blocked stops count as turns', async (make) => {
  const rig = await make(chatter)
  const listener = await rig.listen(() => block('not yet'))
  const { code, result } = await rig.print('go', ['--max-turns', '2'], {
    settings: hooked({ Stop: http(listener.url) }),
  })
  expect([code, result?.subtype]).toEqual([1, 'error_max_turns'])
})

twin('Stop carries the last words', async (make) => {
  const rig = await make([
    { match: 'go', replies: [{ text: 'First.', calls: [bash('true')] }, { text: 'Last.' }] },
  ])
  const listener = await rig.listen()
  const { result } = await rig.print('go', ['--allowedTools=Bash'], {
    settings: hooked({ Stop: http(listener.url) }),
  })
  expect(listener.of('Stop')).toMatchObject([
    {
      session_id: result?.session_id,
      stop_hook_active: false,
      last_assistant_message: 'Last.',
      background_tasks: [],
      session_crons: [],
    },
  ])
})

twin('continue: false ends the run whatever else is said', async (make) => {
  const rig = await make(chatter)
  const listener = await rig.listen(() => ({ continue: false, stopReason: 'enough', ...block('not yet') }))
  const { code, result } = await rig.print('go', [], { settings: hooked({ Stop: http(listener.url) }) })
  expect([code, result?.terminal_reason, listener.hooks.length]).toEqual([0, 'stop_hook_prevented', 1])
})
