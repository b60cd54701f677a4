// A headless run within walls, kept by a real keeper: what a task needs.
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { members } from '../../src/keeper/members.ts'
import type { Keeper } from '../../src/keeper/reach.ts'
import { json, memory, open, standIn, tokens } from '../kit/keeper.ts'
import { type Ground, ground, needWalls, type Options, patience, secret, wrap } from './kit.ts'

needWalls()

const opened = async (at: Ground): Promise<Keeper> => {
  const { keeper } = await open(
    { directory: at.session, terminal: null, host: join(at.root, 'host.sock') },
    at.root,
  )
  return keeper
}

const run = async (
  at: Ground,
  keeper: Keeper,
  argv: readonly string[],
  options: Options = {},
  stdin = '',
) => {
  const ended = new Promise<{ code: number | null; signal: string | null; left: unknown }>((resolve) =>
    keeper.onEnded(resolve),
  )
  const wrapped = await wrap(at, argv, { port: keeper.found.port, ...options })
  const { argv: words, env, cwd, walls } = wrapped
  await keeper.launch({ argv: [...words], env: { ...env }, cwd, walls, stdin })
  return ended
}

const printed = (at: Ground): string => readFileSync(join(at.session, 'stdout'), 'utf8')

test('its prompt comes by stdin, its output and exit code are its own, and nothing is left', async () => {
  const at = ground()
  const keeper = await opened(at)
  const exit = await run(at, keeper, ['/bin/sh', '-c', 'cat; echo; sleep 1000 & exit 7'], {}, 'a prompt')
  expect(exit).toMatchObject({ code: 7, signal: null, left: [] })
  expect(printed(at)).toBe('a prompt\n')
  expect(readdirSync(at.tree).sort()).toEqual(['.git', 'kept.txt'])
  expect(
    ['hooks.sock', 'relay.sock', 'walls.json'].filter((name) => existsSync(join(at.session, name))),
  ).toEqual([])
  const again = await run(at, keeper, ['/bin/sh', '-c', 'echo again; exit 3'])
  expect([again.code, printed(at)]).toEqual([3, 'a prompt\nagain\n'])
})

test('hooks and the model come through the keeper, and the key stays in its memory', async () => {
  const at = ground()
  await standIn(join(at.root, 'host.sock'), (_, response) => json(response, { decision: 'host' }))
  const asked: unknown[] = []
  const model = createServer((request, response) => {
    asked.push(request.headers['x-api-key'])
    response.end('thought')
  })
  model.listen(0, '127.0.0.1')
  await once(model, 'listening')
  onTestFinished(() => void model.close())
  const keeper = await opened(at)
  const script = `(async () => {
    const hook = await fetch('http://127.0.0.1:${keeper.found.port}/hook', { method: 'POST', headers: { authorization: 'Bearer ${tokens.hookToken}' }, body: JSON.stringify({ hook_event_name: 'PreToolUse' }) })
    console.log(hook.status, await hook.text())
    const answer = await fetch('http://127.0.0.1:3128/model/v1/messages', { method: 'POST', body: '{}' })
    console.log(answer.status, await answer.text())
  })()`
  const base = `http://127.0.0.1:${(model.address() as AddressInfo).port}`
  const exit = await run(at, keeper, [process.execPath, '-e', script], {
    model: { base, headers: { 'x-api-key': secret } },
  })
  expect([exit.code, printed(at)]).toEqual([0, '200 {"decision":"host"}\n200 thought\n'])
  expect(asked).toEqual([secret])
  const found = execFileSync('sh', ['-c', `grep -rl ${secret} ${at.session} | grep -v keeper.json || true`], {
    encoding: 'utf8',
  })
  expect(found).toBe('')
  expect(memory(keeper.found.pid)).toBeLessThan(40)
})

test('told to end it has its grace; what does not listen is killed, with all it started', async () => {
  const at = ground()
  const keeper = await opened(at)
  const polite = run(at, keeper, [
    '/bin/sh',
    '-c',
    'trap "echo bye; exit 9" TERM; echo up; while :; do sleep 0.1; done',
  ])
  await expect.poll(() => printed(at), patience).toContain('up')
  expect(await keeper.end(30_000)).toMatchObject({ code: 9, forced: false, left: [] })
  expect((await polite).code).toBe(9)
  expect(printed(at)).toContain('bye')
  const deaf = run(at, keeper, [
    '/bin/sh',
    '-c',
    'trap "" TERM; (setsid sh -c "trap \\"\\" TERM; while :; do sleep 0.1; done" &); echo deaf; while :; do sleep 0.1; done',
  ])
  await expect.poll(() => printed(at), patience).toContain('deaf')
  expect(await keeper.end(300)).toMatchObject({ forced: true, left: [] })
  await deaf
  expect(members({ cookie: keeper.found.cookie, except: [keeper.found.pid] })).toEqual([])
})

test('a keeper that is killed takes the walls and all within along', async () => {
  const at = ground()
  const keeper = await opened(at)
  void run(at, keeper, ['/bin/sh', '-c', 'setsid env -i sleep 4321 & echo up; sleep 4321'])
  await expect.poll(() => existsSync(join(at.session, 'stdout')) && printed(at), patience).toContain('up')
  const inside = members({ cookie: keeper.found.cookie, except: [keeper.found.pid] })
  expect(inside.length).toBeGreaterThan(2)
  process.kill(keeper.found.pid, 'SIGKILL')
  await expect.poll(() => members({ cookie: keeper.found.cookie, except: [] }), patience).toEqual([])
})
