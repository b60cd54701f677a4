// The program on a PTY, seen through a terminal.
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { hookCommand, recorded } from '../../../../test/twin/command.ts'
import { firstRun } from '../../../../test/twin/place.ts'
import { makeRig, type Rig } from '../../../../test/twin/rig.ts'
import { bash, says, turn } from '../../../../test/twin/say.ts'
import { each, hooked, http, permit } from '../../../../test/twin/settings.ts'
import { keys } from '../../../../test/twin/terminal.ts'
import { transcript, untilEntry } from '../../../../test/twin/transcript.ts'
import { until } from '../../../../test/twin/until.ts'
import type { Scenario } from '../scenario/schema.ts'

const events = ['UserPromptSubmit', 'PreToolUse', 'PermissionRequest', 'PostToolUse', 'Stop', 'SessionEnd']
const manual = ['--permission-mode', 'manual']
const make = (scripts: Scenario['scripts']) => makeRig('scripted', scripts)
const open = async (rig: Rig, answer: Parameters<Rig['listen']>[0] = () => undefined, args = manual) => {
  const listener = await rig.listen(answer)
  const terminal = await rig.terminal(args, { settings: hooked(each(events, http(listener.url))) })
  return { listener, terminal }
}
const said = async (rig: Rig, session: string) => JSON.stringify(await transcript(rig, session))

test('a prompt is typed, answered and shown; /exit says how to come back', async () => {
  const rig = await make([says('hello', 'Good day.')])
  const { listener, terminal } = await open(rig)
  terminal.write('hello\r')
  await terminal.sees('Good day.')
  await listener.until('Stop')
  terminal.write('/exit\r')
  expect(await terminal.exited()).toBe(0)
  await terminal.sees(`claude --resume ${listener.hooks[0]?.body.session_id}`)
  expect(listener.events()).toEqual(['UserPromptSubmit', 'Stop', 'SessionEnd'])
  expect(listener.of('SessionEnd')[0]?.reason).toBe('prompt_input_exit')
})

test('only Enter submits: newlines typed or pasted stay in the text', async () => {
  const rig = await make([{ replies: [{ text: 'Read.' }] }])
  const { listener, terminal } = await open(rig)
  const lines = Array.from({ length: 30 }, (_, i) => `line ${i}`).join('\n')
  terminal.write('typed\nthen ')
  await terminal.send(lines)
  expect((await listener.until('UserPromptSubmit')).body.prompt).toBe(`typed\nthen ${lines}`)
})

test.each([
  ['1', true],
  [keys.enter, true],
  // A paste is no answer, the Enter behind it is.
  ['\x1b[200~no\x1b[201~\r', true],
  ['3', false],
  [keys.escape, false],
])('the dialog and %j: runs %s', async (key, runs) => {
  const rig = await make([turn('go', [bash('touch ran')]), says('next', 'Yes.')])
  const { listener, terminal } = await open(rig)
  await terminal.send('go')
  expect(await terminal.sees('Do you want to proceed?')).toMatch(/❯ 1\. Yes\n {2}2\. .*\n {2}3\. No/)
  await terminal.answer(key)
  if (runs) await listener.until('Stop')
  else {
    await untilEntry(rig, String(listener.hooks[0]?.body.session_id), 'a refusal', (entry) =>
      JSON.stringify(entry.message ?? '').includes('[Request interrupted by user for tool use]'),
    )
    await terminal.gone('esc to interrupt')
  }
  // After a refusal no hook fires at all.
  const after = runs ? ['PostToolUse', 'Stop'] : []
  expect(listener.events()).toEqual(['UserPromptSubmit', 'PreToolUse', 'PermissionRequest', ...after])
  expect(existsSync(join(rig.work, 'ran'))).toBe(runs)
})

test('always: the rule is written down and not asked for again', async () => {
  const rig = await make([turn('go', [bash('touch one'), bash('touch two')])])
  const { listener, terminal } = await open(rig)
  await terminal.send('go')
  await terminal.answer('2')
  await listener.until('Stop')
  expect(listener.of('PermissionRequest')).toHaveLength(1)
  const saved = JSON.parse(await readFile(join(rig.work, '.claude/settings.local.json'), 'utf8'))
  expect(saved.permissions.allow).toEqual(['Bash(touch *)'])
})

