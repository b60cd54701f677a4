// PermissionRequest in print mode: what it carries, and what each answer does.
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { Json } from '../../src/driver/scripted/hook/rules.ts'
import { hookCommand, recorded } from '../twin/command.ts'
import { bash, turn, write } from '../twin/say.ts'
import { each, hooked, http, permit, pre } from '../twin/settings.ts'
import { toolResults, transcript } from '../twin/transcript.ts'
import { twin } from '../twin/twin.ts'

const manual = ['--permission-mode', 'manual']

twin('PermissionRequest carries no tool_use_id; the PreToolUse before it does', async (make) => {
  const rig = await make([turn('go', [bash('touch ran')])])
  const listener = await rig.listen(({ event }) =>
    event === 'PermissionRequest' ? permit('allow') : undefined,
  )
  const { result } = await rig.print('go', manual, {
    settings: hooked(each(['PreToolUse', 'PermissionRequest', 'PostToolUse'], http(listener.url))),
  })
  expect(listener.events()).toEqual(['PreToolUse', 'PermissionRequest', 'PostToolUse'])
  const [before, asked, after] = listener.hooks.map((hook) => hook.body)
  const common = {
    session_id: result?.session_id,
    cwd: rig.work,
    permission_mode: 'default',
    tool_name: 'Bash',
    tool_input: { command: 'touch ran', description: 'A step' },
    prompt_id: before?.prompt_id,
  }
  expect(before).toMatchObject({ ...common, tool_use_id: expect.stringMatching(/^toolu_/) })
  expect(asked).toMatchObject(common)
  expect(asked).not.toHaveProperty('tool_use_id')
  expect(asked).toHaveProperty('permission_suggestions')
  expect(after).toMatchObject({
    ...common,
    tool_use_id: before?.tool_use_id,
    duration_ms: expect.any(Number),
  })
  expect(after).toHaveProperty('tool_response')
  expect([existsSync(join(rig.work, 'ran')), result?.permission_denials]).toEqual([true, []])
})

twin('a denial tells the model why, and the run goes on', async (make) => {
  const rig = await make([turn('go', [bash('touch ran')])])
  const listener = await rig.listen(() => permit('deny', { message: 'ask the owner first' }))
  const { code, result } = await rig.print('go', manual, {
    settings: hooked({ PermissionRequest: http(listener.url) }),
  })
  const [said] = toolResults(await transcript(rig, result?.session_id ?? ''))
  expect(said).toMatchObject({ is_error: true, text: expect.stringContaining('ask the owner first') })
  expect([code, result?.is_error, result?.result]).toEqual([0, false, 'All is done.'])
  expect(result?.permission_denials).toMatchObject([{ tool_name: 'Bash', tool_use_id: said?.tool_use_id }])
  expect(existsSync(join(rig.work, 'ran'))).toBe(false)
})

twin('the stream tells of each result who decided on its call', async (make) => {
  const rig = await make([turn('go', [bash('touch no'), bash('touch yes'), bash('touch never')])])
  const listener = await rig.listen(({ event, body }) => {
    const command = String((body.tool_input as { command?: string }).command)
    if (event === 'PreToolUse') return command === 'touch never' ? pre('deny', 'not that') : undefined
    return permit(command === 'touch yes' ? 'allow' : 'deny')
  })
  const { lines } = await rig.print('go', [...manual, '--output-format', 'stream-json', '--verbose'], {
    settings: hooked(each(['PreToolUse', 'PermissionRequest'], http(listener.url))),
  })
  const told = lines.flatMap(({ tool_result_meta: meta }) => (meta as Json[] | undefined) ?? [])
  const refused = {
    non_execution_kind: 'permission-rule',
    permission_decision: { decision: 'reject', source: 'hook' },
  }
  const allowed = { permission_decision: { decision: 'accept', source: 'hook' } }
  expect(told).toMatchObject([refused, allowed, refused])
})

twin('a denial without a message has one of its own', async (make) => {
  const rig = await make([turn('go', [bash('touch ran')])])
  const listener = await rig.listen(() => permit('deny'))
  const { result } = await rig.print('go', manual, {
    settings: hooked({ PermissionRequest: http(listener.url) }),
  })
  const [said] = toolResults(await transcript(rig, result?.session_id ?? ''))
  expect(said?.text).toContain('Permission denied by hook')
})

