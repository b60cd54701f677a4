// Marked secrets: where they may be, and that they are nowhere else. The same cases for the stand-in and the real CLI.
import {
  appendFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { readHostFile } from '../../src/client/address.ts'
import { events } from '../../src/client/events.ts'
import { reach } from '../../src/client/start.ts'
import type { Scenario } from '../../src/driver/scripted/scenario/schema.ts'
import { findKeepers } from '../../src/keeper/find.ts'
import type { TaskView } from '../../src/task/api.ts'
import { collect } from '../cli/kit.ts'
import type { Make } from './cast.ts'
import { patience, type Stage } from './kit.ts'
import { ask } from './tasks.ts'

const name = 'ag-01'
const path = `/agents/${name}`

/** The middle of each: whatever is around it, it must not be found. */
const cores = {
  env: '7Fq3a9Zc51d2e8Xb6kV0',
  credential: 'Wm48Tz0pYb17Lr92hJ5n',
  tool: 'q8Rz5Nw2Xk7Vt4Jd1Gh6',
}
const secrets = {
  /** What every spelling spells differently. */
  MARKED: `Env+/"${cores.env}\\<é>&%`,
  GITHUB_TOKEN: `ghp_/+${cores.credential}"\\%~`,
}
/** A tool can be called so. */
const called = `tool_${cores.tool}`

const encode = (text: string, by: BufferEncoding): string => Buffer.from(text).toString(by)
/** What stays the same of it wherever it stands in a longer base64. */
const inBase64 = (text: string): readonly string[] =>
  [0, 1, 2].map((before) => encode(`${'x'.repeat(before)}${text}`, 'base64').slice(before === 0 ? 0 : 4, 24))
const needles = Object.values(cores).flatMap((core) => [
  core,
  encode(core, 'hex'),
  encode(core, 'hex').toUpperCase(),
  ...inBase64(core),
])
/** The core alone, and not the middle of another spelling. */
const told = (bytes: Buffer | string): readonly string[] => needles.filter((needle) => bytes.includes(needle))

/** Shell that says one of them in every spelling; `each` writes a text, whole or byte by byte. */
const spell = (each: 'whole' | 'bytes', to: string): string => {
  const code = `
const fs = require("node:fs")
const out = fs.openSync(process.argv[1], "a")
const put = (bytes) => { for (let at = 0; at < bytes.length; ) at += fs.writeSync(out, bytes, at) }
const pause = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2)
const say = (text) => {
  const bytes = Buffer.from(text + "\\n")
  if (process.argv[2] === "whole") return put(bytes)
  for (const byte of bytes) { put(Buffer.from([byte])); pause() }
}
for (const name of ["MARKED", "GITHUB_TOKEN"]) {
  const value = process.env[name]
  if (value === undefined) throw new Error(name + " is not set")
  say("plain " + value + " end")
  if (process.argv[2] === "bytes") { say(Buffer.from("ab" + value).toString("base64")); continue }
  for (const text of [JSON.stringify({ value }), JSON.stringify(JSON.stringify({ value })),
    JSON.stringify(value).replace(/[^ -~]/g, (one) => "\\\\u" + one.charCodeAt(0).toString(16).padStart(4, "0")),
    encodeURIComponent(value), encodeURI(value), new URLSearchParams({ value }).toString()]) say(text)
  for (const form of ["hex", "base64", "base64url"])
    for (const before of ["", "a", "ab", "user:", "a long line that breaks in the middle of it: ........."]) {
      const spelled = Buffer.from(before + value + "tail").toString(form)
      say(spelled)
      say(spelled.replace(/.{76}/g, "$&\\n"))
      say(spelled.replace(/.{60}/g, "$&\\n"))
    }
  say(Buffer.from(value).toString("hex").toUpperCase())
}`
  return `'${process.execPath}' -e '${code}' ${to} ${each}`
}

/** What a tool runs; `$PPID` is the CLI itself, whose own output goes straight to the keeper. */
const gate = 'touch began; while [ ! -e go ]; do sleep 0.05; done'
const everySpelling = `${spell('whole', '/dev/stdout')}; ${gate}`
const asTheCli = `${spell('bytes', '/proc/$PPID/fd/1')}; ${spell('bytes', '/proc/$PPID/fd/2')}; ${gate}`

const bash = (command: string) => ({ calls: [{ name: 'Bash', input: { command } }] })
const everything = Object.values(secrets).join(' and ')

type Options = { readonly file?: string; readonly role?: string }

/** A root with a stored credential that its headless agent may see. */
const staged = async (make: Make, scenario: Scenario, { file, role = '' }: Options = {}): Promise<Stage> => {
  const at = await make(scenario, `permissions:\n  allow: [Bash]\ncredentials: [github-token]\n${role}`)
  const set = await at.agency(['credential', 'set', 'github-token'], { stdin: secrets.GITHUB_TOKEN })
  expect(set.code, set.err).toBe(0)
  expect(told(set.out + set.err)).toEqual([])
  mkdirSync(join(at.root, 'agents', name), { recursive: true })
  writeFileSync(
    join(at.root, 'agents', name, 'config.yaml'),
    file ?? 'role: s\nsandbox: { enabled: false }\n',
  )
  expect((await at.agency(['start'])).code).toBe(0)
  await expect.poll(async () => (await ask(at, 'GET', `${path}/status`)).body.state, patience).toBe('idle')
  return at
}

const env = { MARKED: secrets.MARKED, CALLED: called }
const give = async (at: Stage, body: object): Promise<TaskView> => {
  const got = await ask(at, 'POST', `${path}/task`, { env, ...body })
  expect(got, JSON.stringify(got.body)).toMatchObject({ status: 201 })
  return (await ask(at, 'GET', `${path}/task/${got.body.task_id}`)).body
}
const show = async (at: Stage, id: string): Promise<TaskView> =>
  (await ask(at, 'GET', `${path}/task/${id}`)).body
const over = ['completed', 'failed', 'cancelled', 'interrupted']
const untilOver = async (at: Stage, id: string): Promise<TaskView> => {
  await expect.poll(async () => over.includes((await show(at, id)).state), patience).toBe(true)
  return show(at, id)
}
const placeOf = (at: Stage, { session_id }: TaskView): string => join(at.root, 'work', session_id)
const begun = (at: Stage, task: TaskView) =>
  expect.poll(() => existsSync(join(placeOf(at, task), 'began')), patience).toBe(true)
const letGo = (at: Stage, task: TaskView): void => writeFileSync(join(placeOf(at, task), 'go'), '')
const untilGone = async (at: Stage): Promise<void> => {
  await expect.poll(() => findKeepers(at.root), patience).toEqual([])
  const attempts = () => readdirSync(join(at.root, 'sessions', name)).filter((entry) => entry !== '.claude')
  await expect.poll(attempts, patience).toEqual([])
}

const filesIn = (directory: string): readonly string[] =>
  readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    const whole = join(directory, entry.name)
    if (entry.isDirectory()) return filesIn(whole)
    return entry.isFile() ? [whole] : []
  })