test('a hook that answers takes the dialog away; a person who is faster makes it leave', async () => {
  const rig = await make([turn('go', [bash('touch one')]), turn('on', [bash('touch two')])])
  let release: (answer: object) => void = () => undefined
  const { listener, terminal } = await open(rig, ({ event }) =>
    event === 'PermissionRequest'
      ? new Promise((done) => {
          release = done
        })
      : undefined,
  )
  await terminal.send('go')
  await terminal.sees('Do you want to proceed?')
  release(permit('allow'))
  await terminal.gone('Do you want to proceed?')
  await listener.until('Stop')
  expect(existsSync(join(rig.work, 'one'))).toBe(true)
  await terminal.send('on')
  await terminal.answer('1')
  await listener.until('Stop', 2)
  const held = listener.hooks.filter(({ event }) => event === 'PermissionRequest')[1]
  await until('the held hook to be let go', () => held?.left)
  expect(existsSync(join(rig.work, 'two'))).toBe(true)
})

test('what is sent during a call is queued, told at once, and goes in with the result', async () => {
  const rig = await makeRig('scripted', ({ dir }) => [
    { match: 'new message', replies: [{ text: 'Both.' }] },
    { match: 'go', replies: [{ calls: [bash(`until [ -e '${dir}/open' ]; do sleep 0.1; done`)] }] },
  ])
  const { listener, terminal } = await open(rig, () => undefined, [...manual, '--allowedTools=Bash'])
  await terminal.send('go')
  await listener.until('PreToolUse')
  await terminal.send('more')
  await listener.until('UserPromptSubmit', 2)
  await terminal.sees('Press up to edit queued messages')
  await rig.write('open', '')
  await terminal.sees('Both.')
  await listener.until('Stop')
  expect(listener.events().filter((event) => event === 'Stop')).toHaveLength(1)
})

test('a queued prompt that a hook blocks is dropped', async () => {
  const rig = await makeRig('scripted', ({ dir }) => [
    {
      match: 'go',
      replies: [{ calls: [bash(`until [ -e '${dir}/open' ]; do sleep 0.1; done`)] }, { text: 'Alone.' }],
    },
  ])
  const { listener, terminal } = await open(
    rig,
    ({ body }) => (body.prompt === 'more' ? { decision: 'block', reason: 'not now' } : undefined),
    [...manual, '--allowedTools=Bash'],
  )
  await terminal.send('go')
  await listener.until('PreToolUse')
  await terminal.send('more')
  await terminal.sees('not now')
  await rig.write('open', '')
  await terminal.sees('Alone.')
})

test('Esc in a call ends the call and the turn without a hook', async () => {
  const rig = await make([turn('go', [bash('touch began; sleep 60')]), says('next', 'Yes.')])
  const { listener, terminal } = await open(rig, () => undefined, [...manual, '--allowedTools=Bash'])
  await terminal.send('go')
  await until('the call', () => existsSync(join(rig.work, 'began')))
  terminal.write(keys.escape)
  await terminal.sees('Interrupted')
  expect(await said(rig, String(listener.hooks[0]?.body.session_id))).toContain(
    '[Request interrupted by user for tool use]',
  )
  await terminal.send('next')
  await listener.until('Stop')
  expect(listener.events()).toEqual(['UserPromptSubmit', 'PreToolUse', 'UserPromptSubmit', 'Stop'])
})

test('Esc while a hook is held lets it go', async () => {
  const rig = await make([turn('go', [bash('touch ran')])])
  const { listener, terminal } = await open(rig, ({ event }) => (event === 'PreToolUse' ? 'hang' : undefined))
  await terminal.send('go')
  const held = await listener.until('PreToolUse')
  terminal.write(keys.escape)
  await until('the held hook to be let go', () => held.left)
  await terminal.sees('Interrupted')
  expect(existsSync(join(rig.work, 'ran'))).toBe(false)
})

test('Esc while the prompt is still with its hook gives it back', async () => {
  const rig = await make([says('go', 'never said')])
  const { listener, terminal } = await open(rig, ({ event }) =>
    event === 'UserPromptSubmit' ? 'hang' : undefined,
  )
  await terminal.send('go')
  const held = await listener.until('UserPromptSubmit')
  terminal.write(keys.escape)
  await until('the held hook to be let go', () => held.left)
  await terminal.sees(/^❯ go/m)
})

test('! runs in the shell past every hook; the model hears of it', async () => {
  const rig = await make([{ match: 'bash-stdout', replies: [{ text: 'Seen.' }] }])
  const { listener, terminal } = await open(rig)
  terminal.write('!echo A$((1+1))B\r')
  await terminal.sees('A2B')
  await terminal.sees('Seen.')
  await listener.until('Stop')
  expect(listener.events()).toEqual(['Stop'])
})

