// The gate as Claude Code runs it: the plugin's program, one process for each event.
import { type ChildProcess, spawn } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openDatabase } from '../../store/engine.ts'
import { openGate } from './store.ts'

const plugin = resolve('dist/plugin')
const session = '3f9c21ab-0000-4000-8000-000000000002'

type Ended = { code: number | null; out: string; err: string }
type World = {
  home: string
  project: string
  env: NodeJS.ProcessEnv
  roz: (
    args: readonly string[],
    stdin?: string | Buffer,
    env?: NodeJS.ProcessEnv,
    program?: string,
  ) => Promise<Ended>
  hook: (event: string, input?: object, env?: NodeJS.ProcessEnv) => Promise<Ended>
}

const world = (): World => {
  const top = realpathSync(mkdtempSync(join(tmpdir(), 'agency-roz-')))
  const children: ChildProcess[] = []
  onTestFinished(() => {
    for (const child of children) child.kill('SIGKILL')
    rmSync(top, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  })
  const [home, project] = [join(top, 'home'), join(top, 'project')]
  for (const folder of [home, project]) mkdirSync(folder)
  const env = { PATH: process.env.PATH, HOME: home, CLAUDE_PLUGIN_ROOT: plugin, CLAUDE_PROJECT_DIR: project }
  const roz: World['roz'] = (args, stdin = '', more = {}, program = join(plugin, 'bin/roz')) => {
    const child = spawn(program, args, { cwd: project, env: { ...env, ...more }, stdio: 'pipe' })
    children.push(child)
    let [out, err] = ['', '']
    child.stdout.setEncoding('utf8').on('data', (text) => (out += text))
    child.stderr.setEncoding('utf8').on('data', (text) => (err += text))
    child.stdin.on('error', () => undefined)
    child.stdin.end(stdin)
    return new Promise((done) => child.on('close', (code) => done({ code, out, err })))
  }
  const hook: World['hook'] = (event, input = {}, more) =>
    roz(
      ['hook', event],
      JSON.stringify({ session_id: session, transcript_path: '/t', cwd: project, ...input }),
      more,
    )
  return { home, project, env, roz, hook }
}

const call = (command: string) => ({ tool_name: 'Bash', tool_input: { command }, tool_use_id: 't1' })
const json = ({ out }: Ended) => JSON.parse(out)
const inside = { agent_id: 'a1', agent_type: 'roz:roz' }
const gated = 'review: { gates: { tools: ["Bash:gh issue close*"] } }\n'

const withGates = async ({ roz, home }: World): Promise<void> => {
  expect((await roz(['init'], '', {}, resolve('bin/agency'))).code).toBe(0)
  writeFileSync(join(home, '.agency/config.yaml'), gated)
}

/** Played from the first prompt to the end, as a reviewer and a person would type it. */
test('a review from #roz to the end of the turn, and every try to cheat', async () => {
  const { hook, roz } = world()
  expect(await hook('user-prompt', { prompt: '#roz fix it' })).toEqual({ code: 0, out: '', err: '' })
  expect(json(await hook('stop'))).toMatchObject({ decision: 'block' })
  const told = json(await hook('subagent-start', inside)).hookSpecificOutput.additionalContext as string
  const [, secret = ''] = /--secret ([0-9a-f]{64})/.exec(told) ?? []
  const shell = { CLAUDECODE: '1' }
  const decide = (args: string[], env: NodeJS.ProcessEnv = shell) =>
    roz(['decide', session, 'COMPLETE', 'looked at it', ...args], '', env)
  const other = [['--secret', 'f'.repeat(64)], []]
  for (const args of other)
    expect(await decide(args)).toMatchObject({ code: 1, err: expect.stringContaining('not permitted') })
  expect(json(await hook('stop', { stop_hook_active: true }))).toMatchObject({ decision: 'block' })
  // The turn ended: whoever reviewed then has nothing more to say.
  expect(await decide(['--secret', secret])).toMatchObject({ code: 1 })
  const again = json(await hook('subagent-start', { ...inside, agent_id: 'a2' }))
  const [, second = ''] = /--secret ([0-9a-f]{64})/.exec(again.hookSpecificOutput.additionalContext) ?? []
  expect(await decide(['--secret', second])).toMatchObject({ code: 0 })
  expect(await decide(['--secret', second])).toMatchObject({ code: 1 })
  expect(await hook('subagent-stop', { ...inside, agent_id: 'a2' })).toEqual({ code: 0, out: '', err: '' })
  expect(await hook('stop', { stop_hook_active: true })).toEqual({ code: 0, out: '', err: '' })
  const trace = (await roz(['trace', session])).out
  expect(trace).toMatch(/PromptReceived[\s\S]*StopHookCalled[\s\S]*DecisionRefused[\s\S]*RozDecision/)
})

test('a verdict binds to the tree, where that is wanted; a person’s to what they stand in', async () => {
  const { hook, roz, home, project } = world()
  await roz(['init'], '', {}, resolve('bin/agency'))
  writeFileSync(join(home, '.agency/config.yaml'), 'review: { bind_tree: true }\n')
  writeFileSync(join(project, 'a'), '1')
  await hook('user-prompt', { prompt: '#roz fix it' })
  expect(json(await hook('stop'))).toMatchObject({ decision: 'block' })
  const told = json(await hook('subagent-start', inside)).hookSpecificOutput.additionalContext as string
  const command = /^ {2}(.* COMPLETE .*)$/m.exec(told)?.[1] ?? 'false'
  const ended = await roz(['-c', `cd / && ${command.replace('<summary>', 'fine')}`], '', {}, '/bin/sh')
  expect(ended.code, ended.err).toBe(0)
  expect((await hook('stop')).out).toBe('')
  writeFileSync(join(project, 'a'), '2')
  expect(json(await hook('stop'))).toMatchObject({ decision: 'block' })
  expect((await roz(['decide', session, 'COMPLETE', 'I looked'])).code).toBe(0)
  expect((await hook('stop')).out).toBe('')
})

test('fifty at once on one session: no block is lost, no event, and no gate opens', async () => {
  const all = world()
  await withGates(all)
  const env = { ROZ_MAX_BLOCKS: '1000' }
  await all.hook('user-prompt', { prompt: '#roz fix it' }, env)
  const each = Array.from({ length: 25 }, (_, n) => n)
  const ended = await Promise.all([
    ...each.map((n) => all.hook('stop', { stop_hook_active: n > 0 }, env)),
    ...each.map((n) =>
      all.hook('pre-tool-use', { ...call(`gh issue close ${n}`), tool_use_id: `t${n}` }, env),
    ),
  ])
  expect(ended.filter(({ code, err }) => code !== 0 || err !== '')).toEqual([])
  const said = ended.map(json)
  const stops = said.slice(0, 25).map(({ decision, reason }) => `${decision}: ${reason}`)
  const calls = said.slice(25).map(({ hookSpecificOutput: own }) => {
    return `${own.permissionDecision}: ${own.permissionDecisionReason}`
  })
  // On a machine that is busy enough one may wait for the file too long: it refuses then, says so, and counts nothing.
  const counted = (all: string[]) => all.filter((text) => !text.includes('could not check this')).length
  expect(stops.filter((text) => !text.startsWith('block: '))).toEqual([])
  expect(calls.filter((text) => !text.startsWith('deny: '))).toEqual([])
  const { reviews, close } = await openGate(join(all.home, '.agency'), {})
  onTestFinished(close)
  expect(await reviews.find(session)).toMatchObject({ blocks: counted(stops) })
  const names = (await reviews.trace(session)).map(({ name }) => name)
  const count = (wanted: string) => names.filter((name) => name === wanted).length
  expect([count('StopHookCalled'), count('GateBlocked')]).toEqual([counted(stops), counted(calls)])
  const refused = [...stops, ...calls].filter((text) => text.includes('could not check this'))
  expect(refused.filter((text) => !/locked for|did not end|took too long/.test(text))).toEqual([])
  expect(refused.length).toBeLessThan(25)
})

test('in a session that agency manages the plugin says nothing', async () => {
  const all = world()
  await withGates(all)
  for (const env of [{ AGENCY_ACTOR: 'coder-1' }, { H2_ACTOR: 'coder-1' }, { AGENCY_HOOK: '/nowhere' }])
    expect(await all.hook('pre-tool-use', call('gh issue close 1'), env)).toEqual({
      code: 0,
      out: '',
      err: '',
    })
  // Not one that only says so: without the plugin's own mark the listener has to answer.
  const env = { AGENCY_ACTOR: 'coder-1', CLAUDE_PLUGIN_ROOT: '' }
  expect(json(await all.hook('pre-tool-use', call('ls'), env)).hookSpecificOutput.permissionDecision).toBe(
    'deny',
  )
})

test('a file that another program keeps locked denies a gated call', async () => {
  const all = world()
  await withGates(all)
  await all.hook('pre-tool-use', call('gh issue close 1'))
  const db = await openDatabase(join(all.home, '.agency/review.db'))
  onTestFinished(() => db.close())
  db.exec('begin immediate')
  const held = await all.hook('pre-tool-use', call('gh issue close 1'))
  expect(json(held).hookSpecificOutput).toMatchObject({
    permissionDecision: 'deny',
    permissionDecisionReason: expect.stringContaining('locked'),
  })
  expect(held.code).toBe(0)
}, 120_000)

const inputs: [string, string | Buffer][] = [
  ['nothing', ''],
  ['null', 'null'],
  ['cut JSON', '{"session_id":"s","tool_name":'],
  ['bad UTF-8', Buffer.from([0x7b, 0xff, 0x7d])],
  ['no session', JSON.stringify({ cwd: '/', ...call('ls') })],
  ['a session that is a path', JSON.stringify({ session_id: '../../x', cwd: '/', ...call('ls') })],
  ['another event', JSON.stringify({ session_id: 's', cwd: '/', hook_event_name: 'Stop', ...call('ls') })],
  ['no call', JSON.stringify({ session_id: 's', cwd: '/', tool_name: 'Bash' })],
]
test.each(inputs)('input that is %s denies', async (_, input) => {
  const { code, out } = await world().roz(['hook', 'pre-tool-use'], input)
  expect([code, JSON.parse(out).hookSpecificOutput.permissionDecision]).toEqual([0, 'deny'])
})

test('a huge input is gated by what it is, and kept short', async () => {
  const all = world()
  await withGates(all)
  const command = `gh issue close 1 --comment '${'x'.repeat(2_000_000)}'`
  expect(json(await all.hook('pre-tool-use', call(command))).hookSpecificOutput.permissionDecision).toBe(
    'deny',
  )
  const { reviews, close } = await openGate(join(all.home, '.agency'), {})
  onTestFinished(close)
  const { trigger } = (await reviews.find(session)) ?? {}
  expect(trigger?.input).toMatchObject({ cut: true, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) })
  expect(JSON.stringify(trigger).length).toBeLessThan(15_000)
})

