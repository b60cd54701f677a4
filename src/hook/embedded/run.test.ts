// The gate without a host: each event by itself, on real files. What the program does as a process is in gate.test.ts.
import { chmodSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { initRoot } from '../../config/root/init.ts'
import type { Review } from '../../review/schema.ts'
import { runEmbedded } from './run.ts'
import type { Env } from './schema.ts'
import { openGate } from './store.ts'

const session = '3f9c21ab-0000-4000-8000-000000000001'
const gates = 'review: { gates: { tools: ["Bash:gh issue close*", "Edit(secret/**)"] } }\n'
const plugin = resolve('plugin')

type Heard = { exit: number; json: unknown; stderr: string }
type World = {
  top: string
  home: string
  project: string
  env: Env
  config: (text: string, root?: string) => Promise<void>
  /** Plays one event. */
  hook: (name: string, input?: object, env?: Env) => Promise<Heard>
  call: (command: string, more?: object) => Promise<string>
  review: (root?: string) => Promise<Review | undefined>
}

const denied = ({ json }: Heard): string => {
  const said = (
    json as { hookSpecificOutput?: { permissionDecision: string; permissionDecisionReason: string } }
  )?.hookSpecificOutput
  return said === undefined ? 'no opinion' : `${said.permissionDecision}: ${said.permissionDecisionReason}`
}

const world = (): World => {
  const top = realpathSync(mkdtempSync(join(tmpdir(), 'agency-gate-')))
  onTestFinished(() => rmSync(top, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }))
  const [home, project] = [join(top, 'home'), join(top, 'project')]
  for (const folder of [home, project]) mkdirSync(folder)
  const env: Env = {
    HOME: home,
    PATH: process.env.PATH,
    CLAUDE_PLUGIN_ROOT: plugin,
    CLAUDE_PROJECT_DIR: project,
  }
  const where = { env, cwd: project, home }
  const usual = join(home, '.agency')
  const hook: World['hook'] = async (name, input = {}, more = {}) => {
    const given = { session_id: session, transcript_path: '/t', cwd: project, ...input }
    const { exit, stdout, stderr } = await runEmbedded(name, given, { ...env, ...more })
    return { exit, stderr, json: stdout === '' ? undefined : JSON.parse(stdout) }
  }
  return {
    top,
    home,
    project,
    env,
    config: async (text, root = usual) => {
      if (!existsSync(root)) await initRoot(root, where)
      writeFileSync(join(root, 'config.yaml'), text)
    },
    hook,
    call: async (command, more = {}) =>
      denied(
        await hook('PreToolUse', { tool_name: 'Bash', tool_input: { command }, tool_use_id: 't1', ...more }),
      ),
    review: async (root = usual) => {
      if (!existsSync(join(root, 'review.db'))) return undefined
      const { reviews, close } = await openGate(root, env)
      const found = await reviews.find(session)
      await close()
      return found
    },
  }
}

const inside = { agent_id: 'a1', agent_type: 'roz:roz' }
const contextOf = ({ json }: Heard): string =>
  (json as { hookSpecificOutput?: { additionalContext: string } })?.hookSpecificOutput?.additionalContext ??
  ''
const secretIn = (text: string): string => /--secret ([0-9a-f]{64})/.exec(text)?.[1] ?? ''

/** What a reviewer does: comes, decides, leaves. */
const decide = async (
  { hook, home, env }: World,
  verdict: 'COMPLETE' | 'ISSUES',
  id = 'a1',
): Promise<void> => {
  const who = { ...inside, agent_id: id }
  const secret = secretIn(contextOf(await hook('SubagentStart', who)))
  const { reviews, close } = await openGate(join(home, '.agency'), env)
  await reviews
    .of(session, async () => expect.fail('no setting is needed'))
    .decide({ verdict, summary: 'looked', message: 'add a test' }, { kind: 'subagent', secret })
  await close()
  expect((await hook('SubagentStop', who)).json).toBeUndefined()
}

test('who never asks for a review gets no opinion, and no file', async () => {
  const { hook, call, home } = world()
  expect(contextOf(await hook('SessionStart', { source: 'startup' }))).toMatch(/second opinion/)
  expect((await hook('UserPromptSubmit', { prompt: 'hello' })).json).toBeUndefined()
  expect(await call('rm -rf /')).toBe('no opinion')
  expect((await hook('PostToolUse', { tool_name: 'Bash', tool_use_id: 't1' })).json).toBeUndefined()
  expect((await hook('Stop')).json).toBeUndefined()
  expect((await hook('SessionEnd', { reason: 'other' })).json).toBeUndefined()
  expect(existsSync(join(home, '.agency'))).toBe(false)
})

