// Tasks at the command line: a real host, a headless agent that plays a scenario, and processes that are killed.
import type { ChildProcess } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Scenario } from '../../src/driver/scripted/scenario/schema.ts'
import type { TaskDetails } from '../../src/task/api.ts'
import { castOf } from '../agent/cast.ts'
import { patience, type Stage } from '../agent/kit.ts'
import { ask } from '../agent/tasks.ts'
import { collect, program, world } from './kit.ts'
import { terminal } from './screen.ts'

const make = castOf('scripted')
const bash = (command: string) => ({ calls: [{ name: 'Bash', input: { command } }] })
const heard = { replies: [{ text: 'Heard.', times: 0, usage: { input: 100, output: 7 } }] }
const waits = 'touch began; while [ ! -e go ]; do sleep 0.05; done'
const long = { match: 'plough', replies: [bash(waits), { text: 'Late.' }] }

/** A root with headless agents of these names; no host yet. */
const staged = async (scenario: Scenario, names = ['ag-01'], role = ''): Promise<Stage> => {
  const at = await make(scenario, `permissions:\n  allow: [Bash]\n${role}`)
  for (const name of names) {
    mkdirSync(join(at.root, 'agents', name), { recursive: true })
    writeFileSync(join(at.root, 'agents', name, 'config.yaml'), 'role: s\nsandbox: { enabled: false }\n')
  }
  return at
}

type Told = TaskDetails & { readonly agent: string }
const jsonOf = (text: string): { task: Told; left?: true } => JSON.parse(text)
const show = async (at: Stage, id: string): Promise<Told> =>
  jsonOf((await at.agency(['task', 'show', id, '--json'])).out).task

/** Waits until the tool of the task runs. */
const begun = async (at: Stage, id: string): Promise<string> => {
  const place = join(at.root, 'work', (await show(at, id)).session_id)
  await expect.poll(() => existsSync(join(place, 'began')), patience).toBe(true)
  return place
}
const given = async (at: Stage, ...args: string[]): Promise<string> => {
  const said = await at.agency(['task', 'run', ...args, '--json'])
  expect(said.code, said.err + said.out).toBe(0)
  return jsonOf(said.out).task.task_id
}

/** From here on Ctrl-C leaves it. */
const untilWaiting = async (child: ChildProcess): Promise<string> => {
  let told = ''
  child.stderr?.on('data', (chunk) => {
    told += chunk
  })
  await expect.poll(() => told, patience).toMatch(/Ctrl-C leaves it/)
  return told
}

test('typed, from a file and from standard input: what it says is all that stands on stdout', async () => {
  const at = await staged({
    scripts: [
      { match: 'typed', replies: [{ text: 'Typed.' }] },
      { match: 'written', replies: [{ text: 'Written.' }] },
      { match: 'piped', replies: [{ text: 'Piped.' }] },
      { match: 'fed', replies: [{ text: 'Fed.' }] },
    ],
  })
  writeFileSync(join(at.cwd, 'plan.md'), 'as written\n')
  const run = (args: string[], stdin?: string) =>
    at.agency(['task', 'run', ...args, '--agent', 'ag-01', '--wait'], stdin === undefined ? {} : { stdin })
  expect(await run(['as typed'])).toMatchObject({ code: 0, out: 'Typed.\n' })
  expect(await run(['--file', 'plan.md'])).toMatchObject({ code: 0, out: 'Written.\n' })
  expect(await run(['-'], 'as piped')).toMatchObject({ code: 0, out: 'Piped.\n' })
  expect(await run(['--file', '-'], 'as fed')).toMatchObject({ code: 0, out: 'Fed.\n' })

  const history = await at.json(['history', '--limit', '3'])
  expect(history).toMatchObject({ total: 4, page: 1, limit: 3 })
  const tasks = history.tasks as Told[]
  expect(tasks.map(({ agent, state, prompt_preview }) => [agent, state, prompt_preview])).toEqual([
    ['ag-01', 'completed', 'as fed'],
    ['ag-01', 'completed', 'as piped'],
    ['ag-01', 'completed', 'as written'],
  ])
  expect((await at.agency(['history', '--limit', '3'])).out).toContain('`agency history --page 2`')
  expect((await at.json(['history', '--limit', '3', '--page', '2'])).tasks).toHaveLength(1)
  expect((await at.agency(['task', 'list'])).out).toContain('No task is open')
  expect((await at.json(['task', 'list', '--all', '--agent', 'ag-01'])).tasks).toHaveLength(4)
  expect(await show(at, tasks[0]?.task_id ?? '')).toMatchObject({ output: 'Fed.', agent: 'ag-01' })
})

