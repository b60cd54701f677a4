// Command hooks: what an exit code or an output does to a call, a prompt and the end of a turn.
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { hookCommand, recorded } from '../twin/command.ts'
import { bash, says, turn } from '../twin/say.ts'
import { block, command, hooked, pre } from '../twin/settings.ts'
import { toolResults, transcript } from '../twin/transcript.ts'
import { twin } from '../twin/twin.ts'

type Case = { name: string; does: string; ran: boolean; denied: number; told?: string }
const allow = ['--allowedTools=Bash']
const output = (value: object) => `echo '${JSON.stringify(value)}'`

const preCases: Case[] = [
  { name: 'exit-0', does: 'exit 0', ran: true, denied: 0 },
  { name: 'exit-1', does: 'echo no >&2; exit 1', ran: true, denied: 0 },
  { name: 'exit-2', does: 'echo never that >&2; exit 2', ran: false, denied: 1, told: 'never that' },
  { name: 'not-json', does: 'echo "{nonsense"', ran: true, denied: 0 },
  { name: 'deny', does: output(pre('deny', 'not here')), ran: false, denied: 1, told: 'not here' },
  { name: 'legacy', does: output(block('old way')), ran: false, denied: 1, told: 'old way' },
  { name: 'ask', does: output(pre('ask', 'ask someone')), ran: false, denied: 1 },
  {
    name: 'unknown',
    does: output({ hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'maybe' } }),
    ran: true,
    denied: 0,
  },
]

twin('PreToolUse: exit codes and outputs', async (make) => {
  const rig = await make(preCases.map(({ name }) => turn(`try ${name}`, [bash(`touch ${name}`)])))
  const found: Case[] = []
  for (const { name, does, told } of preCases) {
    const entry = await hookCommand(rig, name, does)
    const { result } = await rig.print(`try ${name}`, allow, { settings: hooked({ PreToolUse: entry }) })
    const [said] = toolResults(await transcript(rig, result?.session_id ?? ''))
    found.push({
      name,
      does,
      ran: existsSync(join(rig.work, name)),
      denied: result?.permission_denials.length ?? -1,
      ...(told && said?.text.includes(told) && said.is_error && { told }),
    })
  }
  expect(found).toEqual(preCases)
})

twin('onFailure turns a failed command hook into a block', async (make) => {
  const rig = await make([turn('one', [bash('touch one')]), turn('two', [bash('touch two')])])
  const broken = {
    one: await hookCommand(rig, 'one', 'exit 1', { onFailure: 'block' }),
    two: command('/nowhere/to/be/found', { onFailure: 'block' }),
  }
  for (const [name, entry] of Object.entries(broken)) {
    const { result } = await rig.print(name, allow, { settings: hooked({ PreToolUse: entry }) })
    const [said] = toolResults(await transcript(rig, result?.session_id ?? ''))
    expect([existsSync(join(rig.work, name)), said?.is_error]).toEqual([false, true])
    expect(said?.text).toContain('blocking because onFailure is "block"')
  }
})

twin('PreToolUse: allow needs no permission, but a deny rule beats it', async (make) => {
  const rig = await make([turn('open', [bash('touch open')]), turn('ruled', [bash('touch ruled')])])
  const entry = await hookCommand(rig, 'allow', output(pre('allow')))
  const settings = hooked({ PreToolUse: entry })
  await rig.print('open', ['--permission-mode', 'manual'], { settings })
  await rig.print('ruled', ['--permission-mode', 'manual', '--disallowedTools', 'Bash(touch *)'], {
    settings,
  })
  expect(['open', 'ruled'].map((name) => existsSync(join(rig.work, name)))).toEqual([true, false])
})

twin('PreToolUse: of several hooks the strictest decides', async (make) => {
  const rig = await make([turn('go', [bash('touch ran')])])
  const entries = await Promise.all(
    (['allow', 'deny', 'ask'] as const).map((word) => hookCommand(rig, word, output(pre(word)))),
  )
  await rig.print('go', allow, { settings: hooked({ PreToolUse: entries }) })
  expect(existsSync(join(rig.work, 'ran'))).toBe(false)
})