test('a #roz prompt is held at its end until COMPLETE', async () => {
  const all = world()
  const { hook, review } = all
  await hook('UserPromptSubmit', { prompt: '#roz fix it' })
  const held = await hook('Stop', { stop_hook_active: false })
  expect(held.json).toMatchObject({ decision: 'block', reason: expect.stringContaining(session) })
  await decide(all, 'COMPLETE')
  expect((await hook('Stop', { stop_hook_active: true })).json).toBeUndefined()
  expect(await review()).toMatchObject({ state: 'approved', blocks: 0, attempts: [{ outcome: 'success' }] })
})

test('ISSUES come back as the next refusal, and COMPLETE ends it', async () => {
  const all = world()
  await all.hook('UserPromptSubmit', { prompt: '#roz fix it' })
  await all.hook('Stop')
  await decide(all, 'ISSUES')
  const told = (await all.hook('Stop', { stop_hook_active: true })).json
  expect(told).toMatchObject({ decision: 'block', reason: expect.stringContaining('add a test') })
  await decide(all, 'COMPLETE', 'a2')
  expect((await all.hook('Stop', { stop_hook_active: true })).json).toBeUndefined()
})

test('max_blocks refusals, then a warning, and gates stay closed', async () => {
  const { hook, call, config } = world()
  await config(gates)
  await hook('UserPromptSubmit', { prompt: '#roz fix it' }, { ROZ_MAX_BLOCKS: '2' })
  const stops = []
  for (let n = 0; n < 4; n++)
    stops.push((await hook('Stop', { stop_hook_active: n > 0 }, { ROZ_MAX_BLOCKS: '2' })).json)
  expect(stops.map((json) => Object.keys(json as object))).toEqual([
    ['decision', 'reason'],
    ['decision', 'reason'],
    ['systemMessage'],
    ['systemMessage'],
  ])
  expect(await call('gh issue close 1')).toMatch(/^deny: .*review/)
})

test('while the reviewer works in the background a stop is no finish', async () => {
  const { hook, review } = world()
  await hook('UserPromptSubmit', { prompt: '#roz fix it' })
  await hook('Stop')
  await hook('SubagentStart', inside)
  const running = [{ id: 'a1', type: 'subagent', status: 'running', agent_type: 'roz:roz' }]
  expect((await hook('Stop', { stop_hook_active: true, background_tasks: running })).json).toBeUndefined()
  expect(await review()).toMatchObject({ blocks: 1 })
  // Another subagent is no reviewer.
  const other = [{ id: 'b1', type: 'subagent', status: 'running', agent_type: 'Explore' }]
  expect((await hook('Stop', { stop_hook_active: true, background_tasks: other })).json).toMatchObject({
    decision: 'block',
  })
})

test('only a session that is known leaves a trace of its calls', async () => {
  const { hook, home, env } = world()
  await hook('UserPromptSubmit', { prompt: '#roz fix it' })
  for (const session_id of [session, 'another'])
    for (const name of ['PostToolUse', 'PostToolUseFailure'])
      await hook(name, { session_id, tool_name: 'Bash', tool_use_id: 't1' })
  const { reviews, close } = await openGate(join(home, '.agency'), env)
  onTestFinished(close)
  const names = async (id: string) => (await reviews.trace(id)).map(({ name, data }) => [name, data.ok])
  expect(await names(session)).toEqual([
    ['PromptReceived', undefined],
    ['ToolCompleted', true],
    ['ToolCompleted', false],
  ])
  expect(await names('another')).toEqual([])
})

test('a notification is no prompt of a person', async () => {
  const { hook, review } = world()
  await hook('UserPromptSubmit', { prompt: '#roz fix it' })
  await hook('UserPromptSubmit', { prompt: '<task-notification>\n#roz more' })
  expect(await review()).toMatchObject({ turn: 1, state: 'pending' })
})

test('what compacting leaves behind, and a resumed session, change nothing', async () => {
  const { hook, review } = world()
  await hook('UserPromptSubmit', { prompt: '#roz fix it' })
  const before = await review()
  await hook('SubagentStop', { agent_type: '' })
  await hook('SessionStart', { source: 'compact' })
  await hook('SessionStart', { source: 'resume' })
  expect(await review()).toEqual(before)
})

test.each([
  'gh issue close 1',
  'gh issue close 1 | cat',
  'true && gh issue close 1',
  "bash -lc 'gh issue close 1'",
  'echo $(gh issue close 1)',
  '/usr/bin/gh issue close 1',
  'env A=b gh issue close 1',
  '$TOOL issue close 1',
])('%s is gated; what is not has no opinion', async (command) => {
  const { call, config, review } = world()
  await config(gates)
  expect(await call('gh issue list')).toBe('no opinion')
  expect(await review()).toBeUndefined()
  expect(await call(command)).toMatch(/^deny: This call needs a review first/)
  expect(await review()).toMatchObject({
    state: 'pending',
    trigger: { tool: 'Bash', input: { value: { command } } },
  })
})

