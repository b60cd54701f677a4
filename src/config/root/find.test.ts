import {
  chmod,
  mkdir,
  mkdtemp,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readToken } from '../token.ts'
import { findRoot, type Where } from './find.ts'
import { initRoot, makeRoot } from './init.ts'
import { trustRoot } from './trust.ts'

type World = { readonly top: string; readonly where: (more?: { env?: Where['env']; cwd?: string }) => Where }

/** A home and a current directory of its own; `where()` looks from there. */
const world = async (): Promise<World> => {
  const top = await realpath(await mkdtemp(join(tmpdir(), 'agency-find-')))
  onTestFinished(() => rm(top, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }))
  for (const name of ['home', 'project/deep']) await mkdir(join(top, name), { recursive: true })
  const where = ({ env = {}, cwd = 'project/deep' }: { env?: Where['env']; cwd?: string } = {}): Where => ({
    env,
    cwd: join(top, cwd),
    home: join(top, 'home'),
  })
  return { top, where }
}

const code = (code: string) => expect.objectContaining({ code })

test('without any root that is said, with what to type', async () => {
  const { top, where } = await world()
  await expect(findRoot(where())).rejects.toMatchObject({
    code: 'root_none',
    words: { next: `Type \`agency init\` to make ${top}/home/.agency, or \`agency init DIR\`.` },
  })
})

test('up and start make the default root, and it is found from then on', async () => {
  const { top, where } = await world()
  const root = { directory: `${top}/home/.agency`, via: 'home' }
  expect(await findRoot(where(), true)).toEqual(root)
  expect(await findRoot(where({ cwd: 'project' }))).toEqual(root)
  expect((await stat(`${top}/home/.agency/.agency-dir.txt`)).isFile()).toBe(true)
})

test('many commands that make the root at once all get it, with one token', async () => {
  const { top, where } = await world()
  const roots = await Promise.all(
    Array.from({ length: 10 }, (_, index) =>
      findRoot(where({ env: { XDG_CONFIG_HOME: `${top}/config-${index}` } }), true),
    ),
  )
  expect(new Set(roots.map(({ directory }) => directory)).size).toBe(1)
  const token = await readToken(`${top}/home/.agency`)
  // One that decided to make it, but came after it was made.
  await makeRoot(`${top}/home/.agency`, where())
  expect(await readToken(`${top}/home/.agency`)).toBe(token)
})

test('a variable names the root: made only where asked, an error elsewhere, never a foreign directory', async () => {
  const { top, where } = await world()
  const named = (value: string): Where => where({ env: { AGENCY_ROOT: value } })
  await expect(findRoot(named(`${top}/r`))).rejects.toEqual(code('root_missing'))
  await mkdir(`${top}/r`)
  await expect(findRoot(named(`${top}/r`))).rejects.toEqual(code('root_missing'))
  expect(await findRoot(named(`${top}/r`), true)).toEqual({ directory: `${top}/r`, via: 'AGENCY_ROOT' })
  expect(await findRoot(named('../../r'))).toEqual({ directory: `${top}/r`, via: 'AGENCY_ROOT' })

  await writeFile(`${top}/project/file`, 'mine')
  await expect(findRoot(named(`${top}/project`), true)).rejects.toEqual(code('root_foreign'))
  await expect(findRoot(named(`${top}/project/file`), true)).rejects.toEqual(code('root_not_directory'))
})

test('AGENCY_ROOT comes before H2_DIR, and an empty value counts as none', async () => {
  const { top, where } = await world()
  for (const name of ['a', 'b']) await initRoot(`${top}/${name}`, where())
  const both = where({ env: { AGENCY_ROOT: `${top}/a`, H2_DIR: `${top}/b` } })
  expect(await findRoot(both)).toEqual({ directory: `${top}/a`, via: 'AGENCY_ROOT' })
  const one = where({ env: { AGENCY_ROOT: '', H2_DIR: `${top}/b` } })
  expect(await findRoot(one)).toEqual({ directory: `${top}/b`, via: 'H2_DIR' })
})

test('a root reached by a link is the same root', async () => {
  const { top, where } = await world()
  await initRoot(`${top}/r`, where())
  await symlink(`${top}/r`, `${top}/link`)
  expect(await findRoot(where({ env: { AGENCY_ROOT: `${top}/link` } }))).toEqual({
    directory: `${top}/r`,
    via: 'AGENCY_ROOT',
  })
})

