// What is outside cannot be changed.
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { wrapLaunch } from '../../src/sandbox/wrap.ts'
import { ground, inside, launch, needWalls, secret, seen, untouched, users, wanted, wrap } from './kit.ts'

needWalls()

test.each(users)('%s: work goes on in the tree, and only there', async (user) => {
  const at = ground(user)
  const { out, code } = await inside(
    at,
    'echo new > made.txt; echo more >> kept.txt; cat made.txt kept.txt; git log --oneline | wc -l',
  )
  expect([out, code]).toEqual(['new\nkept\nmore\n1\n', 0])
  expect(readFileSync(join(at.tree, 'made.txt'), 'utf8')).toBe('new\n')
  untouched(at)
})

test.each(users)('%s: a tree that may only be read', async (user) => {
  const at = ground(user)
  const { out } = await inside(
    at,
    'for f in made.txt kept.txt .git/x .claude; do touch $f || rm -rf $f; done 2>&1; mkdir x 2>&1; cat kept.txt; echo ok > /tmp/x; cat /tmp/x',
    { tree: { access: 'read' } },
  )
  expect(out).toContain('Read-only file system')
  expect(out).toMatch(/kept\nok\n$/)
  expect(readdirSync(at.tree).sort()).toEqual(['.git', 'kept.txt'])
})

test.each(users)('%s: by no way around', async (user) => {
  const at = ground(user)
  symlinkSync(join(at.folder, 'outside'), join(at.tree, 'link'))
  symlinkSync(at.folder, join(at.tree, 'up'))
  const out = at.folder
  const tries = [
    `echo x > ${out}/outside`,
    'echo x > link',
    'echo x > up/outside',
    'echo x > ../../outside',
    `echo x > /proc/self/root${out}/outside`,
    `echo x > /proc/1/root${out}/outside`,
    `echo x > /proc/self/cwd/../../outside`,
    `ln ${out}/outside hard && echo x > hard`,
    `mv ${at.home} ${at.home}2`,
    `mv ${at.tree} ${at.tree}2`,
    `rm -rf ${at.root}`,
    'echo x > /etc/passwd',
    'echo x > /usr/bin/x',
    'rm -f /bin /etc/passwd',
    'mount --bind /tmp /usr',
    'mount -o remount,rw /usr',
    'mount -t tmpfs x /usr',
    'umount /usr',
    `umount ${at.tree}/.git`,
    'chroot /proc/1/root true',
    'for fd in /proc/1/fd/* /proc/self/fd/*; do [ -d $fd ] && ls $fd/../../ | grep -q outside && echo FOUND; done; false',
  ]
  for (const attempt of tries) {
    const seen = await inside(at, `(${attempt}) 2>/dev/null && echo DONE; true`)
    expect([attempt, seen.out.includes('FOUND')]).toEqual([attempt, false])
    untouched(at)
    expect(existsSync(at.tree)).toBe(true)
  }
})

test('a hard link that was there before is another name of the same file: it is not frozen, only in the tree', async () => {
  const at = ground()
  writeFileSync(join(at.folder, 'shared'), 'before')
  linkSync(join(at.folder, 'shared'), join(at.tree, 'shared'))
  await inside(at, 'echo after > shared')
  // Said here, because it is so: what lies in the tree is the tree's, whatever else its name is.
  expect(readFileSync(join(at.folder, 'shared'), 'utf8')).toBe('after\n')
})

test.each(users)('%s: what is written at home and in /tmp is gone afterwards', async (user) => {
  const at = ground(user)
  const script =
    'echo evil > ~/.bashrc; echo evil > ~/.gitconfig; mkdir -p ~/.config ~/.claude; echo x > /tmp/x; echo x > /dev/shm/x; ls -A ~'
  expect((await inside(at, script)).out).toContain('.bashrc')
  expect(readdirSync(at.home).sort()).toEqual(['.ssh', 'project'])
  expect((await inside(at, 'ls -A /tmp /dev/shm')).out).not.toMatch(/^x$/m)
})

test('the git settings of the user are read, and stay', async () => {
  const at = ground()
  writeFileSync(join(at.home, 'real'), '[user]\n\tname = Me\n')
  symlinkSync(join(at.home, 'real'), join(at.home, '.gitconfig'))
  const { out } = await inside(
    at,
    'git config user.name; git config --global user.name Evil || echo refused; echo x >> ~/.gitconfig || echo refused',
  )
  expect(out).toBe('Me\nrefused\nrefused\n')
  expect(readFileSync(join(at.home, 'real'), 'utf8')).toBe('[user]\n\tname = Me\n')
})

