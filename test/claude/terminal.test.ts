// Terminal mode beside the dialog: default mode, errors, leaving, coming back.
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { hookCommand, recorded } from '../twin/command.ts'
import type { Rig } from '../twin/rig.ts'
import { bash, says, turn } from '../twin/say.ts'
import { each, hooked, http } from '../twin/settings.ts'
import { keys, question } from '../twin/terminal.ts'
import { twin } from '../twin/twin.ts'
import { until } from '../twin/until.ts'

const events = [
  'UserPromptSubmit',
  'PreToolUse',
  'PermissionRequest',
  'PostToolUse',
  'Stop',
  'StopFailure',
  'SessionEnd',
]
const open = async (rig: Rig, args: string[]) => {
  const listener = await rig.listen()
  const terminal = await rig.terminal(args, { settings: hooked(each(events, http(listener.url))) })
  return { listener, terminal, send: terminal.send }
}

twin('without --permission-mode nobody is asked: the default is auto', async (make) => {
  const rig = await make([turn('go', [bash('touch ran')])])
  const { listener, terminal, send } = await open(rig, [])
  await send('go')
  await listener.until('Stop')
  expect(listener.events()).toEqual(['UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'Stop'])
  expect([existsSync(join(rig.work, 'ran')), question.test(terminal.screen())]).toEqual([true, false])
})

twin('an error of the API fires StopFailure, says why, and the session lives on', async (make) => {
  const rig = await make([
    { match: 'fail', replies: [{ error: { status: 500 }, times: 0 }] },
    says('go', 'Good day.'),
  ])
  const { listener, terminal, send } = await open(rig, ['--permission-mode', 'manual'])
  await send('fail')
  await listener.until('StopFailure')
  expect(listener.of('StopFailure')).toMatchObject([
    { error: 'server_error', last_assistant_message: expect.stringContaining('500') },
  ])
  await send('go')
  await terminal.sees('Good day.')
  await listener.until('Stop')
})

twin('Ctrl-C twice leaves with exit 0 and a SessionEnd', async (make) => {
  const rig = await make([])
  const { listener, terminal } = await open(rig, ['--permission-mode', 'manual'])
  for (let tries = 0; tries < 40 && terminal.code() === undefined; tries += 1) {
    terminal.write(keys.interrupt)
    await new Promise((done) => setTimeout(done, 250))
  }
  expect(await terminal.exited()).toBe(0)
  expect(listener.of('SessionEnd')).toMatchObject([{ reason: 'prompt_input_exit' }])
})

twin('SIGTERM ends a terminal session with its SessionEnd', async (make) => {
  const rig = await make([])
  const { listener, terminal } = await open(rig, ['--permission-mode', 'manual'])
  process.kill(terminal.pid, 'SIGTERM')
  expect(await terminal.exited()).toBe(143)
  expect(listener.of('SessionEnd').length).toBe(1)
})

twin('a session goes from print to terminal and back under one id', async (make) => {
  const rig = await make([
    says('one', 'First answer.'),
    says('two', 'Second answer.'),
    says('three', 'Third answer.'),
  ])
  const id = randomUUID()
  await rig.print('one', ['--session-id', id])
  const settings = hooked({ SessionStart: await hookCommand(rig, 'begin', 'exit 0') })
  const terminal = await rig.terminal(['--permission-mode', 'manual', '--resume', id], { settings })
  await terminal.sees('First answer.')
  await terminal.send('two')
  await terminal.sees('Second answer.')
  expect(await recorded(rig, 'begin')).toMatchObject([{ session_id: id, source: 'resume' }])
  await terminal.send('/exit')
  expect(await terminal.exited()).toBe(0)
  const { result } = await rig.print('three', ['--resume', id])
  expect([result?.session_id, result?.result]).toEqual([id, 'Third answer.'])
})

twin('a dialog that waits is told by a Notification', async (make) => {
  const rig = await make([turn('go', [bash('touch ran')])])
  const listener = await rig.listen()
  const terminal = await rig.terminal(['--permission-mode', 'manual'], {
    settings: hooked(each(['PermissionRequest', 'Notification'], http(listener.url))),
  })
  await terminal.send('go')
  await listener.until('Notification')
  expect(listener.events()).toEqual(['PermissionRequest', 'Notification'])
  expect(listener.of('Notification')).toMatchObject([{ notification_type: 'permission_prompt' }])
})

twin('a blocked prompt goes back to the input line: no Stop, and the reason is shown', async (make) => {
  const rig = await make([says('fine', 'Good day.')])
  const listener = await rig.listen(({ event, body }) =>
    event === 'UserPromptSubmit' && body.prompt === 'bad'
      ? { decision: 'block', reason: 'not here' }
      : undefined,
  )
  const terminal = await rig.terminal(['--permission-mode', 'manual'], {
    settings: hooked(each(events, http(listener.url))),
  })
  await terminal.send('bad')
  await terminal.sees('not here')
  // What comes next would be appended to it, and no header would come first.
  await terminal.sees(/^❯\s+bad/m)
  terminal.write(keys.clear)
  await terminal.gone(/^❯\s+bad/m)
  await terminal.send('fine')
  await listener.until('Stop')
  expect(listener.events()).toEqual(['UserPromptSubmit', 'UserPromptSubmit', 'Stop'])
})

twin('/compact: PreCompact, a nameless SubagentStop and a SessionStart, but no Stop', async (make) => {
  const rig = await make([says('hello', 'Good day.'), { replies: [{ text: 'A summary.', times: 0 }] }])
  const names = ['UserPromptSubmit', 'Stop', 'PreCompact', 'PostCompact', 'SubagentStop']
  const listener = await rig.listen()
  const settings = hooked({
    ...each(names, http(listener.url)),
    SessionStart: await hookCommand(rig, 'begin', 'exit 0'),
  })
  const terminal = await rig.terminal(['--permission-mode', 'manual'], { settings })
  await terminal.send('hello')
  await listener.until('Stop')
  await terminal.send('/compact')
  await listener.until('PostCompact')
  await until('the new beginning', async () => (await recorded(rig, 'begin')).length === 2)
  expect((await recorded(rig, 'begin')).map((body) => body.source)).toEqual(['startup', 'compact'])
  expect(listener.of('PreCompact')).toMatchObject([{ trigger: 'manual' }])
  expect(listener.events().filter((event) => event === 'Stop').length).toBe(1)
  // How many there are varies; none of them has a name.
  expect(new Set(listener.of('SubagentStop').map((body) => body.agent_type))).toEqual(new Set(['']))
})