/** Gone while it was looked at, it holds nothing. */
const bytesOf = (file: string): Buffer => {
  try {
    return readFileSync(file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return Buffer.alloc(0)
    throw error
  }
}

/** Files of the root that hold one, by where they lie. */
const holding = (at: Stage): readonly string[] =>
  filesIn(at.root)
    .filter((file) => told(bytesOf(file)).length > 0)
    .map((file) => file.slice(at.root.length + 1))

/** Where a person put it, and what the CLI itself writes: its memory, and its scratch while it runs. */
const allowed = [
  /^credentials\/github-token$/,
  new RegExp(`^sessions/${name}/\\.claude/`),
  new RegExp(`^sessions/${name}/[^/]+/tmp/`),
]
const isPrivate = (path: string): boolean => (statSync(path).mode & 0o077) === 0

const searchFiles = (at: Stage): void => {
  const found = holding(at)
  expect(found.filter((file) => !allowed.some((where) => where.test(file)))).toEqual([])
  for (const file of found.filter((one) => existsSync(join(at.root, one)))) {
    // Nobody else comes as far as what the CLI writes; its transcripts are closed themselves.
    expect([file, isPrivate(join(at.root, file.split('/').slice(0, 3).join('/')))]).toEqual([file, true])
    if (!file.endsWith('.jsonl')) continue
    expect([file, isPrivate(join(at.root, file))]).toEqual([file, true])
    expect([file, isPrivate(dirname(join(at.root, file)))]).toEqual([file, true])
  }
}

/** Everything anybody can ask for, as text. */
const searchAnswers = async (at: Stage, ids: readonly string[]): Promise<void> => {
  const paths = [
    '/status',
    '/state',
    '/tasks',
    '/components',
    '/agents',
    `${path}/status`,
    `${path}/config`,
    `${path}/tasks`,
    `${path}/history`,
    ...ids.flatMap((id) => [
      `/tasks/${id}`,
      `${path}/task/${id}`,
      `${path}/task/${id}/debug`,
      `${path}/history/${id}`,
    ]),
  ]
  for (const one of paths) {
    const { status, body } = await ask(at, 'GET', one)
    expect([one, told(JSON.stringify(body)), body], one).toEqual([one, [], body])
    expect([one, status]).toEqual([one, 200])
  }
  const commands = ids.flatMap((id) => [
    ['task', 'show', id],
    ['task', 'debug', id],
  ])
  for (const line of [['history'], ['list'], ['task', 'list', '--all'], ...commands]) {
    const { out, err } = await at.agency(line)
    expect([line, told(out + err)]).toEqual([line, []])
  }
}

/** All that is told while it happens. */
const listening = async (at: Stage): Promise<() => readonly unknown[]> => {
  const seen: unknown[] = []
  const end = new AbortController()
  onTestFinished(() => end.abort())
  const client = await reach(at.root)
  const run = async (): Promise<void> => {
    for await (const event of events(client, { after: 0, signal: end.signal, pause: 50 })) seen.push(event)
  }
  void run().catch(() => {})
  return () => seen
}

const isHostUp = async (at: Stage): Promise<boolean> =>
  ask(at, 'GET', `${path}/status`).then(
    ({ status }) => status === 200,
    () => false,
  )

const read = (file: string): Buffer => {
  try {
    return readFileSync(file)
  } catch {
    // Gone, or somebody else's.
    return Buffer.alloc(0)
  }
}
const pids = (): readonly number[] => readdirSync('/proc').flatMap((entry) => Number(entry) || [])

/** No command line has it, and no environment but those of the agent's own processes. */
const searchProcesses = async (at: Stage, except = process.pid): Promise<void> => {
  const others = pids().filter((pid) => pid !== process.pid && pid !== except)
  const wordsOf = (pid: number): string => read(`/proc/${pid}/cmdline`).toString().replaceAll('\0', ' ')
  expect(others.filter((pid) => told(wordsOf(pid)).length > 0).map(wordsOf)).toEqual([])
  const cookies = (await findKeepers(at.root)).map(({ cookie }) => cookie)
  const knowing = others.filter((pid) => told(read(`/proc/${pid}/environ`)).length > 0)
  const isOwn = (pid: number): boolean => {
    const environment = read(`/proc/${pid}/environ`)
    // Gone meanwhile.
    return environment.length === 0 || cookies.some((cookie) => environment.includes(cookie))
  }
  expect(knowing.length).toBeGreaterThan(0)
  expect(knowing.filter((pid) => !isOwn(pid)).map(wordsOf)).toEqual([])
}

const search = async (at: Stage, tasks: readonly TaskView[], heard: () => readonly unknown[]) => {
  await searchAnswers(
    at,
    tasks.map(({ task_id }) => task_id),
  )
  searchFiles(at)
  expect(heard().length).toBeGreaterThan(0)
  expect(told(JSON.stringify(heard()))).toEqual([])
}

/** The conversation itself has it: without that nothing was proven. */
const transcriptsOf = (at: Stage, { session_id }: TaskView): readonly string[] =>
  filesIn(join(at.root, 'sessions', name, '.claude')).filter((file) => file.endsWith(`${session_id}.jsonl`))

export const printed = async (make: Make, options?: Options): Promise<void> => {
  const at = await staged(
    make,
    {
      scripts: [
        { match: 'spell', replies: [bash(everySpelling), { text: `It is ${everything}.` }] },
        { match: 'itself', replies: [bash(asTheCli), { text: `It is ${everything}.` }] },
      ],
    },
    options,
  )
  const heard = await listening(at)
  const tasks: TaskView[] = []
  for (const prompt of [`spell ${secrets.MARKED}`, 'say it itself']) {
    const task = await give(at, { prompt })
    tasks.push(task)
    await begun(at, task)
    await searchProcesses(at)
    searchFiles(at)
    await searchAnswers(at, [task.task_id])
    letGo(at, task)
    const done = await untilOver(at, task.task_id)
    expect([done.state, done.output]).toEqual(['completed', 'It is [redacted] and [redacted].'])
    await untilGone(at)
    const [transcript = expect.fail('there is no transcript')] = transcriptsOf(at, task)
    expect(told(readFileSync(transcript)).length).toBeGreaterThan(0)
    expect(lstatSync(transcript).mode & 0o777).toBe(0o600)
  }
  const { body } = await ask(at, 'GET', `${path}/task/${tasks[1]?.task_id}/debug`)
  for (const stream of ['stdout', 'stderr'])
    expect(body.attempts[0][stream]).toMatch(
      /^plain \[redacted\] end\n\S*\[redacted\]\S*\nplain \[redacted\]/m,
    )
  await search(at, tasks, heard)
}

const quoted = (text: string): string => `'${text}'`
const asked = `true ${Object.values(secrets).map(quoted).join(' ')} ${called}`
const called404 = { calls: [{ name: called, input: { [called]: everything } }] }
const refused = {
  error: { status: 400, type: 'invalid_request_error', message: `what is ${everything}?` },
  times: 0,
}
const dies = `${spell('whole', '/proc/$PPID/fd/2')}; kill -9 $PPID`
/** Its beginning, and no end; to where nothing follows. */
const half = `printf 'cut off %s' "${'$'}{MARKED%????}" > /proc/$PPID/fd/`
const cutOff = `${spell('whole', '/dev/stdout')}; ${half}2; ${gate}`

type CutOff = (at: Stage, task: TaskView) => Promise<unknown>
const waysToEnd: Readonly<Record<string, CutOff>> = {
  cancelled: (at, { task_id }) => ask(at, 'POST', `${path}/task/${task_id}/cancel`, {}),
  // Its time is over by itself.
  failed: async () => undefined,
  completed: async (at, task) => {
    await at.killHost()
    searchFiles(at)
    expect((await at.agency(['start'])).code).toBe(0)
    letGo(at, task)
  },
  interrupted: async (at) => {
    const [keeper] = await findKeepers(at.root)
    process.kill(keeper?.pid ?? Number.NaN, 'SIGKILL')
  },
}

export const secretCases: Readonly<Record<string, (make: Make) => Promise<void>>> = {
  'printed by a tool and by the CLI itself, in every spelling, whole and byte by byte': (make) =>
    printed(make),

  'in what a tool is called and given, in an error of the API, in the last words of a CLI that dies': async (
    make,
  ) => {
    const at = await staged(make, {
      scripts: [
        { match: 'ask', replies: [bash(asked), called404, { text: called }] },
        { match: 'refuse', replies: [refused] },
        { match: 'die', replies: [bash(dies)] },
      ],
    })
    const heard = await listening(at)
    const tasks: TaskView[] = []
    for (const [prompt, state] of [
      ['ask', 'completed'],
      ['refuse', 'failed'],
      ['die', 'interrupted'],
      [`read @/etc/${called} ${everything}`, 'failed'],
    ]) {
      const task = await give(at, { prompt, project: { name: called, prompt: secrets.MARKED } })
      tasks.push(task)
      const ended = await untilOver(at, task.task_id)
      expect([prompt, ended.state]).toEqual([prompt, state])
      if (state === 'failed') expect(ended.error?.message).toContain('[redacted]')
    }
    await untilGone(at)
    await search(at, tasks, heard)
    const { body } = await ask(at, 'GET', `${path}/history/${tasks[0]?.task_id}`)
    expect(JSON.stringify(body)).toContain('called [redacted]')
    const [refusal] = await at.journal('session.refused')
    expect(refusal?.data.reason).toContain('/etc/[redacted]')
  },

  'cut off: cancelled, too late, its host or its keeper killed': async (make) => {
    const script = { match: 'plough', replies: [bash(cutOff), { text: everything }] }
    const at = await staged(make, { scripts: [script, script, script, script] })
    const heard = await listening(at)
    const tasks: TaskView[] = []
    for (const [state, end] of Object.entries(waysToEnd)) {
      const task = await give(at, { prompt: 'plough', ...(state === 'failed' && { timeout_seconds: 10 }) })
      tasks.push(task)
      await begun(at, task)
      await end(at, task)
      const ended = await untilOver(at, task.task_id)
      expect([state, ended.state, ended.error]).toEqual([state, state, ended.error])
      await untilGone(at)
    }
    await search(at, tasks, heard)
  },

  'when its task is forgotten, its transcript and its directory go too; those of another task stay': async (
    make,
  ) => {
    const leaves = `${spell('whole', '/dev/stdout')}; env > left.txt`
    const script = { match: 'leave', replies: [bash(leaves), { text: everything }] }
    const again = { match: 'again', replies: [{ text: everything, times: 0 }] }
    const at = await staged(make, { scripts: [script, script, again] })
    appendFileSync(join(at.root, 'config.yaml'), '\nhistory: { tasks: 2 }\n')
    await at.agency(['down'])
    expect((await at.agency(['start'])).code).toBe(0)
    const done = async (body: object): Promise<TaskView> => {
      await expect
        .poll(async () => (await ask(at, 'GET', `${path}/status`)).body.state, patience)
        .toBe('idle')
      return untilOver(at, (await give(at, body)).task_id)
    }
    const named = ({ session_id }: TaskView): readonly string[] =>
      at.tree().filter((file) => file.includes(session_id))
    const first = await done({ prompt: 'leave' })
    const second = await done({ prompt: 'leave' })
    for (const task of [first, second]) {
      expect(named(task).length).toBeGreaterThan(2)
      const [transcript = ''] = transcriptsOf(at, task)
      expect(statSync(transcript).mode & 0o777).toBe(0o600)
      expect(statSync(dirname(transcript)).mode & 0o777).toBe(0o700)
    }
    // Of the first session another task tells still.
    const { session_id } = first
    await done({ prompt: 'again', session_id })
    expect((await ask(at, 'GET', `${path}/history`)).body.total).toBe(2)
    expect(existsSync(join(placeOf(at, first), 'left.txt'))).toBe(true)
    await done({ prompt: 'again', session_id })
    await expect.poll(() => named(second), patience).toEqual([])
    expect(existsSync(join(placeOf(at, first), 'left.txt'))).toBe(true)
    for (const prompt of ['again', 'again']) await done({ prompt })
    await expect.poll(() => named(first), patience).toEqual([])
  },

  'at a terminal it is on the screen, and of all that agency keeps only in that; gc removes it': async (
    make,
  ) => {
    const show = `printf '%s ' "$MARKED_TOKEN" "$GITHUB_TOKEN"`
    const script = { match: 'show', replies: [bash(show), called404, { text: `It is ${everything}.` }] }
    const at = await staged(make, { scripts: [script, script] })
    const heard = await listening(at)
    const run = ['run', '--role', 's', '--name', 'coder', '--detach']
    const up = await at.agency(run, { env: { MARKED_TOKEN: secrets.MARKED, CALLED_TOKEN: called } })
    expect([up.code, told(up.out + up.err)], up.err).toEqual([0, []])
    const { body } = await ask(at, 'POST', '/agents/coder/task', { prompt: 'show' })
    const task = `/agents/coder/task/${body.task_id}`
    await expect
      .poll(async () => (await ask(at, 'GET', task)).body.output, patience)
      .toBe('It is [redacted] and [redacted].')
    await expect.poll(() => at.screen('coder'), patience).toContain(cores.env)
    for (const one of [task, '/state', '/agents', '/status', '/agents/coder/history', '/agents/coder/status'])
      expect([one, told(JSON.stringify((await ask(at, 'GET', one)).body))]).toEqual([one, []])
    const own = [/^credentials\//, /^sessions\/coder\/(\.claude|scrollback|tmp)\//]
    const found = holding(at)
    expect(found.filter((file) => !own.some((where) => where.test(file)))).toEqual([])
    const screen = found.filter((file) => file.startsWith('sessions/coder/scrollback/'))
    expect(screen.length).toBeGreaterThan(0)
    for (const file of screen) expect(isPrivate(join(at.root, file))).toBe(true)
    for (const directory of ['.', 'scrollback', '.claude'])
      expect([directory, isPrivate(join(at.root, 'sessions/coder', directory))]).toEqual([directory, true])
    expect((await at.agency(['stop', 'coder'])).code).toBe(0)
    const { out } = await at.agency(['session', 'gc'])
    expect(out).toContain('removed coder')
    expect(holding(at)).toEqual(['credentials/github-token'])
    expect(heard().length).toBeGreaterThan(0)
    expect(told(JSON.stringify(heard()))).toEqual([])
  },

  'given by `task run --env NAME`: nobody sees it, nor a host that the command starts': async (make) => {
    const script = { match: 'spell', replies: [bash(everySpelling), { text: `It is ${everything}.` }] }
    const at = await staged(make, { scripts: [script] })
    const heard = await listening(at)
    const line = ['task', 'run', 'spell', '--agent', name, '--env', 'MARKED', '--follow']
    const child = at.start(line, { env: { MARKED: secrets.MARKED } })
    const said = collect(child)
    await expect
      .poll(async () => (await ask(at, 'GET', `${path}/status`)).body.current_task, patience)
      .not.toBe(null)
    const { id } = (await ask(at, 'GET', `${path}/status`)).body.current_task
    const task = await show(at, id)
    await begun(at, task)
    await searchProcesses(at, child.pid)
    await at.killHost()
    // The command that waits starts another.
    await expect.poll(() => readHostFile(at.root)?.pid, patience).not.toBe(undefined)
    await expect.poll(() => isHostUp(at), patience).toBe(true)
    await searchProcesses(at, child.pid)
    letGo(at, task)
    const { code, out, err } = await said
    expect([code, told(out + err)], err).toEqual([0, []])
    expect(out).toContain('It is [redacted] and [redacted].')
    await untilGone(at)
    await search(at, [task], heard)
  },
}