test('an id alone is enough; JSON is one object, whatever else is asked for', async () => {
  const at = await staged({ scripts: [heard] }, ['ag-01', 'ag-02'])
  const followed = await at.agency(['task', 'run', 'x', '--agent', 'ag-02', '--follow', '--json'])
  expect([followed.code, followed.err]).toEqual([0, ''])
  const { task } = jsonOf(followed.out)
  expect(task).toMatchObject({ agent: 'ag-02', state: 'completed', exit_code: 0, output: 'Heard.' })
  const text = await at.agency(['task', 'show', task.task_id])
  expect(text.out).toMatch(new RegExp(`^${task.task_id} of ag-02 is done\\.\nagent +ag-02\n`))
  expect(text.out).toMatch(/\nPrompt:\nx\n(.*\n)*\nOutput:\nHeard\.\n$/)
  expect(await at.json(['task', 'debug', task.task_id])).toMatchObject({
    agent: 'ag-02',
    task_id: task.task_id,
    attempts: expect.any(Array),
  })
})

test('what it does is told tool by tool, and nothing in it acts on the terminal', async () => {
  const at = await staged({
    scripts: [
      {
        match: 'hostile',
        replies: [
          bash('printf a'),
          bash('exit 3'),
          { text: 'red \u001b[31m\u001b]0;title\u0007\u202eback\u009b2J end' },
        ],
      },
    ],
  })
  const said = await at.agency(['task', 'run', 'hostile \u001b[2J', '--agent', 'ag-01', '--follow'])
  expect(said).toMatchObject({ code: 0, out: 'red back end\n' })
  expect(said.err).toMatch(
    / {2}task-\w+ working\n {2}Bash …\n {2}Bash is done.*\n {2}Bash …\n {2}Bash (has failed|is done).*\n {2}task-\w+ completed\n$/,
  )
  const shown = await Promise.all([['task', 'list', '--all'], ['history']].map((args) => at.agency(args)))
  for (const { out, err } of [said, ...shown])
    expect(out + err).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/)
})

test('Ctrl-C leaves it: it goes on, and the way back is told', async () => {
  const at = await staged({ scripts: [long] })
  const child = at.start(['task', 'run', 'plough', '--agent', 'ag-01', '--wait'])
  const ended = collect(child)
  const [id = ''] = /task-\w+/.exec(await untilWaiting(child)) ?? []
  const place = await begun(at, id)
  child.kill('SIGINT')
  const said = await ended
  expect([said.code, said.out]).toEqual([130, ''])
  expect(said.err).toContain(
    `${id} goes on. \`agency task show ${id} --wait\` returns to it, \`agency task cancel ${id}\` ends it.`,
  )
  expect(await show(at, id)).toMatchObject({ state: 'working' })

  const back = at.start(['task', 'show', id, '--wait'])
  const come = collect(back)
  writeFileSync(join(place, 'go'), '')
  expect(await come).toMatchObject({ code: 0, out: 'Late.\n' })
})

test('an agent at a terminal: the same commands, and its turn is followed', async () => {
  const at = await staged(
    { scripts: [{ match: 'sow', replies: [bash('true'), { text: 'Sown.' }] }, long, heard] },
    [],
  )
  const up = await at.run('coder')
  expect(up.code, up.err).toBe(0)
  const shy = await at.agency(['task', 'run', 'sow'])
  expect([shy.code, shy.err]).toEqual([
    1,
    expect.stringMatching(/"coder" is at a terminal(.*\n)*.*--agent coder/),
  ])
  const done = await at.agency(['task', 'run', 'sow', '--agent', 'coder', '--follow'])
  expect(done, done.err).toMatchObject({ code: 0, out: 'Sown.\n' })
  expect(done.err).toMatch(/ {2}Bash …\n {2}Bash is done.*\n(.*\n)* {2}task-\w+ completed\n$/)
  const [id = ''] = /task-\w+/.exec(done.err) ?? []
  // One that is over is shown at once.
  expect(await at.agency(['task', 'show', id, '--follow'])).toMatchObject({ code: 0, out: 'Sown.\n' })
  const more = await at.agency(['task', 'continue', id, 'more', '--wait'])
  expect(more, more.err).toMatchObject({ code: 0, out: 'Heard.\n' })

  const child = at.start(['send', 'coder', 'plough', '--wait'])
  const ended = collect(child)
  await untilWaiting(child)
  child.kill('SIGINT')
  const said = await ended
  expect([said.code, said.out]).toEqual([130, ''])
  expect(said.err).toMatch(/Message (\w+) goes its way\. `agency message show \1 --wait` returns to it\.\n$/)
})