test('/compact: its hooks, in their order', async () => {
  const rig = await make([{ match: 'detailed summary', replies: [{ text: 'In short.' }] }])
  const all = await hookCommand(rig, 'all', 'exit 0')
  const names = ['SessionStart', 'PreCompact', 'PostCompact', 'SubagentStop', 'Stop', 'UserPromptSubmit']
  const terminal = await rig.terminal(manual, { settings: hooked(each(names, all)) })
  terminal.write('/compact\r')
  await until('PostCompact', async () => (await recorded(rig, 'all')).length >= 5)
  expect(
    (await recorded(rig, 'all')).map((body) => [body.hook_event_name, body.source ?? body.agent_type ?? '']),
  ).toEqual([
    ['SessionStart', 'startup'],
    ['PreCompact', ''],
    ['SubagentStop', ''],
    ['SessionStart', 'compact'],
    ['PostCompact', ''],
  ])
})

test('Ctrl-C twice leaves', async () => {
  const rig = await make([])
  const { listener, terminal } = await open(rig)
  terminal.write(keys.interrupt)
  await terminal.sees('Press Ctrl-C again to exit')
  // Two at once: on a busy machine the first may have been too long ago.
  terminal.write(keys.interrupt + keys.interrupt)
  expect(await terminal.exited()).toBe(0)
  expect(listener.events()).toEqual(['SessionEnd'])
})

test.each([
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const)('%s ends it with %i, after SessionEnd', async (signal, code) => {
  const rig = await make([])
  const { listener, terminal } = await open(rig)
  process.kill(terminal.pid, signal)
  expect(await terminal.exited()).toBe(code)
  expect(listener.of('SessionEnd').map((body) => body.reason)).toEqual(['other'])
})

test('an error of the API leaves it waiting for the next prompt', async () => {
  const rig = await make([
    { match: 'go', replies: [{ error: { status: 500, message: 'Oops' }, times: 0 }] },
    says('next', 'Yes.'),
  ])
  const listener = await rig.listen()
  const settings = hooked(each(['Stop', 'StopFailure'], http(listener.url)))
  const terminal = await rig.terminal(manual, { settings })
  await terminal.send('go')
  await terminal.sees('API Error: 500 Oops')
  await terminal.send('next')
  await listener.until('Stop')
  expect(listener.hooks.map(({ event, body }) => [event, body.error])).toEqual([
    ['StopFailure', 'server_error'],
    ['Stop', undefined],
  ])
})

test('a session is resumed with what was said before; a prompt may come with the command', async () => {
  const rig = await make([{ replies: [{ text: 'First words.' }, { text: 'Second words.' }] }])
  const { result } = await rig.print('begin')
  const terminal = await rig.terminal([...manual, '--resume', String(result?.session_id), 'go on'])
  await terminal.sees('First words.')
  await terminal.sees('Second words.')
})

test('nobody has been here: it leaves with 1', async () => {
  const rig = await make([])
  await rig.write('config/.claude.json', {})
  const terminal = await rig.terminal([], { wait: false })
  expect(await terminal.exited()).toBe(1)
})

test('a directory that is not trusted: Enter leaves, Yes is remembered', async () => {
  const rig = await make([])
  await rig.write('config/.claude.json', firstRun(rig.work, false))
  const begin = await hookCommand(rig, 'begin', 'exit 0')
  const start = () => rig.terminal(manual, { wait: false, settings: hooked({ SessionStart: begin }) })
  const no = await start()
  await no.answer(keys.enter, /trust/i)
  expect(await no.exited()).toBe(1)
  expect(await recorded(rig, 'begin')).toEqual([])
  const yes = await start()
  await yes.answer('1', /trust/i)
  await yes.sees('Welcome')
  await until('the session to begin', async () => (await recorded(rig, 'begin')).length > 0)
  const kept = JSON.parse(await readFile(join(rig.config, '.claude.json'), 'utf8'))
  expect(kept.projects[rig.work].hasTrustDialogAccepted).toBe(true)
})

test('what auto mode allows is not asked: it is the default here', async () => {
  const rig = await make([turn('go', [bash('touch ran')])])
  const { listener, terminal } = await open(rig, () => undefined, [])
  await terminal.send('go')
  await listener.until('Stop')
  expect(existsSync(join(rig.work, 'ran'))).toBe(true)
  expect(listener.of('PermissionRequest')).toEqual([])
})
