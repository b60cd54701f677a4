import { spawn } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { rolldown } from 'rolldown'
import { expect, onTestFinished, test } from 'vitest'
import { config } from '../schema.ts'
import { readToken } from '../token.ts'
import { readYaml } from '../yaml/read.ts'
import { findRoot } from './find.ts'
import { completeRoot, initRoot, versionOf } from './init.ts'
import type { Where } from './schema.ts'

const world = async (): Promise<{ top: string; where: Where }> => {
  const top = await realpath(await mkdtemp(join(tmpdir(), 'agency-init-')))
  onTestFinished(() => rm(top, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }))
  return { top, where: { env: {}, cwd: top, home: join(top, 'home') } }
}
const modeOf = async (file: string): Promise<string> => ((await stat(file)).mode & 0o777).toString(8)

test('a root has every directory, a token, a config that is valid, and a marker', async () => {
  const { top, where } = await world()
  const root = await initRoot(`${top}/new/r`, where)
  expect(root).toBe(`${top}/new/r`)
  expect((await readdir(root)).sort()).toEqual(
    [
      '.agency-dir.txt',
      'agents',
      'claude-config',
      'config.yaml',
      'credentials',
      'directors',
      'history',
      'pods',
      'projects',
      'roles',
      'schemas',
      'sessions',
      'sockets',
      'token',
      'view',
      'work',
      'worktrees',
    ].sort(),
  )
  const own = ['.', 'sessions', 'sockets', 'credentials', 'history', 'work', 'view']
  expect(await Promise.all(own.map((name) => modeOf(join(root, name))))).toEqual(own.map(() => '700'))
  expect(await modeOf(`${root}/token`)).toBe('600')
  expect(await readToken(root)).toMatch(/^[0-9a-f]{64}$/)
  expect(await versionOf(root)).toMatch(/^v\d/)
  expect(await readYaml(`${root}/config.yaml`, config)).toMatchObject({ problems: [], warnings: [] })
})

test('editors find the schema of the config beside it', async () => {
  const { top, where } = await world()
  const root = await initRoot(`${top}/r`, where)
  const line = /^# yaml-language-server: \$schema=(\S+)$/m.exec(await readFile(`${root}/config.yaml`, 'utf8'))
  const schema = JSON.parse(await readFile(join(root, line?.[1] ?? ''), 'utf8'))
  expect(schema.$ref).toBe('#/definitions/Config')
  const { properties, additionalProperties } = schema.definitions.Config
  expect(properties.host.properties.port).toMatchObject({ type: 'integer', default: 0 })
  expect(additionalProperties).toBe(false)
})

test('a root is refused as it is, also by another way to it', async () => {
  const { top, where } = await world()
  await initRoot(`${top}/r`, where)
  const before = await readFile(`${top}/r/token`, 'utf8')
  for (const path of [`${top}/r`, `${top}/r/../r/`])
    await expect(initRoot(path, where)).rejects.toMatchObject({ code: 'root_exists' })
  expect(await readFile(`${top}/r/token`, 'utf8')).toBe(before)
})

test('a directory with files, or a file, is refused without touching it', async () => {
  const { top, where } = await world()
  await mkdir(`${top}/r`)
  await writeFile(`${top}/r/thesis.txt`, 'x')
  await expect(initRoot(`${top}/r`, where)).rejects.toMatchObject({ code: 'root_foreign' })
  expect(await readdir(`${top}/r`)).toEqual(['thesis.txt'])
  await expect(initRoot(`${top}/r/thesis.txt`, where)).rejects.toMatchObject({ code: 'root_not_directory' })
})

test('what it makes is trusted', async () => {
  const { top, where } = await world()
  await initRoot(`${top}/r`, where)
  expect(await findRoot({ ...where, cwd: `${top}/r/roles` })).toEqual({
    directory: `${top}/r`,
    via: 'upwards',
  })
})