twin('a denial with interrupt ends the run with an error', async (make) => {
  const rig = await make([turn('go', [bash('touch ran')])])
  const listener = await rig.listen(() => permit('deny', { message: 'stop there', interrupt: true }))
  const { code, result } = await rig.print('go', manual, {
    settings: hooked({ PermissionRequest: http(listener.url) }),
  })
  expect([code, result?.subtype, result?.is_error, result?.terminal_reason]).toEqual([
    1,
    'error_during_execution',
    true,
    'aborted_tools',
  ])
  expect(existsSync(join(rig.work, 'ran'))).toBe(false)
})

twin('allow may change the input', async (make) => {
  const rig = await make([turn('go', [bash('touch first')])])
  const updatedInput = { command: 'touch second', description: 'Another step' }
  const listener = await rig.listen(() => permit('allow', { updatedInput }))
  await rig.print('go', manual, { settings: hooked({ PermissionRequest: http(listener.url) }) })
  expect(['first', 'second'].map((name) => existsSync(join(rig.work, name)))).toEqual([false, true])
})

twin('allow for the session is asked once', async (make) => {
  const rig = await make([
    {
      match: 'go',
      replies: [{ calls: [bash('touch one')] }, { calls: [bash('touch two')] }, { text: 'Done.' }],
    },
  ])
  const rules = [{ toolName: 'Bash', ruleContent: 'touch:*' }]
  const updatedPermissions = [{ type: 'addRules', rules, behavior: 'allow', destination: 'session' }]
  const listener = await rig.listen(() => permit('allow', { updatedPermissions }))
  await rig.print('go', manual, { settings: hooked({ PermissionRequest: http(listener.url) }) })
  expect(listener.hooks.length).toBe(1)
  expect(['one', 'two'].map((name) => existsSync(join(rig.work, name)))).toEqual([true, true])
})

twin('no opinion, exit 1 and exit 2 are all the same: print mode denies', async (make) => {
  const words = ['exit 0', 'exit 1', 'exit 2']
  const rig = await make(words.map((word) => turn(word, [bash(`touch "${word}"`)])))
  for (const word of words) {
    const entry = await hookCommand(rig, word, word)
    const { result } = await rig.print(word, manual, { settings: hooked({ PermissionRequest: entry }) })
    expect([(await recorded(rig, word)).length, result?.permission_denials.length]).toEqual([1, 1])
    expect(existsSync(join(rig.work, word))).toBe(false)
  }
})

twin('an `ask` of PreToolUse is a denial in print mode, and PermissionRequest is not fired', async (make) => {
  const rig = await make([turn('go', [bash('touch ran')])])
  const listener = await rig.listen(({ event }) => (event === 'PreToolUse' ? pre('ask') : permit('allow')))
  const { result } = await rig.print('go', manual, {
    settings: hooked(each(['PreToolUse', 'PermissionRequest'], http(listener.url))),
  })
  expect([listener.events(), result?.permission_denials.length]).toEqual([['PreToolUse'], 1])
})

twin('Write is asked for too, and makes the file when allowed', async (make) => {
  const rig = await make(({ work }) => [turn('go', [write(join(work, 'new.txt'), 'content\n')])])
  const file = join(rig.work, 'new.txt')
  const listener = await rig.listen(({ event }) =>
    event === 'PermissionRequest' ? permit('allow') : undefined,
  )
  await rig.print('go', manual, {
    settings: hooked(each(['PreToolUse', 'PermissionRequest', 'PostToolUse'], http(listener.url))),
  })
  expect(listener.hooks.map(({ event, body }) => [event, body.tool_name])).toEqual([
    ['PreToolUse', 'Write'],
    ['PermissionRequest', 'Write'],
    ['PostToolUse', 'Write'],
  ])
  expect(listener.of('PermissionRequest')[0]?.tool_input).toEqual({ file_path: file, content: 'content\n' })
  expect(await readFile(file, 'utf8')).toBe('content\n')
})