test('a link to a gated program is gated', async () => {
  const all = world()
  await withGates(all)
  mkdirSync(join(all.project, 'bin'))
  writeFileSync(join(all.project, 'bin/gh'), '#!/bin/sh\n', { mode: 0o755 })
  symlinkSync('bin/gh', join(all.project, 'harmless'))
  const said = await all.hook('pre-tool-use', call('./harmless issue close 1'))
  expect(json(said).hookSpecificOutput.permissionDecision).toBe('deny')
})

test('no event of Claude Code, or an answer that nobody reads: exit 2, never 1', async () => {
  const { roz, hook } = world()
  expect(await roz(['hook', 'pre-tol-use'], '{}')).toMatchObject({ code: 2, out: '' })
  expect(await roz(['hook'], '{}')).toMatchObject({ code: 2 })
  expect((await hook('subagent-stop', inside)).code).toBe(0)
  const full = `exec "$0" hook stop > /dev/full < /dev/null`
  expect((await roz(['-c', full, join(plugin, 'bin/roz')], '', {}, '/bin/sh')).code).toBe(2)
})

/** The plugin where Claude Code may have copied it: away from its package. */
const alone = ({ home }: World): string => {
  cpSync(plugin, join(home, 'cache/roz'), { recursive: true })
  return join(home, 'cache/roz/bin/roz')
}
const tools = (home: string, ...names: string[]): string => {
  const folder = join(home, 'tools')
  mkdirSync(folder, { recursive: true })
  for (const name of names) symlinkSync(join(dirname('/bin/sh'), name), join(folder, name))
  return folder
}