const refused = (at: ReturnType<typeof ground>, settings: object) =>
  wrapLaunch(wanted(at, ['true'], { settings: { network: 'none', ...settings } })).then(
    () => 'was let through',
    (error) => `${error.code}: ${error.words?.message}`,
  )

test('a directory that an agent swapped for a link is not mounted the next time', async () => {
  const at = ground()
  mkdirSync(join(at.tree, 'a/vendor'), { recursive: true })
  const settings = { read_only_paths: [join(at.tree, 'a/vendor')] }
  expect(
    (await inside(at, 'touch a/vendor/x || echo refused', { settings: { network: 'none', ...settings } }))
      .out,
  ).toBe('refused\n')
  // As a walled agent can: what lies above a mount can be renamed.
  const swap = 'mv a b && mkdir a && ln -s /home a/vendor && echo swapped'
  expect((await inside(at, swap, { settings: { network: 'none', ...settings } })).out).toBe('swapped\n')
  expect(await refused(at, settings)).toMatch(
    /^sandbox_error: .* goes through the link .*\/a\/vendor, which an agent could have made/,
  )
})

test.each([
  ['a frozen directory', '.claude', ''],
  ['one that leads to what bubblewrap itself sees', '.claude', '/oldroot'],
  ['a path of the role', 'a/vendor', ''],
  ['the tree', '', ''],
])(
  '%s that becomes a link between the look and the mount: nothing starts, nothing is shown',
  async (_, name, before) => {
    const at = ground()
    mkdirSync(join(at.tree, 'a/vendor'), { recursive: true })
    const settings = { network: 'full' as const, read_only_paths: [join(at.tree, 'a/vendor')] }
    const script = 'echo STARTED; cat .claude/* a/vendor/* *'
    const wrapped = await wrap(at, ['/bin/sh', '-c', script], { settings })
    const place = join(at.tree, name)
    renameSync(place, `${at.folder}/away`)
    symlinkSync(`${before}${join(at.home, '.ssh')}`, place)
    const { code, out } = await seen(await launch(at, wrapped))
    expect([code, out]).toEqual([1, ''])
    expect(readdirSync(join(at.home, '.ssh'))).toEqual(['id_ed25519'])
    untouched(at)
  },
)

test('a program or a certificate that an agent replaced by a link shows nothing of what it leads to', async () => {
  const at = ground()
  for (const name of ['tool', 'ca.pem']) symlinkSync(join(at.home, '.ssh/id_ed25519'), join(at.tree, name))
  for (const argv of [[join(at.tree, 'tool')], ['tool']]) {
    const env = { PATH: `${at.tree}:/usr/bin`, NODE_EXTRA_CA_CERTS: join(at.tree, 'ca.pem') }
    const { shown } = await wrap(at, argv, { env })
    expect(shown.mounts.filter(({ from }) => from.includes('.ssh'))).toEqual([])
  }
})

test('a tree that became a link is the directory it names, and never one that holds the root', async () => {
  const at = ground()
  renameSync(at.tree, `${at.tree}-moved`)
  symlinkSync(at.root, at.tree)
  expect(await refused(at, {})).toMatch(/^sandbox_error: .* is agency's own root/)
})

test.each([
  ['/nowhere/at/all', /does not exist/],
  ['/var/run', /leaves the sandbox|does not exist/],
])('the path %s of a role is refused', async (path, why) => {
  const at = ground()
  expect(await refused(at, { read_write_paths: [path] })).toMatch(why)
})

test('a socket is never let in, whatever it is called', async () => {
  const at = ground()
  const { createServer } = await import('node:net')
  const path = join(at.folder, 'agent')
  const server = createServer().listen(path)
  const { onTestFinished } = await import('vitest')
  onTestFinished(() => void server.close())
  expect(await refused(at, { read_only_paths: [path] })).toMatch(/is neither a file nor a directory/)
})

test('a link in the home of the user leads where it leads: nobody but the user made it', async () => {
  const at = ground()
  mkdirSync(join(at.folder, 'data'))
  writeFileSync(join(at.folder, 'data/x'), secret)
  symlinkSync(join(at.folder, 'data'), join(at.home, 'data'))
  const { shown } = await wrap(at, ['true'], { settings: { network: 'none', read_only_paths: ['~/data'] } })
  expect(shown.mounts).toContainEqual({
    from: join(at.folder, 'data'),
    to: join(at.folder, 'data'),
    access: 'read',
  })
})
