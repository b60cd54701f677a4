// Secrets that can be found again wherever they are, and where to look for them.
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { events } from '../../src/client/events.ts'
import { reach } from '../../src/client/start.ts'
import type { Scenario } from '../../src/driver/scripted/scenario/schema.ts'
import { findKeepers } from '../../src/keeper/find.ts'
import type { TaskView } from '../../src/task/api.ts'
import type { Make } from './cast.ts'
import { patience, type Stage } from './kit.ts'
import { ask } from './tasks.ts'

export const name = 'ag-01'
export const path = `/agents/${name}`

/** The middle of each: whatever is around it, it must not be found. */
export const cores = {
  env: '7Fq3a9Zc51d2e8Xb6kV0',
  credential: 'Wm48Tz0pYb17Lr92hJ5n',
  tool: 'q8Rz5Nw2Xk7Vt4Jd1Gh6',
}
export const secrets = {
  /** What every spelling spells differently. */
  MARKED: `Env+/"${cores.env}\\<é>&%`,
  GITHUB_TOKEN: `ghp_/+${cores.credential}"\\%~`,
}
/** A tool can be called so. */
export const called = `tool_${cores.tool}`

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
export const told = (bytes: Buffer | string): readonly string[] =>
  needles.filter((needle) => bytes.includes(needle))

/** Nobody could be trusted who finds nothing. */
export const provesItself = (): void => {
  for (const secret of Object.values(secrets))
    for (const by of ['utf8', 'hex', 'base64', 'base64url'] as const)
      for (const before of ['', 'a', 'ab', 'user:'])
        expect([by, before, told(encode(`${before}${secret}`, by)).length]).not.toEqual([by, before, 0])
}

/** Shell that says each of them in every spelling to a file, whole or byte by byte. */
export const spell = (each: 'whole' | 'bytes', to: string): string => {
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
export const gate = 'touch began; while [ ! -e go ]; do sleep 0.05; done'
export const everySpelling = `${spell('whole', '/dev/stdout')}; ${gate}`
export const asTheCli = `${spell('bytes', '/proc/$PPID/fd/1')}; ${spell('bytes', '/proc/$PPID/fd/2')}; ${gate}`

export const bash = (command: string) => ({ calls: [{ name: 'Bash', input: { command } }] })
export const everything = Object.values(secrets).join(' and ')

export type Options = { readonly file?: string; readonly role?: string }

/** A root with a stored credential that its headless agent may see. */
export const staged = async (
  make: Make,
  scenario: Scenario,
  { file, role = '' }: Options = {},
): Promise<Stage> => {
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
export const give = async (at: Stage, body: object): Promise<TaskView> => {
  const got = await ask(at, 'POST', `${path}/task`, { env, ...body })
  expect(got, JSON.stringify(got.body)).toMatchObject({ status: 201 })
  return (await ask(at, 'GET', `${path}/task/${got.body.task_id}`)).body
}
export const show = async (at: Stage, id: string): Promise<TaskView> =>
  (await ask(at, 'GET', `${path}/task/${id}`)).body
const over = ['completed', 'failed', 'cancelled', 'interrupted']
export const untilOver = async (at: Stage, id: string): Promise<TaskView> => {
  await expect.poll(async () => over.includes((await show(at, id)).state), patience).toBe(true)
  return show(at, id)
}
export const placeOf = (at: Stage, { session_id }: TaskView): string => join(at.root, 'work', session_id)
export const begun = (at: Stage, task: TaskView) =>
  expect.poll(() => existsSync(join(placeOf(at, task), 'began')), patience).toBe(true)
export const letGo = (at: Stage, task: TaskView): void => writeFileSync(join(placeOf(at, task), 'go'), '')
export const untilGone = async (at: Stage): Promise<void> => {
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
export const holding = (at: Stage): readonly string[] =>
  filesIn(at.root)
    .filter((file) => told(bytesOf(file)).length > 0)
    .map((file) => file.slice(at.root.length + 1))

/** Where a person put it, and what the CLI itself writes: its memory, and its scratch while it runs. */
const allowed = [
  /^credentials\/github-token$/,
  new RegExp(`^sessions/${name}/\\.claude/`),
  new RegExp(`^sessions/${name}/[^/]+/tmp/`),
]
export const isPrivate = (path: string): boolean => (statSync(path).mode & 0o077) === 0

export const searchFiles = (at: Stage): void => {
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
export const searchAnswers = async (at: Stage, ids: readonly string[]): Promise<void> => {
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
export const listening = async (at: Stage): Promise<() => readonly unknown[]> => {
  const seen: unknown[] = []
  const end = new AbortController()
  onTestFinished(() => end.abort())
  const client = await reach(at.root)
  const run = async (): Promise<void> => {
    for await (const event of events(client, { after: 0, signal: end.signal, pause: 50 })) seen.push(event)
  }
  void run().catch((error: unknown) => {
    // A stream that breaks off would find no secret, and hide it.
    if (!end.signal.aborted) throw error
  })
  return () => seen
}

export const isHostUp = async (at: Stage): Promise<boolean> =>
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
export const searchProcesses = async (at: Stage, except = process.pid): Promise<void> => {
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

export const search = async (at: Stage, tasks: readonly TaskView[], heard: () => readonly unknown[]) => {
  await searchAnswers(
    at,
    tasks.map(({ task_id }) => task_id),
  )
  searchFiles(at)
  expect(heard().length).toBeGreaterThan(0)
  expect(told(JSON.stringify(heard()))).toEqual([])
}

/** The conversation itself has it: without that nothing was proven. */
export const transcriptsOf = (at: Stage, { session_id }: TaskView): readonly string[] =>
  filesIn(join(at.root, 'sessions', name, '.claude')).filter((file) => file.endsWith(`${session_id}.jsonl`))
