import { expect, test } from 'vitest'
import type { Builder, System, Walls } from '../schema.ts'
import { bubblewrap } from './rules.ts'

const system: System = {
  directories: ['/usr'],
  links: [{ path: '/bin', target: 'usr/bin' }],
  files: [{ from: '/session/walls/passwd', to: '/etc/passwd' }],
}
const builder: Builder = { kind: 'bubblewrap', path: '/usr/bin/bwrap', version: '0.8.0', resets: true }
const walls: Walls = {
  mounts: [
    { from: '/work', to: '/work', access: 'write' },
    { from: '/work/.git', to: '/work/.git', access: 'read' },
  ],
  hidden: [],
  home: '/home/me',
  cwd: '/work',
  network: 'none',
  terminal: false,
  doors: [
    { port: 40_000, socket: '/session/hooks.sock' },
    { port: 3128, socket: '/session/relay.sock' },
  ],
  limits: { tmpBytes: 2048, homeBytes: 1024, processes: 99 },
}
const program = { argv: ['claude', '-p'], forward: ['/usr/bin/node', '/dist/forward.cjs'] } as const

const words = (changes: Partial<Walls> = {}, found: Partial<Builder> = {}): string =>
  bubblewrap({ ...walls, ...changes }, { system, builder: { ...builder, ...found } }, program).join(' ')

const base = '--unshare-all --unshare-user --disable-userns'
const rest =
  '--cap-drop ALL --hostname agency --unsetenv XDG_RUNTIME_DIR --ro-bind /usr /usr --symlink usr/bin /bin --ro-bind /session/walls/passwd /etc/passwd --proc /proc --dev /dev --size 2048 --tmpfs /tmp --size 1024 --tmpfs /dev/shm --size 1024 --tmpfs /home/me'
const tree = '--bind /work /work --ro-bind /work/.git /work/.git'
const closed = '--remount-ro /proc --remount-ro /dev --remount-ro / --chdir /work --'
const limit = 'ulimit -u 99 2>/dev/null || ulimit -p 99 2>/dev/null'
const doors = '--ro-bind /session/hooks.sock /run/agency/0 --ro-bind /session/relay.sock /run/agency/1'
const forwarding = 'unset NODE_OPTIONS NODE_EXTRA_CA_CERTS; "$1" "$2" "$3" </dev/null'
const opening = `up=$(${forwarding} &); [ "$up" = up ] || exit 71; shift 3`
const beside = `((${forwarding} >/dev/null || { echo 'agency: the way out of the sandbox is gone' >&2; kill -9 $$; }) &); shift 3`

test('without a network: a namespace of its own, and two doors', () => {
  expect(words()).toBe(
    `/usr/bin/bwrap ${base} --die-with-parent --new-session ${rest} ${tree} ${doors} ${closed} /bin/sh -c ${limit}; ${beside}; exec "$@" sh /usr/bin/node /dist/forward.cjs 40000=/run/agency/0,3128=/run/agency/1 claude -p`,
  )
})

test('with the whole network: nothing between', () => {
  expect(words({ network: 'full', doors: [] })).toBe(
    `/usr/bin/bwrap ${base} --share-net --die-with-parent --new-session ${rest} ${tree} ${closed} /bin/sh -c ${limit}; exec "$@" sh claude -p`,
  )
})

test('in a terminal the doors are open before the program begins', () =>
  expect(words({ terminal: true })).toContain(`-c ${limit}; ${opening}; exec`))

test('in a terminal: its own session stays, the walls are deaf and the program is not', () => {
  const terminal = words({ network: 'full', doors: [], terminal: true })
  expect(terminal).toBe(
    `/bin/sh -c trap '' INT QUIT; exec "$@" sh /usr/bin/bwrap ${base} --share-net --die-with-parent ${rest} ${tree} ${closed} /bin/sh -c ${limit}; exec "$@" sh /usr/bin/env --default-signal=INT,QUIT claude -p`,
  )
  expect(words({ network: 'full', doors: [], terminal: true }, { resets: false })).not.toContain(
    'default-signal',
  )
})

test('what is hidden is empty, but for what lies within and is meant to be seen', () => {
  const mounts = [
    { from: '/work', to: '/work', access: 'write' },
    { from: '/work/root/sessions/a', to: '/work/root/sessions/a', access: 'write' },
  ] as const
  expect(words({ mounts, hidden: ['/work/root'], network: 'full', doors: [] })).toContain(
    '--bind /work /work --size 65536 --tmpfs /work/root --bind /work/root/sessions/a /work/root/sessions/a --remount-ro /work/root --remount-ro /proc',
  )
})

test('memory is limited by a scope, where there is one and somebody asked', () => {
  const limits = { ...walls.limits, memoryMb: 512 }
  const systemd = { limits: { path: '/usr/bin/systemd-run', runtime: '/run/user/1000' } }
  expect(words({ limits }, systemd)).toMatch(
    /^\/usr\/bin\/env XDG_RUNTIME_DIR=\/run\/user\/1000 \/usr\/bin\/systemd-run --user --scope --quiet --collect -p MemoryMax=512M -p MemorySwapMax=0 -p TasksMax=99 -- \/usr\/bin\/bwrap /,
  )
  expect(words({ limits })).toMatch(/^\/usr\/bin\/bwrap /)
  expect(words({}, systemd)).toMatch(/^\/usr\/bin\/bwrap /)
})