twin('PreToolUse: updatedInput is what runs', async (make) => {
  const rig = await make([turn('go', [bash('touch first')])])
  const updatedInput = { command: 'touch second', description: 'Another step' }
  const entry = await hookCommand(rig, 'change', output(pre('allow', 'changed', { updatedInput })))
  await rig.print('go', [], { settings: hooked({ PreToolUse: entry }) })
  expect(['first', 'second'].map((name) => existsSync(join(rig.work, name)))).toEqual([false, true])
})

twin('UserPromptSubmit: a block costs no turn and is no error', async (make) => {
  const rig = await make([says('go', 'should not be said')])
  for (const does of [output(block('not now')), 'echo not now >&2; exit 2']) {
    const entry = await hookCommand(rig, 'block', does)
    const { code, result } = await rig.print('go', [], { settings: hooked({ UserPromptSubmit: entry }) })
    expect([code, result?.is_error, result?.num_turns]).toEqual([0, false, 0])
    expect(result?.result).toMatch(/^UserPromptSubmit operation blocked by hook:.*not now/s)
  }
  expect(rig.api?.asked ?? []).toEqual([])
})

twin('Stop: a block asks for another turn, and the next Stop knows it', async (make) => {
  for (const [name, does] of Object.entries({
    json: output(block('check again')),
    code: 'echo check again >&2; exit 2',
  })) {
    const again = await make([says('Stop hook feedback', 'Now it is done.'), says('go', 'It is done.')])
    const entry = await hookCommand(again, name, `grep -q '"stop_hook_active":true' "$SEEN" || { ${does}; }`)
    const { code, result } = await again.print('go', [], { settings: hooked({ Stop: entry }) })
    expect([code, result?.result]).toEqual([0, 'Now it is done.'])
    const active = (await recorded(again, name)).map((body) => body.stop_hook_active)
    expect(active).toEqual([false, true])
  }
})

twin('SessionStart and SessionEnd: source, reason and the common fields', async (make) => {
  const rig = await make([says('go', 'hello'), says('more', 'hello again')])
  const settings = hooked({
    SessionStart: await hookCommand(rig, 'begin', 'exit 0'),
    SessionEnd: await hookCommand(rig, 'end', 'exit 0'),
  })
  const { result } = await rig.print('go', [], { settings })
  const id = result?.session_id ?? ''
  await rig.print('more', ['--resume', id], { settings })
  const [first, second] = await recorded(rig, 'begin')
  expect(first).toMatchObject({
    hook_event_name: 'SessionStart',
    session_id: id,
    cwd: rig.work,
    source: 'startup',
  })
  expect(first).not.toHaveProperty('permission_mode')
  expect(second).toMatchObject({ session_id: id, source: 'resume' })
  expect((await recorded(rig, 'end')).map((body) => body.reason)).toEqual(['other', 'other'])
})

twin('a hook command inherits the environment, the key too', async (make) => {
  const rig = await make([turn('go', [bash('true')])])
  const entry = await hookCommand(rig, 'env', `env > ${rig.dir}/hook-env`)
  const { result } = await rig.print('go', allow, {
    settings: hooked({ PreToolUse: entry }),
    env: { MINE: 'yes' },
  })
  const env = await readFile(join(rig.dir, 'hook-env'), 'utf8')
  for (const line of [
    'MINE=yes',
    'CLAUDECODE=1',
    `CLAUDE_PROJECT_DIR=${rig.work}`,
    `CLAUDE_CODE_SESSION_ID=${result?.session_id}`,
    'ANTHROPIC_API_KEY=sk-ant-fake',
  ]) {
    expect(env).toContain(line)
  }
})

twin('a matcher is exact, a list or a pattern, never a part of the name', async (make) => {
  const rig = await make([turn('go', [bash('true')])])
  const matchers = ['Bash', 'Write|Bash', 'B.*', '*', '', 'Bas', 'bash', 'Bash(true)']
  const entries = await Promise.all(matchers.map((_, at) => hookCommand(rig, `match-${at}`, 'exit 0')))
  const PreToolUse = matchers.map((matcher, at) => ({ matcher, hooks: [entries[at]] }))
  await rig.print('go', allow, { settings: { hooks: { PreToolUse } } })
  const hit = await Promise.all(matchers.map(async (_, at) => (await recorded(rig, `match-${at}`)).length))
  expect(matchers.filter((_, at) => hit[at])).toEqual(['Bash', 'Write|Bash', 'B.*', '*', ''])
})