test('Ctrl-C in JSON: one object says that it was left', async () => {
  const at = await staged({ scripts: [long] })
  const id = await given(at, 'plough', '--agent', 'ag-01')
  let grace = 100
  // It says nothing while it waits: given more time with every try, it has come so far.
  const leave = async () => {
    grace *= 2
    const child = at.start(['task', 'show', id, '--wait', '--json'])
    const ended = collect(child)
    setTimeout(() => child.kill('SIGINT'), grace)
    const { code, out } = await ended
    return [code, out === '' ? undefined : JSON.parse(out)]
  }
  await expect
    .poll(leave, patience)
    .toEqual([130, { task: expect.objectContaining({ agent: 'ag-01', task_id: id }), left: true }])
  expect(await show(at, id)).toMatchObject({ state: 'working' })
})

test('the host is killed while one waits: another is started, and the waiting goes on', async () => {
  const at = await staged({ scripts: [long] })
  const id = await given(at, 'plough', '--agent', 'ag-01')
  const place = await begun(at, id)
  const child = at.start(['task', 'show', id, '--follow'])
  const ended = collect(child)
  await untilWaiting(child)
  const before = at.host()
  await at.killHost()
  // Nobody but the one that waits starts another.
  await expect.poll(() => at.host().pid, patience).not.toBe(before.pid)
  writeFileSync(join(place, 'go'), '')
  const said = await ended
  expect(said, said.err).toMatchObject({ code: 0, out: 'Late.\n' })
  expect(said.err).toMatch(/ {2}Bash is done.*\n(.*\n)* {2}task-\w+ completed\n/)
})

test('kept open, continued, ended; cancelled; failed: each with its exit code', async () => {
  const error = { status: 401, type: 'authentication_error', message: 'invalid \u001b[31mkey' }
  const at = await staged({ scripts: [long, { match: 'login', replies: [{ error, times: 0 }] }, heard] })
  const opened = await at.agency(['task', 'run', 'one', '--agent', 'ag-01', '--keep-open', '--wait'])
  expect(opened).toMatchObject({ code: 0, out: 'Heard.\n' })
  const [id = ''] = /task-\w+/.exec(opened.err) ?? []
  expect(opened.err).toContain(`agency task continue ${id}`)
  expect((await at.agency(['task', 'list'])).out).toMatch(new RegExp(`${id} +ag-01 +idle`))
  const more = await at.agency(['task', 'continue', id, '-', '--wait'], { stdin: 'two' })
  expect(more).toMatchObject({ code: 0, out: 'Heard.\n' })
  expect((await at.agency(['task', 'end', id])).out).toBe(`${id} of ag-01 is done.\n`)
  expect(await at.agency(['task', 'end', id])).toMatchObject({ code: 1, out: '' })

  const ploughs = await given(at, 'plough', '--agent', 'ag-01')
  await begun(at, ploughs)
  const busy = await at.agency(['task', 'run', 'x', '--agent', 'ag-01'])
  expect([busy.code, busy.err]).toEqual([1, expect.stringContaining(`it works on ${ploughs}`)])
  expect(busy.err).toContain('--agent ag-01 --queue')
  expect(busy.err).not.toContain('agency send')
  const cancelled = await at.agency(['task', 'cancel', ploughs, '--wait'])
  expect(cancelled).toMatchObject({ code: 0, out: `${ploughs} of ag-01 was cancelled.\n` })
  expect((await at.agency(['task', 'show', ploughs, '--wait'])).code).toBe(1)
  const again = await at.agency(['task', 'cancel', ploughs])
  expect([again.code, again.err]).toEqual([1, expect.stringContaining('is over already: it is cancelled')])

  const failed = await at.agency(['task', 'run', 'login', '--agent', 'ag-01', '--wait'])
  expect(failed.code).toBe(1)
  expect(failed.out).toMatch(/^task-\w+ of ag-01 has failed \(auth_error\): /)
  expect(failed.out).not.toContain('\u001b')
})

