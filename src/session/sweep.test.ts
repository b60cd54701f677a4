import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { identify } from '../base/process/identity.ts'
import { lookAtSessions } from './gc/look.ts'
import { removeSession } from './sweep.ts'

const ground = (files: Readonly<Record<string, string>>) => {
  const folder = mkdtempSync(join(tmpdir(), 'agency-sweep-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }))
  const root = join(folder, 'root')
  for (const [path, text] of Object.entries({ 'outside/precious': 'x', ...files })) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  mkdirSync(join(root, 'sessions'), { recursive: true })
  return { root, sessions: join(root, 'sessions'), outside: join(folder, 'outside') }
}

/** This very process as a keeper. */
const card = (): string =>
  JSON.stringify({
    protocol: 1,
    version: '0',
    agent: 'a',
    session: 's',
    ...identify(process.pid),
    socket: '/s',
    port: 1,
    cookie: 'no-such-cookie',
  })

test('a directory goes with all that is in it, and links in it lose only themselves', async () => {
  const { root, sessions, outside } = ground({ 'root/sessions/a/below/f': 'x', 'root/sessions/b/f': 'x' })
  symlinkSync(outside, join(sessions, 'a/below/link'))
  symlinkSync('/', join(sessions, 'a/top'))
  expect(await removeSession(root, 'a')).toBeUndefined()
  expect(readdirSync(sessions)).toEqual(['b'])
  expect(existsSync(join(outside, 'precious'))).toBe(true)
})

test.each(['..', '.', '', '../outside', 'a/b', '/etc', '.removed-../../outside', 'A'])(
  '%j is no session: refused before anything is touched',
  async (entry) => {
    const { root, outside } = ground({ 'root/sessions/a/f': 'x' })
    await expect(removeSession(root, entry)).rejects.toMatchObject({ code: 'validation_error' })
    expect(existsSync(join(outside, 'precious'))).toBe(true)
  },
)

test('a link in place of a session, or of all of them, is left with what it names', async () => {
  const { root, sessions, outside } = ground({})
  symlinkSync(outside, join(sessions, 'a'))
  expect(await removeSession(root, 'a')).toBe('it is not a directory')
  expect(await lookAtSessions(root)).toMatchObject([{ agent: 'a', kind: 'link' }])
  rmSync(sessions, { recursive: true, maxRetries: 20, retryDelay: 100 })
  mkdirSync(join(outside, 'a'))
  symlinkSync(outside, sessions)
  expect(await removeSession(root, 'a')).toMatch(/is a symbolic link, and what it names is not touched$/)
  expect(readdirSync(outside).sort()).toEqual(['a', 'precious'])
})

test.each(['root/sessions/a/keeper.json', 'root/sessions/a/single/keeper.json'])(
  'one whose keeper lives (%s) is back where it was',
  async (path) => {
    const { root, sessions } = ground({ [path]: card(), 'root/sessions/a/f': 'x' })
    expect(await lookAtSessions(root)).toMatchObject([{ alive: `it runs (keeper ${process.pid})` }])
    expect(await removeSession(root, 'a')).toBe(`it runs (keeper ${process.pid})`)
    expect(readdirSync(sessions)).toEqual(['a'])
    expect(existsSync(join(sessions, 'a/f'))).toBe(true)
  },
)

test('processes that a session could not end keep it', async () => {
  const left = [{ ...identify(process.pid), command: 'x' }]
  const how = { code: 0, signal: null, at: '2026-01-01T00:00:00.000Z', asked: true, forced: true }
  const exit = JSON.stringify({ launch: 1, ...how, left })
  const { root } = ground({ 'root/sessions/a/exit.json': exit })
  expect(await lookAtSessions(root)).toMatchObject([
    { agent: 'a', alive: `processes of it still run: ${process.pid}`, ended: Date.parse(how.at) },
  ])
})

test('several who remove the same at once do not trip over each other', async () => {
  const files = Array.from({ length: 300 }, (_, at) => [`root/sessions/a/below/${at}/f`, 'x'])
  const { root, sessions } = ground(Object.fromEntries(files))
  const said = await Promise.all([1, 2, 3].map(() => removeSession(root, 'a')))
  expect(said).toEqual([undefined, undefined, undefined])
  expect(readdirSync(sessions)).toEqual([])
})

test('what an interrupted removal left is removed', async () => {
  const { root, sessions } = ground({ 'root/sessions/.removed-a-0f/f': 'x' })
  expect(await removeSession(root, '.removed-a-0f')).toBeUndefined()
  expect(readdirSync(sessions)).toEqual([])
})
