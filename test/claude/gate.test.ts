// Gates in plain Claude Code: a gated call waits for a review, and any other is Claude Code's own business.
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { Script } from '../../src/driver/scripted/scenario/schema.ts'
import { configure, kept, plugged, reviews, spawns, tool, traced } from '../twin/plugin.ts'
import type { Rig } from '../twin/rig.ts'
import { bash, turn, write } from '../twin/say.ts'
import { each, hooked, http } from '../twin/settings.ts'
import { toolResults, transcript } from '../twin/transcript.ts'
import { twin } from '../twin/twin.ts'
import { until } from '../twin/until.ts'

const gates = (approval_scope: string) => ({
  gates: { tools: ['Bash:gh issue close*'], approval_scope },
  // Refusals after the verdict hold the end of the turn too; how often is not the matter here.
  circuit_breaker: { max_blocks: 1 },
})
const close = (issue: number) => ({ calls: [bash(`gh issue close ${issue}`)] })
const free = [...plugged, '--allowedTools=Bash']

const closed = async (rig: Rig): Promise<string[]> => {
  const log = join(rig.dir, 'gh.log')
  return existsSync(log) ? (await readFile(log, 'utf8')).trim().split('\n') : []
}

/** Closes one, is refused, has it reviewed, closes it and another; after the next prompt a third. */
const story: Script[] = [
  reviews('COMPLETE'),
  {
    match: 'go',
    subagent: false,
    replies: [close(1), { calls: [spawns()] }, close(1), close(2), { text: 'Done.' }],
  },
  { match: 'more', subagent: false, replies: [close(3), { text: 'Done.' }] },
  { subagent: false, replies: [{ text: 'Done.', times: 0 }] },
]

const living = ['-p', '--output-format', 'stream-json', '--verbose', '--input-format', 'stream-json']

/** Two prompts to one session. */
const twice = async (rig: Rig, env: Record<string, string>): Promise<string> => {
  const running = rig.bare([...living, ...free], { env, input: null })
  const results = () => running.lines().filter((line) => line.type === 'result')
  for (const [at, content] of ['go', 'more'].entries()) {
    running.child.stdin?.write(`${JSON.stringify({ type: 'user', message: { role: 'user', content } })}\n`)
    await until(`result ${at + 1}`, () => results().length > at, running.stderr)
  }
  running.child.stdin?.end()
  await running.ended
  return String(results()[0]?.session_id)
}

for (const [scope, issues] of [
  ['tool', [1]],
  ['prompt', [1, 2]],
  ['session', [1, 2, 3]],
] as const)
  twin(
    `scope ${scope}: a gated call is refused, reviewed, then passes as far as that reaches`,
    async (make) => {
      const rig = await make(story)
      await configure(rig, gates(scope))
      const session = await twice(rig, await tool(rig, 'gh'))
      expect(await closed(rig)).toEqual(issues.map((issue) => `issue close ${issue}`))
      const names = await traced(rig, session)
      expect(names.filter((name) => name.startsWith('Gate'))).toEqual([
        'GateBlocked',
        ...[1, 2, 3].map((issue) => (issues.some((one) => one === issue) ? 'GateAllowed' : 'GateBlocked')),
      ])
    },
  )

twin('a refusal tells the agent what to do, and spoils nothing else', async (make) => {
  const rig = await make([turn('go', [bash('gh issue close 1 | cat'), bash('touch ran')])])
  await configure(rig, gates('prompt'))
  const { result } = await rig.print('go', free, { env: await tool(rig, 'gh') })
  const [said] = toolResults(await transcript(rig, result?.session_id ?? ''))
  expect(said).toMatchObject({ is_error: true, text: expect.stringContaining('roz:roz') })
  expect([await closed(rig), existsSync(join(rig.work, 'ran'))]).toEqual([[], true])
  expect(result?.permission_denials).toMatchObject([{ tool_name: 'Bash' }])
})

twin('two gated calls in one message are both refused, and both are kept', async (make) => {
  const rig = await make([turn('go', [bash('gh issue close 1'), bash('gh issue close 2')])])
  await configure(rig, gates('prompt'))
  const { result } = await rig.print('go', free, { env: await tool(rig, 'gh') })
  expect(await closed(rig)).toEqual([])
  const names = await traced(rig, result?.session_id ?? '')
  expect(names.filter((name) => name === 'GateBlocked').length).toBe(2)
})

twin('the breaker frees the stop, and no gate', async (make) => {
  const rig = await make([
    { match: 'go', replies: [close(1), { text: 'Done.' }] },
    { match: 'Stop hook', replies: [{ text: 'Done.' }] },
    { match: 'again', replies: [close(1), { text: 'Done.', times: 0 }] },
    { replies: [{ text: 'Done.', times: 0 }] },
  ])
  await configure(rig, gates('prompt'))
  const env = await tool(rig, 'gh')
  const { result } = await rig.print('go', free, { env })
  const session = result?.session_id ?? ''
  expect(await kept(rig, session)).toMatchObject({ state: 'escalated' })
  await rig.print('again', [...free, '--resume', session], { env })
  expect(await closed(rig)).toEqual([])
})

const asked = ['PreToolUse', 'PermissionRequest', 'PermissionDenied', 'PostToolUse']

twin('a call that is not gated is asked about as if there were no plugin', async (make) => {
  const calls = [bash('touch ran'), write('wrote'), bash('ls')]
  const seen = async (args: string[], review?: object) => {
    const rig = await make(({ work }) => [
      turn(
        'go',
        calls.map((call) => (call.name === 'Write' ? write(join(work, 'wrote')) : call)),
      ),
    ])
    if (review) await configure(rig, review)
    const listener = await rig.listen()
    const settings = hooked(each(asked, http(listener.url)))
    const { result } = await rig.print('go', args, { settings })
    return {
      events: listener.hooks.map(({ event, body }) => [event, body.tool_name]),
      denied: result?.permission_denials.map(({ tool_name }) => tool_name),
      ran: existsSync(join(rig.work, 'ran')),
      wrote: existsSync(join(rig.work, 'wrote')),
    }
  }
  const without = await seen([])
  expect(without).toMatchObject({ denied: ['Bash', 'Write'], ran: false, wrote: false })
  expect(without.events).toContainEqual(['PermissionRequest', 'Bash'])
  expect(await seen(plugged)).toEqual(without)
  expect(await seen(plugged, gates('prompt'))).toEqual(without)
})

twin('a broken config refuses the prompt, and names the file', async (make) => {
  const rig = await make([turn('go', [bash('touch ran')])])
  await configure(rig, {})
  await rig.write('home/.agency/config.yaml', 'reviw: {}\n')
  const { result } = await rig.print('go', free)
  // Nobody works under rules that cannot be read.
  expect([result?.num_turns, existsSync(join(rig.work, 'ran'))]).toEqual([0, false])
  expect(result?.result).toMatch(/config\.yaml is not valid/)
})