test.each<[string, string[]]>([
  ['tool', ['no opinion', 'deny', 'deny']],
  ['prompt', ['no opinion', 'no opinion', 'deny']],
  ['session', ['no opinion', 'no opinion', 'no opinion']],
])('scope %s: the call, another one, one after the next prompt', async (scope, expected) => {
  const all = world()
  const { hook, call, config } = all
  await config(`review: { gates: { tools: ["Bash:gh issue close*"], approval_scope: ${scope} } }\n`)
  await hook('UserPromptSubmit', { prompt: 'go' })
  expect(await call('gh issue close 1')).toMatch(/^deny/)
  await decide(all, 'COMPLETE')
  const first = await call('gh issue close 1', { tool_use_id: 't2' })
  const second = await call('gh issue close 2', { tool_use_id: 't3' })
  await hook('UserPromptSubmit', { prompt: 'more' })
  const third = await call('gh issue close 3', { tool_use_id: 't4' })
  expect([first, second, third].map((said) => said.replace(/:.*/s, ''))).toEqual(expected)
})

test('a gate may be on any tool, and its reviewer is never held back', async () => {
  const { hook, config } = world()
  await config('review: { gates: { tools: ["Edit(secret/**)", "Agent"] } }\n')
  const edit = { tool_name: 'Write', tool_input: { file_path: 'secret/x', content: '' }, tool_use_id: 't1' }
  expect(denied(await hook('PreToolUse', edit))).toMatch(/^deny/)
  const agent = (subagent_type: string) =>
    hook('PreToolUse', { tool_name: 'Agent', tool_input: { subagent_type, prompt: 'x' }, tool_use_id: 't2' })
  expect(denied(await agent('roz:roz'))).toBe('no opinion')
  expect(denied(await agent('Explore'))).toMatch(/^deny/)
})

test('the reviewer types its own command freely, and makes no gated call', async () => {
  const { hook, call, config, review } = world()
  await config(gates)
  await hook('UserPromptSubmit', { prompt: '#roz fix it' })
  await hook('Stop')
  const told = contextOf(await hook('SubagentStart', inside))
  const typed = `${join(plugin, 'bin/roz')} decide ${session} COMPLETE "all of it" --secret ${secretIn(told)}`
  expect(told).toContain(typed.replace('all of it', '<summary>'))
  expect(await call(typed, inside)).toMatch(/^allow/)
  const asks = `${join(plugin, 'bin/roz')} context ${session}`
  expect(told).toContain(asks)
  expect(await call(asks, inside)).toMatch(/^allow/)
  expect(await call(asks)).toBe('no opinion')
  expect(await call(`${typed}; rm x`, inside)).toBe('no opinion')
  expect(await call('git diff', inside)).toBe('no opinion')
  const before = await review()
  expect(await call('gh issue close 1', inside)).toMatch(/^deny: A reviewer makes no call/)
  expect(await review()).toEqual(before)
})

test('a verdict or an event of the agent itself is refused, and a verdict recorded', async () => {
  const { hook, call, review, env } = world()
  await hook('UserPromptSubmit', { prompt: '#roz fix it' })
  expect(await call(`roz decide ${session} COMPLETE ok`)).toMatch(/^deny: A verdict is not permitted/)
  expect(await call(`env -u CLAUDECODE roz decide ${session} COMPLETE ok`)).toMatch(/^deny: A verdict/)
  expect(await call('echo "{}" | roz hook subagent-start')).toMatch(/^deny: Hook events/)
  // Another subagent is as little a reviewer as the agent.
  expect(await call(`roz decide ${session} COMPLETE ok`, { ...inside, agent_type: 'Explore' })).toMatch(
    /^deny/,
  )
  expect(await review()).toMatchObject({ state: 'pending', refused: 3 })
  const played = await hook('SubagentStart', inside, { ...env, AI_AGENT: 'claude-code_2-1-325_agent' })
  expect([played.json, (await review())?.attempts]).toEqual([undefined, []])
})

test('only the reviewer is given a secret, and only where one is needed', async () => {
  const { hook, review } = world()
  await hook('UserPromptSubmit', { prompt: '#roz fix it' })
  expect((await hook('SubagentStart', { ...inside, agent_type: 'Explore' })).json).toBeUndefined()
  expect((await hook('SubagentStart', { ...inside, session_id: 'another' })).json).toBeUndefined()
  expect((await review())?.attempts).toEqual([])
})

test('a reviewer that leaves without a verdict is held', async () => {
  const { hook } = world()
  await hook('UserPromptSubmit', { prompt: '#roz fix it' })
  await hook('Stop')
  await hook('SubagentStart', inside)
  expect((await hook('SubagentStop', inside)).json).toMatchObject({ decision: 'block' })
})