test('the same key is the same task; a variable is taken from the environment', async () => {
  const at = await staged({
    scripts: [{ match: 'tell', replies: [bash('printf %s "$COLOUR" > colour'), { text: 'Told.' }] }, heard],
  })
  const key = ['--agent', 'ag-01', '--key', 'k1']
  const id = await given(at, 'one', ...key, '--wait')
  expect(await given(at, 'one', ...key, '--wait')).toBe(id)
  const other = await at.agency(['task', 'run', 'two', ...key])
  expect([other.code, other.err]).toEqual([1, expect.stringContaining(id)])
  const run = ['task', 'run', 'tell', '--agent', 'ag-01', '--env', 'COLOUR', '--wait', '--json']
  const said = await at.agency(run, { env: { COLOUR: 'deep blue' } })
  const { session_id } = jsonOf(said.out).task
  expect(readFileSync(join(at.root, 'work', session_id, 'colour'), 'utf8')).toBe('deep blue')
})

test('where nobody is named it waits until one that fits is free, and says for whom', async () => {
  const at = await staged({ scripts: [long, heard] }, ['ag-01', 'ag-02'])
  const ids = [await given(at, 'plough', '--role', 's'), await given(at, 'plough')]
  const places = await Promise.all(ids.map((id) => begun(at, id)))
  const agents = await Promise.all(ids.map(async (id) => (await show(at, id)).agent))
  expect(agents.toSorted()).toEqual(['ag-01', 'ag-02'])
  const words = 'for an agent with the role "s": ag-01 is working, ag-02 is working'
  const late = await at.agency(['task', 'run', 'late', '--role', 's'])
  expect([late.code, late.out]).toEqual([
    0,
    expect.stringMatching(new RegExp(`^task-\\w+ waits ${words}\\.\n$`)),
  ])
  const child = at.start(['task', 'run', 'plough again', '--agent', agents[0] ?? '', '--queue', '--follow'])
  const ended = collect(child)
  const told = await untilWaiting(child)
  expect(told).toMatch(`waits for the agent "${agents[0]}": ${agents[0]} is working. Ctrl-C leaves it`)
  const [last = ''] = /task-\w+/.exec(told) ?? []
  expect(await show(at, last)).toMatchObject({ agent: null, state: 'queued' })
  expect((await at.agency(['task', 'show', last])).out).toMatch(/^task-\w+ waits for the agent/)
  for (const place of places) writeFileSync(join(place, 'go'), '')
  writeFileSync(join(await begun(at, last), 'go'), '')
  const said = await ended
  expect(said, said.err).toMatchObject({ code: 0, out: 'Late.\n' })
  expect(said.err).toMatch(
    new RegExp(`${last} is taken by ${agents[0]}\n {2}${last} working\n {2}Bash …\n {2}Bash is done`),
  )
  const id = /task-\w+/.exec(late.out)?.[0] ?? ''
  expect(await at.agency(['task', 'show', id, '--wait'])).toMatchObject({ code: 0, out: 'Heard.\n' })
  const strange = await at.agency(['task', 'run', 'x', '--role', 'coder'])
  expect([strange.code, strange.err]).toEqual([1, expect.stringContaining('no agent with the role "coder"')])
})