test.each(['.agency-dir.txt', '.h2-dir.txt'])(
  'a cloned root with %s stops until it is trusted',
  async (marker) => {
    const { top, where } = await world()
    await writeFile(`${top}/project/${marker}`, 'v0.1.0\n')
    await expect(findRoot(where())).rejects.toMatchObject({
      code: 'root_untrusted',
      words: { next: `If it is yours, type \`agency trust ${top}/project\`.` },
    })
    await trustRoot(`${top}/project`, where())
    expect(await findRoot(where())).toEqual({ directory: `${top}/project`, via: 'upwards' })
  },
)

test('trust is for this directory, not for what takes its place', async () => {
  const { top, where } = await world()
  await writeFile(`${top}/project/.agency-dir.txt`, 'v1\n')
  await trustRoot(`${top}/project`, where())
  // Made before the old one goes, so that it cannot get the same inode.
  await mkdir(`${top}/clone/deep`, { recursive: true })
  await writeFile(`${top}/clone/.agency-dir.txt`, 'v1\n')
  await rm(`${top}/project`, { recursive: true, maxRetries: 20, retryDelay: 100 })
  await rename(`${top}/clone`, `${top}/project`)
  await expect(findRoot(where())).rejects.toEqual(code('root_untrusted'))
})

test('a list of trust that others can write trusts nothing', async () => {
  const { top, where } = await world()
  await writeFile(`${top}/project/.agency-dir.txt`, 'v1\n')
  await trustRoot(`${top}/project`, where())
  await chmod(`${top}/home/.config/agency/trusted`, 0o666)
  await expect(findRoot(where())).rejects.toEqual(code('root_untrusted'))
  await expect(trustRoot(`${top}/project`, where())).rejects.toEqual(code('trust_unsafe'))
})

test('what is no root cannot be trusted', async () => {
  const { top, where } = await world()
  await expect(trustRoot(`${top}/project`, where())).rejects.toEqual(code('not_found'))
})

test('the nearest root upwards wins, and a marker that is a link or a directory is none', async () => {
  const { top, where } = await world()
  await initRoot(`${top}/outer`, where())
  await mkdir(`${top}/outer/projects/x`, { recursive: true })
  await writeFile(`${top}/outer/projects/real`, 'v1')
  await symlink(`${top}/outer/projects/real`, `${top}/outer/projects/x/.agency-dir.txt`)
  await mkdir(`${top}/outer/projects/x/.h2-dir.txt`)
  expect(await findRoot(where({ cwd: 'outer/projects/x' }))).toEqual({
    directory: `${top}/outer`,
    via: 'upwards',
  })
  await initRoot(`${top}/outer/projects/x/inner`, where())
  expect(await findRoot(where({ cwd: 'outer/projects/x/inner/roles' }))).toMatchObject({
    directory: `${top}/outer/projects/x/inner`,
  })
})

test('an old h2 root without a marker is recognised and marked once', async () => {
  const { top, where } = await world()
  for (const name of ['roles', 'sessions', 'sockets'])
    await mkdir(`${top}/home/.h2/${name}`, { recursive: true })
  const root = { directory: `${top}/home/.h2`, via: 'h2' }
  expect(await findRoot(where())).toEqual(root)
  const marker = `${top}/home/.h2/.agency-dir.txt`
  expect(await readFile(marker, 'utf8')).toMatch(/^v\d/)
  await writeFile(marker, 'v0.0.1\n')
  expect(await findRoot(where({ cwd: 'project' }))).toEqual(root)
  expect(await readFile(marker, 'utf8')).toBe('v0.0.1\n')
})

test('a root that anyone can write to is refused with the command to type', async () => {
  const { top, where } = await world()
  await initRoot(`${top}/r`, where())
  await chmod(`${top}/r`, 0o777)
  await expect(findRoot(where({ env: { AGENCY_ROOT: `${top}/r` } }))).rejects.toMatchObject({
    code: 'root_open',
    words: { next: `Check what is in it, then type \`chmod o-w ${top}/r\`.` },
  })
})

test('what was found is remembered for the process', async () => {
  const { top, where } = await world()
  await initRoot(`${top}/r`, where())
  const named = where({ env: { AGENCY_ROOT: `${top}/r` } })
  const root = await findRoot(named)
  await rm(`${top}/r`, { recursive: true, maxRetries: 20, retryDelay: 100 })
  expect(await findRoot(named)).toBe(root)
})
