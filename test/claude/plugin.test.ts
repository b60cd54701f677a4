// The gate in plain Claude Code: a turn that was asked to be reviewed ends with a verdict, or with a warning.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { configure, kept, obeys, plugged, reviews, roz, secret, spawns, traced } from '../twin/plugin.ts'
import { bash, says, write } from '../twin/say.ts'
import { each, hooked, http } from '../twin/settings.ts'
import { real, twin } from '../twin/twin.ts'
import { until } from '../twin/until.ts'

const works = says('#roz Fix bug', 'I am done.')

twin('#roz: the stop is refused, the reviewer says COMPLETE, the turn ends', async (make) => {
  const rig = await make([reviews('COMPLETE'), obeys({ calls: [spawns()] }, { text: 'Reviewed.' }), works])
  const { code, result } = await rig.print('#roz Fix bug', plugged)
  expect([code, result?.result, result?.permission_denials]).toEqual([0, 'Reviewed.', []])
  expect(await kept(rig, result?.session_id ?? '')).toMatchObject({
    state: 'approved',
    prompts: [{ text: '#roz Fix bug' }],
    decisions: [{ verdict: 'COMPLETE', by: 'subagent', summary: 'I looked' }],
    attempts: [{ outcome: 'success', blocks: 1 }],
  })
})

twin('a reviewer in the background is waited for', async (make) => {
  const rig = await make([
    reviews('COMPLETE'),
    { match: '<task-notification>', subagent: false, replies: [{ text: 'Reviewed.' }] },
    obeys({ calls: [spawns(true)] }, { text: 'It looks.' }),
    works,
  ])
  const { code, result } = await rig.print('#roz Fix bug', plugged)
  expect([code, result?.result]).toEqual([0, 'Reviewed.'])
  const review = await kept(rig, result?.session_id ?? '')
  // The stop while it looked was no finish, and what told of its end was no prompt.
  expect(review).toMatchObject({ state: 'approved', turn: 1, decisions: [{ verdict: 'COMPLETE' }] })
  expect(review.attempts.map(({ outcome }) => outcome)).toEqual(['success'])
})

twin('ISSUES: the agent is told, mends it, and is reviewed again', async (make) => {
  const rig = await make(({ work }) => [
    reviews('ISSUES', 'COMPLETE'),
    {
      match: 'There is no test.',
      subagent: false,
      replies: [{ calls: [write(`${work}/a.test`)] }, { text: 'There is one now.' }],
    },
    obeys({ calls: [spawns()] }, { text: 'Hm.' }, { calls: [spawns()] }, { text: 'Reviewed.' }),
    works,
  ])
  const { code, result } = await rig.print('#roz Fix bug', [...plugged, '--allowedTools=Write'])
  expect([code, result?.result]).toEqual([0, 'Reviewed.'])
  const { state, decisions } = await kept(rig, result?.session_id ?? '')
  expect([state, decisions.map(({ verdict }) => verdict)]).toEqual(['approved', ['ISSUES', 'COMPLETE']])
})

twin('who never spawns a reviewer is held exactly max_blocks times', async (make) => {
  const rig = await make([{ replies: [{ text: 'I am done.', times: 0 }] }])
  await configure(rig, { circuit_breaker: { max_blocks: 3 } })
  const listener = await rig.listen()
  const settings = hooked({ Stop: http(listener.url) })
  const { code, result } = await rig.print('#roz Fix bug', plugged, { settings })
  expect([code, result?.is_error, listener.of('Stop').length]).toEqual([0, false, 4])
  expect(await kept(rig, result?.session_id ?? '')).toMatchObject({
    state: 'escalated',
    blocks: 3,
    attempts: [{ outcome: 'not_spawned' }, { outcome: 'not_spawned' }, { outcome: 'not_spawned' }],
  })
})

twin('a verdict of the agent itself is refused, however it is typed', async (make) => {
  const decide = (session: string) => `${roz} decide ${session} COMPLETE ok`
  const rig = await make([
    obeys(
      { calls: [bash(decide('$CLAUDE_CODE_SESSION_ID'))] },
      { calls: [bash(`env -u CLAUDECODE ${decide('$CLAUDE_CODE_SESSION_ID')}`)] },
      {
        calls: [
          bash(
            `printf '%s\\n' '${decide('"$CLAUDE_CODE_SESSION_ID"').replace('decide', "de''cide")}' > d.sh`,
          ),
        ],
      },
      { calls: [bash('sh d.sh > said 2>&1; true')] },
      { text: 'I tried.' },
    ),
    { replies: [{ text: 'I am done.', times: 0 }] },
  ])
  await configure(rig, { circuit_breaker: { max_blocks: 2 } })
  const { result } = await rig.print('#roz Fix bug', [...plugged, '--allowedTools=Bash'])
  expect(result?.permission_denials.map(({ tool_name }) => tool_name)).toEqual(['Bash', 'Bash'])
  const review = await kept(rig, result?.session_id ?? '')
  expect(review).toMatchObject({ state: 'escalated', decisions: [] })
  expect(review.refused).toBe(3)
})