test('a key is one task in the queue too; what comes first and when', async () => {
  const at = await staged({ scripts: [heard] })
  await at.agency(['start'])
  const paused = await at.agency(['task', 'pause'])
  expect([paused.code, paused.out]).toEqual([0, expect.stringMatching(/^Paused since .*agency task unpause/)])
  for (const args of [['task', 'list'], ['status']])
    expect((await at.agency(args)).out).toMatch(/Paused since .*agency task unpause/)
  const one = await given(at, 'one', '--key', 'k', '--priority', '-1')
  expect(await given(at, 'one', '--key', 'k', '--priority', '-1')).toBe(one)
  const other = await at.agency(['task', 'run', 'two', '--key', 'k'])
  expect([other.code, other.err]).toEqual([1, expect.stringContaining(one)])
  const later = await given(at, 'later', '--not-before', '1h')
  const two = await given(at, 'two')
  await at.killHost()
  const back = await at.json(['task', 'unpause'])
  expect(back).toEqual({ paused: false, paused_since: null })
  for (const id of [two, one])
    expect(await at.agency(['task', 'show', id, '--wait'])).toMatchObject({ code: 0, out: 'Heard.\n' })
  const [first, second] = await Promise.all([show(at, two), show(at, one)])
  expect(Date.parse(first.started_at ?? '')).toBeLessThan(Date.parse(second.started_at ?? ''))
  expect((await at.agency(['task', 'show', later])).out).toMatch(/^task-\w+ waits until \d{4}-.*Z\.\n/)
  expect(await at.json(['task', 'list'])).toMatchObject({ paused_since: null, tasks: [{ task_id: later }] })
  expect((await at.agency(['status'])).out).not.toContain('Paused')
})

test('an agent gives tasks only where its role delegates, and ends none', async () => {
  const at = await staged({ scripts: [heard] }, ['ag-01', 'intern'])
  const lead =
    'name: lead\nagent_type: scripted\ninstructions: Lead.\ncapabilities:\n  can_delegate_to_roles: [s]\n'
  writeFileSync(join(at.root, 'roles/lead.yaml'), lead)
  mkdirSync(join(at.root, 'agents/boss'))
  writeFileSync(join(at.root, 'agents/boss/config.yaml'), 'role: lead\nsandbox: { enabled: false }\n')
  const as = (actor: string, ...args: string[]) =>
    at.agency(['task', ...args], { env: { AGENCY_ACTOR: actor } })
  const done = { code: 0, out: 'Heard.\n' }
  expect(await as('boss', 'run', 'x', '--agent', 'ag-01', '--wait')).toMatchObject(done)
  expect(await as('boss', 'run', 'x', '--role', 's', '--wait')).toMatchObject(done)
  const refused = await as('intern', 'run', 'x', '--agent', 'ag-01')
  expect([refused.code, refused.err]).toEqual([
    1,
    expect.stringContaining('may delegate to no role, not to "s"'),
  ])
  const [waits, strange] = [await as('intern', 'run', 'x'), await as('boss', 'run', 'x', '--agent', 'boss')]
  expect([waits.code, waits.err]).toEqual([1, expect.stringContaining('may delegate to no role')])
  expect([strange.code, strange.err]).toEqual([1, expect.stringContaining('not to "lead"')])
  for (const options of [
    ['--agent', 'ag-01', '--env', 'A=1'],
    ['--model', 'opus'],
    ['--priority', '9'],
  ]) {
    const changed = await as('boss', 'run', 'x', ...options)
    expect([changed.code, changed.err]).toEqual([1, expect.stringContaining('Only a person')])
  }
  const pausing = await as('boss', 'pause')
  expect([pausing.code, pausing.err]).toEqual([1, expect.stringContaining('Only a person')])
  expect((await at.json(['history'])).total).toBe(2)
})