test('without its package it takes agency from PATH', async () => {
  const all = world()
  const program = alone(all)
  const folder = tools(all.home, 'sh', 'dirname')
  writeFileSync(join(folder, 'agency'), '#!/bin/sh\necho "agency $*"; exit 1\n')
  chmodSync(join(folder, 'agency'), 0o755)
  expect(await all.roz(['list'], '', { PATH: folder }, program)).toMatchObject({
    code: 1,
    out: 'agency review list\n',
  })
  // Whatever goes wrong in a hook is no "go on".
  expect(await all.roz(['hook', 'stop'], '{}', { PATH: folder }, program)).toMatchObject({
    code: 2,
    out: 'agency hook stop\n',
  })
})

test('without any program it refuses, with words; a stop is held once', async () => {
  const all = world()
  const program = alone(all)
  const PATH = tools(all.home, 'sh', 'dirname', 'grep')
  const run = (event: string, stdin = '{}') => all.roz(['hook', event], stdin, { PATH }, program)
  for (const event of ['pre-tool-use', 'user-prompt', 'stop', 'session-start'])
    expect(await run(event)).toMatchObject({ code: 2, err: expect.stringContaining('npm install') })
  const again = await run('stop', '{"stop_hook_active":true}')
  expect([again.code, Object.keys(JSON.parse(again.out))]).toEqual([0, ['systemMessage']])
  expect(await run('post-tool-use')).toEqual({ code: 0, out: '', err: '' })
  expect((await all.roz(['list'], '', { PATH }, program)).code).toBe(1)
})

