import { chmod, chown, mkdir, mkdtemp, realpath, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { look, realPath } from './look.ts'
import type { State } from './schema.ts'

const temporary = async (): Promise<string> => {
  const top = await realpath(await mkdtemp(join(tmpdir(), 'agency-look-')))
  onTestFinished(() => rm(top, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }))
  return top
}

test.each<[State, string[]]>([
  ['missing', []],
  ['empty', ['r/']],
  ['file', ['r']],
  ['foreign', ['r/', 'r/x']],
  ['foreign', ['r/', 'r/roles/', 'r/sessions/']],
  ['foreign', ['r/', 'r/roles/', 'r/sessions/', 'r/sockets']],
  ['old', ['r/', 'r/roles/', 'r/sessions/', 'r/sockets/']],
  ['partial', ['r/', 'r/.agency-init', 'r/roles/']],
  ['marked', ['r/', 'r/.agency-dir.txt']],
  ['marked', ['r/', 'r/.h2-dir.txt', 'r/.agency-init']],
  ['foreign', ['r/', 'r/.agency-dir.txt/']],
])('%s: %j', async (state, things) => {
  const top = await temporary()
  for (const thing of things)
    if (thing.endsWith('/')) await mkdir(join(top, thing))
    else await writeFile(join(top, thing), '')
  expect(await look(join(top, 'r'), '')).toEqual({
    path: join(top, 'r'),
    state,
    mine: true,
    open: false,
    trusted: false,
  })
})

test('what anyone can write to is open, sticky or not', async () => {
  const top = await temporary()
  expect((await look(top, '')).open).toBe(false)
  for (const mode of [0o702, 0o1777]) {
    await chmod(top, mode)
    expect((await look(top, '')).open).toBe(true)
  }
})

test('a directory of another user is not mine', async () => {
  // Only root can give a directory away, and everybody else has root's.
  const isRoot = process.getuid?.() === 0
  const theirs = isRoot ? await temporary() : '/usr'
  if (isRoot) await chown(theirs, 12345, 12345)
  expect((await look(theirs, '')).mine).toBe(false)
})

test('it is trusted by the list', async () => {
  const top = await temporary()
  const { ino } = await stat(top)
  expect((await look(top, `${ino} ${top}\n`)).trusted).toBe(true)
  expect((await look(top, `${ino} ${top}/x\n`)).trusted).toBe(false)
})

test('links are resolved as far as the path exists', async () => {
  const top = await temporary()
  await mkdir(join(top, 'real'))
  await symlink(join(top, 'real'), join(top, 'link'))
  expect(await realPath(join(top, 'link/new/deep'))).toBe(join(top, 'real/new/deep'))
  expect(await realPath('/')).toBe('/')
})