test('a terminal shows one line of what it does, and Ctrl-C gives it back', async () => {
  const at = await staged({ scripts: [long] })
  const { type, screen } = terminal(at, `${program} task run plough --agent ag-01 --wait`)
  await expect.poll(screen, patience).toMatch(/\r\u001b\[Ktask-\w+ working, [^\n]*Bash/)
  type('\u0003')
  await expect.poll(screen, patience).toContain('done')
  expect(screen()).toMatch(/\r\u001b\[Ktask-\w+ goes on\..*code=130\r\n/s)
})

const wrong = [
  [['task', 'run'], 'exactly one of prompt, --file'],
  [['task', 'run', 'x', '--file', 'y'], 'exactly one of prompt, --file'],
  [['task', 'run', '-'], 'The prompt is empty'],
  [['task', 'run', ' \n'], 'The prompt is empty'],
  [['task', 'run', '--file', 'missing.md'], 'missing.md cannot be read: ENOENT'],
  [['task', 'run', 'x', '--timeout', '30'], '"30" is no good for --timeout'],
  [['task', 'run', 'x', '--project', 'app'], '"app" is no good for --project'],
  [
    ['task', 'run', 'x', '--agent', 'a', '--env', 'NOBODY_SET_THIS'],
    '"NOBODY_SET_THIS" is no good for --env',
  ],
  [['task', 'run', 'x', '--env', 'A=1'], '--env without --agent'],
  [['task', 'run', 'x', '--agent', 'a', '--queue', '--env', 'A=1'], '--env for a task that may wait'],
  [['task', 'run', 'x', '--agent', 'A/B'], 'agent name "A/B"'],
  [['task', 'run', 'x', '--agent', 'a', '--role', 'r'], '--role together with --agent'],
  [['task', 'run', 'x', '--agent', 'a', '--label', 'l'], '--label together with --agent'],
  [['task', 'run', 'x', '--priority', 'high'], '"high" is no good for --priority'],
  [['task', 'run', 'x', '--not-before', 'tomorrow'], '"tomorrow" is no good for --not-before'],
  [['task', 'show', 'x/../y'], 'the id of a task'],
  [['task', 'continue', 'task-1', 'x', '--timeout', 'soon'], '"soon" is no good for --timeout'],
  [['history', '--limit', '101'], '"101" is no good for --limit'],
  [['history', '--page', '0'], '"0" is no good for --page'],
] as const
test('what is typed wrong is exit 2, and starts nothing', async () => {
  const at = world()
  await at.agency(['init'])
  for (const [args, words] of wrong) {
    const said = await at.agency(args, { stdin: '' })
    expect([args, said.code, said.out, said.err]).toEqual([args, 2, '', expect.stringContaining(words)])
  }
  expect(existsSync(join(at.root, 'host.json'))).toBe(false)
})

test('what the host refuses is told as it is; what is not there is not found', async () => {
  const at = await staged({ scripts: [heard] })
  const run = (...args: string[]) => at.agency(['task', 'run', 'x', '--agent', 'ag-01', ...args])
  const said = (code: number, words: string) => ({ code, out: '', err: expect.stringContaining(words) })
  expect(await run('--model', 'gpt')).toMatchObject(said(2, 'must be opus, sonnet, haiku'))
  expect(await run('--session', 'x')).toMatchObject(said(2, 'must be the id of a session'))
  expect(await run('--env', 'LD_PRELOAD=/x.so')).toMatchObject(said(2, 'LD_PRELOAD'))
  expect(await at.agency(['task', 'run', 'x', '--agent', 'nobody'])).toMatchObject(
    said(1, 'There is no agent "nobody"'),
  )
  expect(await at.agency(['task', 'show', 'task-0'])).toMatchObject(said(1, 'no task "task-0"'))
  expect(await at.agency(['history', '--agent', 'ag-10'])).toMatchObject(said(1, 'Did you mean "ag-01"'))
  expect((await at.json(['history', '--agent', 'ag-01'])).total).toBe(0)
})

test('a task that waits for an agent is shown, waited for and taken back like any other', async () => {
  const at = await staged({ scripts: [heard] })
  await at.agency(['start'])
  await ask(at, 'POST', '/tasks/pause', { paused: true })
  const ids: string[] = []
  for (const prompt of ['first', 'second'])
    ids.push((await ask(at, 'POST', '/tasks', { prompt })).body.task_id)
  const [first = '', second = ''] = ids
  const listed = await at.agency(['task', 'list'])
  for (const id of ids) expect(listed.out).toMatch(new RegExp(`^${id} +- +queued `, 'm'))
  expect(await show(at, first)).toMatchObject({ agent: null, state: 'queued' })
  const refused = await at.agency(['task', 'continue', first, 'more'])
  expect([refused.code, refused.err]).toEqual([1, expect.stringContaining(`${first} waits for an agent`)])
  const gone = await at.agency(['task', 'cancel', second, '--wait'])
  expect([gone.code, gone.out]).toEqual([0, expect.stringContaining(`${second} was cancelled`)])
  const waiting = at.agency(['task', 'show', first, '--wait'])
  await ask(at, 'POST', '/tasks/pause', { paused: false })
  expect(await waiting).toMatchObject({ code: 0, out: 'Heard.\n' })
  expect(await show(at, first)).toMatchObject({ agent: 'ag-01', state: 'completed' })
})