test('the package ships what the plugin says it has', () => {
  const read = (file: string) => JSON.parse(readFileSync(join(plugin, file), 'utf8'))
  expect(read('.claude-plugin/plugin.json')).toMatchObject({ name: 'roz', version: expect.any(String) })
  expect(read('.claude-plugin/marketplace.json').plugins).toMatchObject([{ name: 'roz', source: './' }])
  const { hooks } = read('hooks/hooks.json') as {
    hooks: Record<
      string,
      { matcher?: string; hooks: { command: string; timeout: number; onFailure?: string }[] }[]
    >
  }
  const entries = Object.entries(hooks).map(
    ([event, [group]]) => [event, group?.hooks[0]?.onFailure] as const,
  )
  expect(Object.fromEntries(entries)).toEqual({
    SessionStart: undefined,
    UserPromptSubmit: 'block',
    PreToolUse: 'block',
    PostToolUse: undefined,
    PostToolUseFailure: undefined,
    SubagentStart: undefined,
    SubagentStop: undefined,
    Stop: undefined,
    SessionEnd: undefined,
  })
  expect(hooks.PreToolUse?.[0]?.matcher).toBe('*')
  for (const id of ['v1', 'v2', 'v3'])
    expect(readFileSync(join(plugin, `templates/block-${id}.md`), 'utf8')).toContain('{{session_id}}')
  expect(readFileSync('package.json', 'utf8')).toContain('"dist"')
})