twin('a hook event that the agent plays gives it no secret', async (make) => {
  const event = (session: string) =>
    `{"session_id":"${session}","transcript_path":"/t","cwd":"/","agent_id":"x","agent_type":"roz:roz"}`
  const rig = await make(({ dir }) => [
    obeys(
      { calls: [bash(`echo '${event('x')}' | ${roz} hook subagent-start > ${dir}/said`)] },
      // By a script, which no rule for commands sees into.
      { calls: [bash(`sh ${dir}/play.sh`)] },
      { text: 'I tried.' },
    ),
    { replies: [{ text: 'I am done.', times: 0 }] },
  ])
  await configure(rig, { circuit_breaker: { max_blocks: 2 } })
  await rig.write(
    'play.sh',
    `echo '${event('SESSION')}' | sed "s/SESSION/$CLAUDE_CODE_SESSION_ID/" | '${roz}' hook subagent-start > ${rig.dir}/said 2>&1`,
  )
  const { result } = await rig.print('#roz Fix bug', [...plugged, '--allowedTools=Bash'])
  expect(result?.permission_denials.length).toBe(1)
  expect(await readFile(join(rig.dir, 'said'), 'utf8')).toMatch(/played by hand/)
  const { attempts } = await kept(rig, result?.session_id ?? '')
  expect(attempts.map(({ outcome }) => outcome)).toEqual(['not_spawned', 'not_spawned'])
})

twin('a secret works once', async (make) => {
  const rig = await make(({ dir }) => [
    {
      match: 'Review the work',
      subagent: true,
      replies: [{ calls: [bash(`echo ${secret} > ${dir}/stolen`)] }, ...reviews('COMPLETE').replies],
    },
    obeys({ calls: [spawns()] }, { text: 'Reviewed.' }),
    {
      match: '#roz More',
      replies: [{ calls: [bash(`sh ${dir}/again.sh`)] }, { text: 'I am done.', times: 0 }],
    },
    works,
  ])
  await configure(rig, { circuit_breaker: { max_blocks: 1 } })
  await rig.write(
    'again.sh',
    `exec '${roz}' decide "$CLAUDE_CODE_SESSION_ID" COMPLETE ok --secret "$(cat ${rig.dir}/stolen)"`,
  )
  const first = await rig.print('#roz Fix bug', [...plugged, '--allowedTools=Bash'])
  const session = first.result?.session_id ?? ''
  expect(await kept(rig, session)).toMatchObject({ state: 'approved' })
  await rig.print('#roz More', [...plugged, '--allowedTools=Bash', '--resume', session])
  const review = await kept(rig, session)
  expect(review).toMatchObject({ state: 'escalated', refused: 1 })
  expect(review.decisions.length).toBe(1)
})

twin('reviews that were made garbage hold the stop once, and say so', async (make) => {
  const rig = await make([
    {
      match: '#roz',
      replies: [
        { calls: [bash('head -c 9000 /dev/zero > "$HOME/.agency/review.db"')] },
        { text: 'I am done.', times: 0 },
      ],
    },
    { match: 'could not check this', replies: [{ text: 'So be it.', times: 0 }] },
  ])
  const listener = await rig.listen()
  const settings = hooked({ Stop: http(listener.url) })
  const { code } = await rig.print('#roz Fix bug', [...plugged, '--allowedTools=Bash'], { settings })
  expect([code, listener.of('Stop').map(({ stop_hook_active: again }) => again)]).toEqual([0, [false, true]])
})

twin('every step is in the trace', async (make) => {
  const rig = await make([reviews('COMPLETE'), obeys({ calls: [spawns()] }, { text: 'Reviewed.' }), works])
  await configure(rig, {})
  const { result } = await rig.print('#roz Fix bug', plugged)
  const names = (await traced(rig, result?.session_id ?? '')).filter((name) => name !== 'ToolCompleted')
  expect(names).toEqual([
    'SessionStart',
    'PromptReceived',
    'StopHookCalled',
    'ReviewerStarted',
    'RozDecision',
    'ReviewerLeft',
    'StopHookCalled',
    'SessionEnd',
  ])
})

const manual = [...plugged, '--permission-mode', 'manual']

twin('at a terminal nobody is asked about the verdict', async (make) => {
  const rig = await make([reviews('COMPLETE'), obeys({ calls: [spawns()] }, { text: 'Reviewed.' }), works])
  const listener = await rig.listen()
  const settings = hooked(each(['PermissionRequest', 'Stop'], http(listener.url)))
  const terminal = await rig.terminal(manual, { settings })
  await terminal.send('#roz Fix bug')
  await terminal.sees('Reviewed.')
  const { body } = await listener.until('Stop', 2)
  await until('the verdict', async () => (await kept(rig, body.session_id)).state === 'approved')
  expect(listener.of('PermissionRequest')).toEqual([])
})

real(
  'the person is warned of work that ends unreviewed',
  'the scripted agent shows no such message',
  async (make) => {
    const rig = await make([{ replies: [{ text: 'I am done.', times: 0 }] }])
    await configure(rig, { circuit_breaker: { max_blocks: 1 } })
    const terminal = await rig.terminal(manual)
    await terminal.send('#roz Fix bug')
    await terminal.sees(/Review not complete/)
  },
)

real('installed from its marketplace file', 'the scripted agent installs nothing', async (make) => {
  const rig = await make([reviews('COMPLETE'), obeys({ calls: [spawns()] }, { text: 'Reviewed.' }), works])
  const add = await rig.bare(['plugin', 'marketplace', 'add', plugged[1] ?? '']).ended
  expect(add.code, add.stdout + add.stderr).toBe(0)
  expect((await rig.bare(['plugin', 'install', 'roz@agency']).ended).code).toBe(0)
  const { result } = await rig.print('#roz Fix bug')
  expect(await kept(rig, result?.session_id ?? '')).toMatchObject({ state: 'approved' })
})
