// Permission modes and tool lists.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { bash, says, turn, write } from '../twin/say.ts'
import { each, hooked, http, permit } from '../twin/settings.ts'
import { toolResults, transcript } from '../twin/transcript.ts'
import { twin } from '../twin/twin.ts'

const root = process.getuid?.() === 0
const ways = [['--dangerously-skip-permissions'], ['--permission-mode', 'bypassPermissions']]

twin('bypass as root needs IS_SANDBOX', async (make) => {
  const rig = await make([turn('go', [bash('touch ran')]), turn('again', [bash('touch again')])])
  for (const way of root ? ways : []) {
    const { code, stdout, stderr } = await rig.print('go', way)
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toContain('cannot be used with root/sudo privileges')
  }
  for (const [at, way] of ways.entries()) {
    const { code } = await rig.print(at ? 'again' : 'go', way, { env: { IS_SANDBOX: '1' } })
    expect(code).toBe(0)
  }
  expect(['ran', 'again'].map((name) => existsSync(join(rig.work, name)))).toEqual([true, true])
})

twin('a denial of PreToolUse holds in bypass mode too', async (make) => {
  const rig = await make([turn('go', [bash('touch ran')])])
  const listener = await rig.listen(({ event }) =>
    event === 'PreToolUse'
      ? { hookSpecificOutput: { hookEventName: event, permissionDecision: 'deny' } }
      : undefined,
  )
  const { result } = await rig.print('go', ['--dangerously-skip-permissions'], {
    env: { IS_SANDBOX: '1' },
    settings: hooked(each(['PreToolUse', 'PermissionRequest'], http(listener.url))),
  })
  expect([listener.events(), result?.permission_denials.length]).toEqual([['PreToolUse'], 1])
  expect(listener.of('PreToolUse')[0]?.permission_mode).toBe('bypassPermissions')
  expect(existsSync(join(rig.work, 'ran'))).toBe(false)
})

twin('acceptEdits writes files unasked, but asks for what would change the rules', async (make) => {
  const rig = await make(({ work }) => [
    turn('plain', [write(join(work, 'plain.txt'))]),
    turn('rules', [write(join(work, '.claude/settings.json'), '{}')]),
  ])
  const listener = await rig.listen()
  const settings = hooked({ PermissionRequest: http(listener.url) })
  const args = ['--permission-mode', 'acceptEdits']
  await rig.print('plain', args, { settings })
  expect([listener.hooks.length, existsSync(join(rig.work, 'plain.txt'))]).toEqual([0, true])
  await rig.print('rules', args, { settings })
  expect([listener.hooks.length, existsSync(join(rig.work, '.claude/settings.json'))]).toEqual([1, false])
})

twin('dontAsk denies without asking', async (make) => {
  const rig = await make([turn('go', [bash('touch ran')])])
  const listener = await rig.listen(() => permit('allow'))
  const { result } = await rig.print('go', ['--permission-mode', 'dontAsk'], {
    settings: hooked({ PermissionRequest: http(listener.url) }),
  })
  expect([listener.hooks.length, result?.permission_denials.length]).toEqual([0, 1])
})

for (const [flag, value] of [
  ['--tools', 'Read'],
  ['--disallowedTools', 'Bash'],
] as const) {
  twin(`${flag} ${value}: Bash is no such tool, and no hook is asked about it`, async (make) => {
    const rig = await make([turn('go', [bash('touch ran')])])
    const listener = await rig.listen()
    const { result } = await rig.print('go', ['--allowedTools=Bash', flag, value], {
      settings: hooked({ PreToolUse: http(listener.url) }),
    })
    const [said] = toolResults(await transcript(rig, result?.session_id ?? ''))
    expect(said).toMatchObject({
      is_error: true,
      text: expect.stringContaining('No such tool available: Bash'),
    })
    expect([listener.hooks.length, existsSync(join(rig.work, 'ran'))]).toEqual([0, false])
  })
}

twin('--disallowedTools with a pattern denies the call and beats --allowedTools', async (make) => {
  const rig = await make([turn('go', [bash('touch ran'), bash('mkdir made')])])
  const { result } = await rig.print('go', ['--allowedTools=Bash', '--disallowedTools', 'Bash(touch *)'])
  expect(result?.permission_denials).toMatchObject([{ tool_input: { command: 'touch ran' } }])
  expect(['ran', 'made'].map((name) => existsSync(join(rig.work, name)))).toEqual([false, true])
})

twin('a project’s own allow list counts only where the project is trusted', async (make) => {
  const rig = await make([turn('trusted', [bash('touch trusted')]), turn('not so', [bash('touch not')])])
  await rig.write('work/.claude/settings.json', { permissions: { allow: ['Bash(touch *)'] } })
  await rig.print('trusted', ['--permission-mode', 'manual'])
  await rig.write('config/.claude.json', { hasCompletedOnboarding: true })
  const { stderr } = await rig.print('not so', ['--permission-mode', 'manual'])
  expect(['trusted', 'not'].map((name) => existsSync(join(rig.work, name)))).toEqual([true, false])
  expect(stderr).toMatch(/trust/i)
})

twin('the stream begins with what the session may use', async (make) => {
  const rig = await make([says('go', 'Hello.')])
  const { lines } = await rig.stream('go', [
    '--tools',
    'Bash,Read',
    '--permission-mode',
    'acceptEdits',
    '--model',
    'haiku',
  ])
  const init = lines.find((line) => line.subtype === 'init')
  expect(init).toMatchObject({
    type: 'system',
    cwd: rig.work,
    permissionMode: 'acceptEdits',
    model: 'claude-haiku-5-5',
    session_id: expect.any(String),
  })
  expect(new Set(init?.tools as string[])).toEqual(new Set(['Bash', 'Read']))
  expect(lines.map((line) => line.type).filter((type) => type !== 'system')).toEqual(['assistant', 'result'])
})
