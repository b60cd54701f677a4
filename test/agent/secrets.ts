// Marked secrets: where they may be, and that they are nowhere else. The same cases for the stand-in and the real CLI.
import { appendFileSync, existsSync, lstatSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect } from 'vitest'
import { readHostFile } from '../../src/client/address.ts'
import { findKeepers } from '../../src/keeper/find.ts'
import type { TaskView } from '../../src/task/api.ts'
import { collect } from '../cli/kit.ts'
import type { Make } from './cast.ts'
import { patience, type Stage } from './kit.ts'
import {
  asTheCli,
  bash,
  begun,
  called,
  cores,
  everySpelling,
  everything,
  gate,
  give,
  holding,
  isHostUp,
  isPrivate,
  letGo,
  listening,
  name,
  type Options,
  path,
  placeOf,
  provesItself,
  search,
  searchAnswers,
  searchFiles,
  searchProcesses,
  secrets,
  show,
  spell,
  staged,
  told,
  transcriptsOf,
  untilGone,
  untilOver,
} from './marked.ts'
import { ask } from './tasks.ts'

export const printed = async (make: Make, options?: Options): Promise<void> => {
  provesItself()
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
      // On a busy machine its time may be over before it has begun.
      if (state !== 'failed') await begun(at, task)
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
