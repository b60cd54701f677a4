// The program as a process, in print mode. What it shares with the real CLI is proven by the twin cases too; here
// stand the faults that only a stand-in can have, and one case for each thing that other tests rely on.
import { existsSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { hookCommand, recorded } from '../../../../test/twin/command.ts'
import { makeRig, type Rig } from '../../../../test/twin/rig.ts'
import { agent, bash, says, turn, write } from '../../../../test/twin/say.ts'
import { block, each, hooked, http, permit, pre } from '../../../../test/twin/settings.ts'
import { toolResults, transcript } from '../../../../test/twin/transcript.ts'
import { until } from '../../../../test/twin/until.ts'

const make = (...about: Parameters<typeof makeRig> extends [unknown, ...infer Rest] ? Rest : never) =>
  makeRig('scripted', ...about)
const events =
  'SessionStart UserPromptSubmit PreToolUse PermissionRequest PostToolUse PostToolUseFailure PostToolBatch Stop SubagentStart SubagentStop SessionEnd'
const allowed = ['--allowedTools=Bash,Write,Edit']
const results = async (rig: Rig, session: string | undefined) =>
  toolResults(await transcript(rig, session ?? ''))
const alive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

test('no scenario, a bad one and a bad flag: exit 1, words on stderr, nothing on stdout', async () => {
  const rig = await make([])
  const none = await rig.print('x', [], { env: { AGENCY_SCENARIO: undefined } })
  expect([none.code, none.stdout, none.stderr]).toEqual([
    1,
    '',
    'scripted: AGENCY_SCENARIO does not name a scenario file\n',
  ])
  const bad = await rig.write('bad.json', { scripts: [{ replies: [] }] })
  const wrong = await rig.print('x', [], { env: { AGENCY_SCENARIO: bad } })
  expect([wrong.code, wrong.stdout]).toEqual([1, ''])
  expect(wrong.stderr).toContain('replies')
  const flag = await rig.bare(['--prompt', 'x']).ended
  expect([flag.code, flag.stdout, flag.stderr]).toEqual([1, '', "error: unknown option '--prompt'\n"])
})

test('crash_at_start and hang_at_start', async () => {
  const crash = await make([], { trouble: { crash_at_start: 7 } })
  expect((await crash.print('x')).code).toBe(7)
  const hang = await make([], { trouble: { hang_at_start: true } })
  const running = await hang.start('x')
  process.kill(running.pid, 'SIGTERM')
  expect((await running.ended).signal).toBe('SIGTERM')
})

test('ignore_sigterm: it goes on as if nothing had been sent', async () => {
  const rig = await make(
    ({ dir }) => [turn('go', [bash(`touch began; until [ -e '${dir}/open' ]; do sleep 0.1; done`)])],
    { trouble: { ignore_sigterm: true } },
  )
  const running = await rig.start('go', allowed)
  await until('the call', () => existsSync(join(rig.work, 'began')))
  process.kill(running.pid, 'SIGTERM')
  process.kill(running.pid, 'SIGTERM')
  await rig.write('open', '')
  const { code, result } = await running.ended
  expect([code, result?.result]).toEqual([0, 'All is done.'])
})

test.each([
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const)('%s: exit %i, nothing said, SessionEnd once, the command is ended', async (signal, code) => {
  const rig = await make([turn('go', [bash('echo $$ > pid; exec sleep 120')])])
  const settings = hooked({ SessionEnd: await hookCommand(rig, 'end', 'sleep 1') })
  const running = await rig.start('go', allowed, { settings })
  const file = join(rig.work, 'pid')
  await until('the call', async () => existsSync(file) && (await readFile(file, 'utf8')).includes('\n'))
  const pid = Number(await readFile(file, 'utf8'))
  onTestFinished(() => {
    if (alive(pid)) process.kill(pid, 'SIGKILL')
  })
  process.kill(running.pid, signal)
  const ended = await running.ended
  expect([ended.code, ended.stdout]).toEqual([code, ''])
  expect((await recorded(rig, 'end')).map(({ reason }) => reason)).toEqual(['other'])
  await until('the command to end', () => !alive(pid))
})

test.each([
  ['the model has spoken', [], (rig: Rig) => rig.listen()],
  ['a hook has answered', ['hang'], (rig: Rig) => rig.listen(() => 'hang')],
])('SIGINT before %s: exit 0, and the result is an error', async (_, [held], listen) => {
  const rig = await make([says('go', 'late', { delay_ms: 120_000 })])
  const listener = await listen(rig)
  const running = await rig.start('go', [], { settings: hooked({ UserPromptSubmit: http(listener.url) }) })
  const hook = await listener.until('UserPromptSubmit')
  if (!held) await until('the hook to be over', () => hook.answered)
  process.kill(running.pid, 'SIGINT')
  const { code, result } = await running.ended
  expect([code, result?.subtype, result?.is_error]).toEqual([0, 'error_during_execution', true])
})

test('no_hooks: everything runs and nobody is told', async () => {
  const rig = await make([turn('go', [bash('touch ran')])], { trouble: { no_hooks: true } })
  const listener = await rig.listen(() => pre('deny'))
  const { code } = await rig.print('go', allowed, {
    settings: hooked(each(events.split(' '), http(listener.url))),
  })
  expect([code, existsSync(join(rig.work, 'ran')), listener.hooks]).toEqual([0, true, []])
})

test('a whole run: the order of hooks, what they are told, the result', async () => {
  const rig = await make(({ work }) => [turn('go', [bash('echo hi'), write(`${work}/a.txt`)])])
  const listener = await rig.listen()
  const { code, result } = await rig.print('go', allowed, {
    settings: hooked(each(events.split(' '), http(listener.url))),
  })
  expect(listener.events()).toEqual([
    'UserPromptSubmit',
    'PreToolUse',
    'PostToolUse',
    'PreToolUse',
    'PostToolUse',
    'PostToolBatch',
    'Stop',
    'SessionEnd',
  ])
  const [call] = listener.of('PreToolUse')
  expect(call).toMatchObject({
    session_id: result?.session_id,
    cwd: rig.work,
    permission_mode: 'default',
    tool_name: 'Bash',
  })
  expect(call?.prompt_id).toBe(listener.of('Stop')[0]?.prompt_id)
  expect(listener.of('PostToolUse')[0]).toMatchObject({
    tool_use_id: call?.tool_use_id,
    tool_response: { stdout: 'hi' },
  })
  expect(listener.of('Stop')[0]).toMatchObject({
    stop_hook_active: false,
    last_assistant_message: 'All is done.',
    background_tasks: [],
  })
  expect(result).toMatchObject({
    subtype: 'success',
    is_error: false,
    num_turns: 2,
    result: 'All is done.',
    terminal_reason: 'completed',
  })
  expect([code, await readFile(`${rig.work}/a.txt`, 'utf8')]).toEqual([0, 'x\n'])
})

test.each([
  ['refused', undefined, false],
  ['refused', 'block', true],
  ['403', undefined, false],
  ['403', 'block', true],
  ['cut', 'block', true],
  ['text', undefined, false],
  ['text', 'block', true],
  ['late', undefined, false],
  ['late', 'block', true],
])('an HTTP hook that is %s with onFailure %s blocks: %s', async (how, onFailure, blocked) => {
  const rig = await make([turn('go', [bash('touch ran')])])
  const listener = await rig.listen(() =>
    how === '403'
      ? { status: 403, body: JSON.stringify(pre('deny')) }
      : how === 'cut'
        ? 'cut'
        : how === 'late'
          ? 'hang'
          : { status: 200, body: 'ok' },
  )
  const url = how === 'refused' ? 'http://127.0.0.1:1/hook' : listener.url
  const entry = http(url, { timeout: 1, ...(onFailure ? { onFailure } : {}) })
  const { result } = await rig.print('go', allowed, { settings: hooked({ PreToolUse: entry }) })
  expect([existsSync(join(rig.work, 'ran')), result?.permission_denials.length]).toEqual([
    !blocked,
    blocked ? 1 : 0,
  ])
})

test('a command hook: exit 2 denies, exit 1 and a timeout do not; its environment', async () => {
  const rig = await make([
    turn('two', [bash('touch a')]),
    turn('one', [bash('touch b')]),
    turn('slow', [bash('touch c')]),
  ])
  const run = async (name: string, does: string, more: Record<string, unknown> = {}) => {
    const entry = await hookCommand(rig, name, does, more)
    return rig.print(name, allowed, { settings: hooked({ PreToolUse: entry }) })
  }
  const two = await run('two', 'env > env.txt; echo not that >&2; exit 2')
  await run('one', 'exit 1')
  await run('slow', 'sleep 60', { timeout: 1 })
  expect(['a', 'b', 'c'].map((name) => existsSync(join(rig.work, name)))).toEqual([false, true, true])
  expect((await results(rig, two.result?.session_id))[0]?.text).toBe('PreToolUse:Bash hook error: not that')
  const env = await readFile(join(rig.work, 'env.txt'), 'utf8')
  for (const line of [
    'CLAUDECODE=1',
    `CLAUDE_PROJECT_DIR=${rig.work}`,
    `CLAUDE_CODE_SESSION_ID=${two.result?.session_id}`,
  ])
    expect(env.split('\n')).toContain(line)
})

test('a header carries the variable that it may, and no other', async () => {
  const rig = await make([says('go', 'Hi.')])
  const listener = await rig.listen()
  const headers = { Authorization: 'Bearer $ONE', 'X-Other': '$TWO' }
  await rig.print('go', [], {
    env: { ONE: 'first', TWO: 'second' },
    settings: hooked({ Stop: http(listener.url, { headers, allowedEnvVars: ['ONE'] }) }),
  })
  expect(listener.hooks[0]?.headers).toMatchObject({ authorization: 'Bearer first', 'x-other': '' })
})

test('Stop is obeyed eight times in a row, then no more', async () => {
  const rig = await make([{ replies: [{ text: 'Enough.', times: 0 }] }])
  const listener = await rig.listen(() => block('go on'))
  const { code, result } = await rig.print('go', [], { settings: hooked({ Stop: http(listener.url) }) })
  expect(listener.of('Stop').map((body) => body.stop_hook_active)).toEqual([false, ...Array(8).fill(true)])
  expect([code, result?.is_error, result?.result]).toEqual([0, false, ''])
})

test('PermissionRequest: nobody answers, a hook allows once, a hook allows for good', async () => {
  const rig = await make([
    turn('go', [bash('touch one')]),
    turn('on', [bash('touch two'), bash('touch three')]),
  ])
  const nobody = await rig.print('go')
  expect([nobody.code, nobody.result?.permission_denials.length, existsSync(join(rig.work, 'one'))]).toEqual([
    0,
    1,
    false,
  ])
  const rules = [{ toolName: 'Bash', ruleContent: 'touch *' }]
  const updatedPermissions = [{ type: 'addRules', rules, behavior: 'allow', destination: 'localSettings' }]
  const listener = await rig.listen(() => permit('allow', { updatedPermissions }))
  await rig.print('on', [], { settings: hooked({ PermissionRequest: http(listener.url) }) })
  expect([listener.hooks.length, existsSync(join(rig.work, 'three'))]).toEqual([1, true])
  expect(listener.hooks[0]?.body).not.toHaveProperty('tool_use_id')
  const saved = JSON.parse(await readFile(join(rig.work, '.claude/settings.local.json'), 'utf8'))
  expect(saved.permissions.allow).toEqual(['Bash(touch *)'])
})

test('bypass is refused to root, and granted in a sandbox', async () => {
  const rig = await make([turn('go', [bash('touch ran')])])
  const flags = ['--dangerously-skip-permissions']
  if (process.getuid?.() === 0) {
    const { code, stdout, stderr } = await rig.print('go', flags)
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toContain('cannot be used with root/sudo privileges')
  }
  await rig.print('go', flags, { env: { IS_SANDBOX: '1' } })
  expect(existsSync(join(rig.work, 'ran'))).toBe(true)
})

/** The call lasts until the program has noticed the change, and then long enough to apply it. */
const turnOff = (rig: Rig): string =>
  `mkdir -p .claude; echo '{"disableAllHooks":true}' > .claude/settings.json; for i in $(seq 200); do [ -s '${rig.dir}/change.jsonl' ] && break; sleep 0.1; done; sleep 3`

test.each([
  ['nothing is said against it', 'exit 0', {}, ['PreToolUse']],
  ['ConfigChange blocks it', 'exit 2', {}, ['PreToolUse', 'PreToolUse', 'Stop']],
  ['--settings says otherwise', 'exit 0', { disableAllHooks: false }, ['PreToolUse', 'PreToolUse', 'Stop']],
])('an agent switches its hooks off in the project: %s', async (_, does, more, heard) => {
  const rig = await make(() => [
    {
      match: 'go',
      replies: [{ calls: [bash('sh ./off.sh')] }, { calls: [bash('true')] }, { text: 'Done.' }],
    },
  ])
  await rig.write('work/off.sh', turnOff(rig))
  const listener = await rig.listen()
  const change = await hookCommand(rig, 'change', does)
  const settings = hooked(
    { PreToolUse: http(listener.url), Stop: http(listener.url), ConfigChange: change },
    more,
  )
  await rig.print('go', allowed, { settings })
  expect(listener.events()).toEqual(heard)
  expect((await recorded(rig, 'change'))[0]).toMatchObject({
    source: 'project_settings',
    file_path: join(rig.work, '.claude/settings.json'),
  })
})

test('the --settings file may go once the program has started', async () => {
  const rig = await make([turn('go', [bash('true')])])
  const listener = await rig.listen()
  const file = await rig.write('mine.json', {})
  const begin = await hookCommand(rig, 'begin', `rm '${file}'`)
  await rig.write(
    'mine.json',
    hooked({ SessionStart: begin, PreToolUse: http(listener.url), Stop: http(listener.url) }),
  )
  await rig.print('go', [...allowed, '--settings', file])
  expect([existsSync(file), listener.events()]).toEqual([false, ['PreToolUse', 'Stop']])
})

test('a session: its id once only, cost that adds up on resume, replies that go on', async () => {
  const rig = await make([{ replies: [{ text: 'One.' }, { text: 'Two.' }] }])
  const id = '11111111-1111-4111-8111-111111111111'
  const one = await rig.print('go', ['--session-id', id])
  const again = await rig.print('go', ['--session-id', id])
  expect([again.code, again.stdout, again.stderr]).toEqual([
    1,
    '',
    `Error: Session ID ${id} is already in use.\n`,
  ])
  const two = await rig.print('go', ['--resume', id], { cwd: rig.home })
  expect([one, two].map(({ result }) => [result?.result, result?.session_id])).toEqual([
    ['One.', id],
    ['Two.', id],
  ])
  expect(two.result?.total_cost_usd).toBeCloseTo((one.result?.total_cost_usd ?? 0) * 2, 8)
  expect(two.result?.usage).toEqual(one.result?.usage)
})

test('a command: its time, its flood, what it leaves behind', async () => {
  const rig = await make([
    turn('go', [
      bash('sleep 60', { timeout: 300 }),
      bash('head -c 300000 /dev/zero | tr "\\0" x'),
      bash('sh -c "echo \\$\\$ > left; exec sleep 120" & until [ -s left ]; do sleep 0.05; done; echo on'),
      bash('echo out; exit 3'),
    ]),
  ])
  const { result } = await rig.print('go', allowed)
  const pid = Number(await readFile(join(rig.work, 'left'), 'utf8'))
  onTestFinished(() => {
    if (alive(pid)) process.kill(pid, 'SIGKILL')
  })
  const [slow, flood, left, failed] = await results(rig, result?.session_id)
  expect([slow?.text, slow?.is_error]).toEqual(['Command timed out after 0.3s', true])
  expect(flood?.text.length).toBeLessThan(31_000)
  expect([left?.text, left?.is_error]).toEqual(['on', false])
  expect([failed?.text, failed?.is_error]).toEqual(['Exit code 3\nout', true])
})

test('a command behind the turn: Stop names it, the end of the run ends it', async () => {
  const rig = await make([
    turn('go', [
      bash('echo $$ > behind; exec sleep 120', { run_in_background: true }),
      bash('until [ -s behind ]; do sleep 0.05; done'),
    ]),
  ])
  const listener = await rig.listen()
  const { code } = await rig.print('go', allowed, { settings: hooked({ Stop: http(listener.url) }) })
  const pid = Number(await readFile(join(rig.work, 'behind'), 'utf8'))
  onTestFinished(() => {
    if (alive(pid)) process.kill(pid, 'SIGKILL')
  })
  expect(listener.of('Stop')[0]?.background_tasks).toMatchObject([{ type: 'shell', status: 'running' }])
  expect(code).toBe(0)
  await until('the command to end', () => !alive(pid))
})

test('a hook that nobody waits for decides nothing and ends with the run', async () => {
  const rig = await make([turn('go', [bash('until [ -s pid ]; do sleep 0.05; done; touch ran')])])
  const entry = await hookCommand(rig, 'later', 'echo $$ > pid; sleep 120; exit 2', { async: true })
  const { code } = await rig.print('go', allowed, { settings: hooked({ PreToolUse: entry }) })
  const pid = Number(await readFile(join(rig.work, 'pid'), 'utf8'))
  onTestFinished(() => {
    if (alive(pid)) process.kill(pid, 'SIGKILL')
  })
  expect([code, existsSync(join(rig.work, 'ran'))]).toEqual([0, true])
  await until('the hook to end', () => !alive(pid))
})

test('/compact is no turn', async () => {
  const rig = await make([says('detailed summary', 'In short.')])
  const { code, result } = await rig.print('/compact')
  expect([code, result?.num_turns, result?.result]).toEqual([0, 0, 'Compacted'])
})

test('files: written, read, edited where it is unambiguous', async () => {
  const edit = (path: string, from: string) => ({
    name: 'Edit',
    input: { file_path: path, old_string: from, new_string: 'z' },
  })
  const read = (path: string) => ({ name: 'Read', input: { file_path: path } })
  const rig = await make(({ work }) => {
    const file = `${work}/a`
    const calls = [
      write(file, 'x\ny\ny\n'),
      read(file),
      edit(file, 'x'),
      edit(file, 'y'),
      read(`${work}/none`),
    ]
    return [turn('go', [...calls, { name: 'Grep', input: {} }])]
  })
  await rig.write('work/a', 'before\n')
  const { result } = await rig.print('go', allowed)
  expect((await results(rig, result?.session_id)).map(({ text }) => text)).toEqual([
    `The file ${rig.work}/a has been updated successfully.`,
    '1\tx\n2\ty\n3\ty\n4\t',
    `The file ${rig.work}/a has been updated successfully.`,
    'Found 2 matches of the string to replace, but replace_all is false.',
    `<tool_use_error>File does not exist. Note: your current working directory is ${rig.work}.</tool_use_error>`,
    '<tool_use_error>Error: No such tool available: Grep</tool_use_error>',
  ])
  expect(await readFile(`${rig.work}/a`, 'utf8')).toBe('z\ny\ny\n')
})

test('a subagent in front, and one behind that ends after Stop', async () => {
  const scripts = [
    {
      match: 'go',
      subagent: false,
      replies: [
        { calls: [agent('look', { run_in_background: false })] },
        { calls: [agent('look')] },
        { text: 'Waiting.' },
      ],
    },
    { match: 'task-notification', replies: [{ text: 'Heard.' }] },
    {
      subagent: true,
      replies: [{ calls: [bash('true')] }, { text: 'Seen.' }, { text: 'Seen too.', delay_ms: 3000 }],
    },
  ]
  const rig = await make(scripts)
  const listener = await rig.listen()
  const settings = hooked(
    each(['SubagentStart', 'SubagentStop', 'PreToolUse', 'UserPromptSubmit', 'Stop'], http(listener.url)),
  )
  const { lines } = await rig.stream('go', [], { settings })
  expect(listener.events()).toEqual([
    ...['UserPromptSubmit', 'PreToolUse', 'SubagentStart', 'PreToolUse', 'SubagentStop'],
    ...['PreToolUse', 'SubagentStart', 'Stop', 'SubagentStop', 'UserPromptSubmit', 'Stop'],
  ])
  const [front] = listener.of('SubagentStop')
  expect(front).toMatchObject({ agent_type: 'general-purpose', last_assistant_message: 'Seen.' })
  expect(existsSync(String(front?.agent_transcript_path))).toBe(true)
  expect(listener.of('PreToolUse')[1]).toMatchObject({ tool_name: 'Bash', agent_id: front?.agent_id })
  expect(listener.of('Stop')[0]?.background_tasks).toMatchObject([{ type: 'subagent', status: 'running' }])
  expect(lines.filter(({ type }) => type === 'result').map((line) => line.result)).toEqual([
    'Waiting.',
    'Heard.',
  ])
})

test('errors of the API: tried again, then told', async () => {
  const rig = await make([
    { match: 'go', replies: [{ error: { status: 529, retry_after: 0 }, times: 2 }, { text: 'At last.' }] },
    { match: 'no', replies: [{ error: { status: 529, retry_after: 0 }, times: 0 }] },
  ])
  const good = await rig.stream('go', [], { env: { CLAUDE_CODE_MAX_RETRIES: '3' } })
  const tries = good.lines.filter(({ subtype }) => subtype === 'api_retry')
  expect(tries.map(({ attempt, max_retries, error_status }) => [attempt, max_retries, error_status])).toEqual(
    [
      [1, 3, 529],
      [2, 3, 529],
    ],
  )
  expect([good.code, good.result?.result]).toEqual([0, 'At last.'])
  const bad = await rig.print('no', [], { env: { CLAUDE_CODE_MAX_RETRIES: '2' } })
  expect([bad.code, bad.result?.subtype, bad.result?.is_error, bad.result?.api_error_status]).toEqual([
    1,
    'success',
    true,
    529,
  ])
})

test('an open but silent stdin is waited for, then done without', async () => {
  const rig = await make([says('go', 'Hi.')])
  const running = rig.bare(['-p', 'go'], { input: null })
  const { code, stdout, stderr } = await running.ended
  expect([code, stdout]).toEqual([0, 'Hi.\n'])
  expect(stderr).toContain('no stdin data received in 3s')
})

test('what nobody keeps leaves nothing', async () => {
  const rig = await make([says('go', 'Hi.')])
  const { code } = await rig.print('go', ['--no-session-persistence'])
  expect([code, existsSync(join(rig.config, 'projects')), existsSync(join(rig.config, 'scripted'))]).toEqual([
    0,
    false,
    false,
  ])
})

test('telemetry: requests, decisions and what the environment adds', async () => {
  const rig = await make([turn('go', [bash('true')])])
  const collector = await rig.collect()
  const env = { ...collector.env, OTEL_RESOURCE_ATTRIBUTES: 'agency.agent=coder' }
  const { result } = await rig.print('go', allowed, { env })
  const named = (name: string) => collector.logs.filter((log) => log.name === `claude_code.${name}`)
  expect(named('tool_decision')[0]?.attributes).toMatchObject({
    decision: 'accept',
    source: 'config',
    'agency.agent': 'coder',
    'session.id': result?.session_id,
  })
  expect(named('user_prompt')[0]?.attributes.prompt).toBe('<REDACTED>')
  const cost = collector.metrics.filter(({ name }) => name === 'claude_code.cost.usage')
  expect(cost.reduce((sum, { value = 0 }) => sum + value, 0)).toBeCloseTo(result?.total_cost_usd ?? 0, 8)
})

test('a collector that never answers does not hold the end up', async () => {
  const rig = await make([says('go', 'Hi.')])
  const listener = await rig.listen(() => 'hang')
  const env = {
    CLAUDE_CODE_ENABLE_TELEMETRY: '1',
    OTEL_LOGS_EXPORTER: 'otlp',
    OTEL_EXPORTER_OTLP_ENDPOINT: new URL(listener.url).origin,
  }
  expect((await rig.print('go', [], { env })).code).toBe(0)
})

test('a transcript torn by a crash is read up to the tear', async () => {
  const rig = await make([{ replies: [{ text: 'One.' }, { text: 'Two.' }] }])
  const { result } = await rig.print('go')
  const path = join(
    rig.config,
    'projects',
    rig.work.replace(/[^a-zA-Z0-9]/g, '-'),
    `${result?.session_id}.jsonl`,
  )
  const text = await readFile(path, 'utf8')
  await rm(path)
  await rig.write(path.slice(rig.dir.length + 1), `${text}{"type":"assis`)
  const again = await rig.print('go', ['--resume', String(result?.session_id)])
  expect([again.code, again.result?.result]).toEqual([0, 'Two.'])
})
