import { chmod, chown, lstat, mkdir, mkdtemp, readdir, realpath, rm, symlink } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { longest, socketPath } from './socket.ts'

const world = async (): Promise<{ base: string; deep: string }> => {
  const top = await realpath(await mkdtemp(join(tmpdir(), 'agency-so-')))
  onTestFinished(() => rm(top, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }))
  const deep = join(top, 'd'.repeat(150 - top.length), 'sockets')
  await mkdir(deep, { recursive: true })
  return { base: join(top, 's'), deep }
}

/** A directory that is not ours: only root can give one away, and everybody else has root's. */
const ofAnother = async (directory: string): Promise<string> => {
  if (process.getuid?.() !== 0) return '/usr'
  await mkdir(directory, { mode: 0o700 })
  await chown(directory, 12345, 12345)
  return directory
}

const talk = async (path: string): Promise<string> =>
  new Promise((done, refuse) => {
    const socket = connect(path)
    socket.once('error', refuse)
    socket.once('data', (data) => {
      socket.destroy()
      done(String(data))
    })
  })

test('a short path stays as it is', async () => {
  const path = '/r/sockets/host.sock'
  expect((await socketPath(path)).path).toBe(path)
})

test('a server and a client below a root of 150 characters meet, and the socket lies where it should', async () => {
  const { base, deep } = await world()
  const file = join(deep, 'host.sock')
  expect(file.length).toBeGreaterThan(150)
  const there = await socketPath(file, base)
  expect(Buffer.byteLength(there.path)).toBeLessThanOrEqual(longest)
  const server = createServer((socket) => socket.end('hello'))
  await new Promise<void>((done) => server.listen(there.path, done))
  try {
    expect((await lstat(file)).isSocket()).toBe(true)
    const clients = await Promise.all(Array.from({ length: 5 }, () => socketPath(file, base)))
    expect(clients.map(({ path }) => path)).toEqual(clients.map(() => there.path))
    expect(await talk(there.path)).toBe('hello')
    await Promise.all(clients.map(({ release }) => release()))
    expect(await talk(there.path)).toBe('hello')
  } finally {
    await new Promise((done) => server.close(done))
  }
  expect(await readdir(deep)).toEqual([])
  await rm(deep, { recursive: true, maxRetries: 20, retryDelay: 100 })
  await there.release()
  expect(await readdir(base)).toEqual([])
})

test('the real place for short paths is used, checked and private', async () => {
  const { deep } = await world()
  const { path, release } = await socketPath(join(deep, 'a.sock'))
  const link = join(path, '..')
  onTestFinished(() => rm(link, { force: true }))
  expect(path).toMatch(new RegExp(`^/tmp/agency-${process.getuid?.()}/[0-9a-f]{16}/a.sock$`))
  expect(((await lstat(join(link, '..'))).mode & 0o777).toString(8)).toBe('700')
  await rm(deep, { recursive: true, maxRetries: 20, retryDelay: 100 })
  await release()
  await expect(lstat(link)).rejects.toMatchObject({ code: 'ENOENT' })
})

test('a link that somebody bent is set right', async () => {
  const { base, deep } = await world()
  const { path } = await socketPath(join(deep, 'a.sock'), base)
  await rm(join(path, '..'))
  await symlink('/etc', join(path, '..'))
  await socketPath(join(deep, 'a.sock'), base)
  expect(await realpath(join(path, '..'))).toBe(deep)
})

test('a place that is not private is refused', async () => {
  const { base, deep } = await world()
  const file = join(deep, 'a.sock')
  await mkdir(base)
  await chmod(base, 0o755)
  await expect(socketPath(file, base)).rejects.toMatchObject({ code: 'socket_unsafe' })
  await rm(base, { recursive: true, maxRetries: 20, retryDelay: 100 })
  await symlink(deep, base)
  await expect(socketPath(file, base)).rejects.toMatchObject({ code: 'socket_unsafe' })
})

test('a place that another user made first is refused', async () => {
  const { base, deep } = await world()
  await expect(socketPath(join(deep, 'a.sock'), await ofAnother(base))).rejects.toMatchObject({
    code: 'socket_unsafe',
    words: { message: expect.stringContaining('belongs to another user') },
  })
})