test('a config that is broken closes everything, with its name and line', async () => {
  const { hook, call, config, home } = world()
  await config('review:\n  gates:\n    tools: 7\n')
  const words = new RegExp(`${home}/\\.agency/config\\.yaml.*3`)
  expect(await call('ls')).toMatch(words)
  expect((await hook('UserPromptSubmit', { prompt: 'x' })).json).toMatchObject({ decision: 'block' })
  expect((await hook('Stop', { stop_hook_active: false })).json).toMatchObject({
    decision: 'block',
    reason: expect.stringMatching(words),
  })
  expect((await hook('Stop', { stop_hook_active: true })).json).toMatchObject({
    systemMessage: expect.stringMatching(words),
  })
  expect(await hook('SessionStart', { source: 'startup' })).toMatchObject({ exit: 2, json: undefined })
  await config('"r\\u0065view": { gates: [\n')
  expect(await call('ls')).toMatch(/^deny/)
})

test.each(['reviw: { gates: { tools: [Bash] } }\n', 'host: [\n', 'host:\n  port: 70000\n'])(
  'the config %j is not taken for one that says nothing',
  async (text) => {
    const { call, config } = world()
    await config(text)
    expect(await call('ls')).toMatch(/^deny: .*config\.yaml is not valid/)
  },
)

test.each<[string, (file: string) => void]>([
  ['is no database', (file) => writeFileSync(file, 'x'.repeat(5000))],
  ['is a directory', (file) => mkdirSync(file)],
])('a file of reviews that %s closes the gates', async (_, spoil) => {
  const { hook, call, config, home } = world()
  await config(gates)
  spoil(join(home, '.agency/review.db'))
  expect(await call('gh issue close 1')).toMatch(/^deny: agency could not check this/)
  expect(await call('ls')).toBe('no opinion')
  expect((await hook('Stop')).json).toMatchObject({ decision: 'block' })
})

test('a deleted file forgets no gate', async () => {
  const all = world()
  await all.config(gates)
  await all.call('gh issue close 1')
  await decide(all, 'COMPLETE')
  for (const end of ['', '-wal', '-shm']) rmSync(join(all.home, `.agency/review.db${end}`), { force: true })
  expect(await all.call('gh issue close 1')).toMatch(/^deny: This call needs a review/)
})

test('a root that came with a clone is passed over; one that is named or trusted counts', async () => {
  const { call, config, project, top, hook } = world()
  await config(gates)
  writeFileSync(join(project, '.agency-dir.txt'), 'v1\n')
  writeFileSync(join(project, 'config.yaml'), 'review: { mode: never }\n')
  expect(await call('gh issue close 1')).toMatch(/^deny: This call needs a review/)
  await config('review: { mode: never }\n', join(top, 'other'))
  const input = { tool_name: 'Bash', tool_input: { command: 'gh issue close 1' }, tool_use_id: 't1' }
  expect(denied(await hook('PreToolUse', input, { AGENCY_ROOT: join(top, 'other') }))).toBe('no opinion')
  // Where the agent goes to decides nothing: `init` trusts what it makes.
  expect(denied(await hook('PreToolUse', { ...input, cwd: join(top, 'other') }))).toMatch(/^deny/)
})

test('the programs for a second opinion are looked for on PATH', async () => {
  const { hook, top } = world()
  mkdirSync(join(top, 'bin'))
  writeFileSync(join(top, 'bin/codex'), '')
  writeFileSync(join(top, 'bin/gemini'), '')
  chmodSync(join(top, 'bin/codex'), 0o755)
  const said = await hook('SessionStart', { source: 'startup' }, { PATH: `${top}/bin:relative` })
  expect(contextOf(said)).toMatch(/ask `codex`\.$/)
})

test('a turned-off gate says nothing, and an unknown event neither', async () => {
  const { hook, config, call } = world()
  await config('review: { mode: never }\n')
  await hook('UserPromptSubmit', { prompt: '#roz fix it' })
  expect((await hook('Stop')).json).toBeUndefined()
  expect(await call('roz decide x COMPLETE ok')).toBe('no opinion')
  expect((await hook('Notification')).json).toBeUndefined()
})

test('with bind_tree a verdict is about the work as the reviewer found it', async () => {
  const all = world()
  const { hook, config, project, review } = all
  await config('review: { bind_tree: true }\n')
  writeFileSync(join(project, 'a'), '1')
  await hook('UserPromptSubmit', { prompt: '#roz fix it' })
  await hook('Stop')
  await decide(all, 'COMPLETE')
  expect((await hook('Stop')).json).toBeUndefined()
  writeFileSync(join(project, 'a'), '2')
  expect((await hook('Stop')).json).toMatchObject({ decision: 'block' })
  expect(await review()).toMatchObject({ cause: 'changed' })
})