test('a place that cannot be made a root is named with the cause', async () => {
  const { top, where } = await world()
  await writeFile(`${top}/file`, '')
  await expect(initRoot(`${top}/file/below`, where)).rejects.toMatchObject({
    code: 'root_unwritable',
    words: {
      message: `The root ${top}/file/below could not be made: a part of its path is a file (ENOTDIR).`,
    },
  })
})

test('whatever part of a root is there, init completes it and keeps what it finds', async () => {
  const { top, where } = await world()
  const full = await initRoot(`${top}/full`, where)
  const things = (await readdir(full)).filter((name) => name !== '.agency-dir.txt')
  for (const [index, kept] of things.entries()) {
    const root = `${top}/part${index}`
    await cp(full, root, {
      recursive: true,
      filter: (path) =>
        [full, join(full, kept)].some((each) => path === each || path.startsWith(`${join(full, kept)}/`)),
    })
    await writeFile(`${root}/.agency-init`, '')
    await initRoot(root, where)
    expect((await readdir(root)).sort()).toEqual((await readdir(full)).sort())
  }
  const token = `${top}/part${things.indexOf('token')}/token`
  expect(await readFile(token, 'utf8')).toBe(await readFile(`${full}/token`, 'utf8'))
})

test('an old root gets what it lacks, and its private directories are closed', async () => {
  const { top } = await world()
  for (const name of ['roles', 'sessions', 'sockets'])
    await mkdir(`${top}/h2/${name}`, { recursive: true, mode: 0o755 })
  await writeFile(`${top}/h2/config.yaml`, 'store: sqlite # mine\n')
  await completeRoot(`${top}/h2`)
  expect(
    await Promise.all(['sessions', 'sockets', 'credentials'].map((name) => modeOf(`${top}/h2/${name}`))),
  ).toEqual(['700', '700', '700'])
  expect(await readFile(`${top}/h2/config.yaml`, 'utf8')).toBe('store: sqlite # mine\n')
})

test('an init killed at any moment leaves no root, and init again completes it', async () => {
  const { top, where } = await world()
  const init = JSON.stringify(new URL('./init.ts', import.meta.url).pathname)
  await writeFile(
    `${top}/entry.ts`,
    `import { initRoot } from ${init}
     process.stdout.write('ready')
     await initRoot(process.argv[2], { env: {}, cwd: '/', home: process.argv[3] })
     setInterval(() => {}, 1000)`,
  )
  const bundle = await rolldown({
    input: `${top}/entry.ts`,
    platform: 'node',
    cwd: process.cwd(),
    transform: { define: { AGENCY_VERSION: '"0.0.0"' } },
    resolve: { modules: [join(process.cwd(), 'node_modules')] },
  })
  await bundle.write({ file: `${top}/init.mjs`, format: 'esm' })
  // Each round waits until one more thing is there.
  const things = '.agency-init roles agents worktrees sessions history token schemas config.yaml'.split(' ')
  for (let round = 0; round <= things.length; round++) {
    const root = `${top}/r${round}`
    const child = spawn(process.execPath, [`${top}/init.mjs`, root, where.home], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const gone = new Promise((done) => child.once('exit', done))
    try {
      await new Promise((done) => child.stdout.once('data', done))
      const until = Date.now() + 30_000
      while (Date.now() < until) {
        const names = await readdir(root).catch((): string[] => [])
        if (names.includes(things[round] ?? '') || names.includes('.agency-dir.txt')) break
      }
    } finally {
      child.kill('SIGKILL')
      await gone
    }
    const marked = (await readdir(root)).includes('.agency-dir.txt')
    if (!marked) {
      const named = { ...where, env: { AGENCY_ROOT: root } }
      await expect(findRoot(named)).rejects.toMatchObject({ code: 'root_missing' })
      await initRoot(root, where)
    }
    expect(await readToken(root)).toMatch(/^[0-9a-f]{64}$/)
    expect(await readYaml(`${root}/config.yaml`, config)).toMatchObject({ problems: [] })
  }
})
