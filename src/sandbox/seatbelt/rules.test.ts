import { expect, test } from 'vitest'
import type { Walls } from '../schema.ts'
import { seatbelt, seatbeltArgv } from './rules.ts'

const walls: Walls = {
  mounts: [
    { from: '/w', to: '/w', access: 'write' },
    { from: '/w/.git', to: '/w/.git', access: 'read' },
    { from: '/w/root/s', to: '/w/root/s', access: 'write' },
  ],
  hidden: ['/w/root'],
  home: '/Users/me',
  cwd: '/w',
  network: 'none',
  terminal: false,
  doors: [{ port: 40_000, socket: '/s/hooks.sock' }],
  limits: { tmpBytes: 1, homeBytes: 1, processes: 1 },
}

test('everything is denied but what is named, and the later rule counts', () => {
  expect(seatbelt(walls)).toBe(`(version 1)
(deny default)
(allow process-exec process-fork)
(allow signal (target same-sandbox))
(allow sysctl-read)
(allow pseudo-tty)
(allow file-read-metadata)
(allow mach-lookup (global-name "com.apple.system.logger") (global-name "com.apple.system.notification_center") (global-name "com.apple.system.opendirectoryd.libinfo") (global-name "com.apple.trustd.agent"))
(allow file-read* (subpath "/bin") (subpath "/sbin") (subpath "/usr") (subpath "/opt/homebrew") (subpath "/Library/Apple") (subpath "/System") (subpath "/private/etc/ssl") (literal "/dev/null") (literal "/dev/zero") (literal "/dev/random") (literal "/dev/urandom") (literal "/dev/tty") (literal "/private/etc/localtime"))
(allow file-write-data (literal "/dev/null") (literal "/dev/tty"))
(allow file-ioctl (literal "/dev/tty"))
(allow network-outbound (remote ip "localhost:40000"))
(allow file-read* file-write* (subpath "/w"))
(allow file-read* (subpath "/w/.git"))
(deny file-write* (subpath "/w/.git"))
(deny file-read* file-write* (subpath "/w/root"))
(allow file-read* file-write* (subpath "/w/root/s"))
`)
})

test.each([
  ['full', '(allow network*)'],
  ['none', '(remote ip "localhost:40000")'],
] as const)('network %s', (network, expected) => expect(seatbelt({ ...walls, network })).toContain(expected))

test('without doors and network nothing of the network is allowed', () => {
  expect(seatbelt({ ...walls, doors: [] })).not.toContain('network')
})

test('nobody outside is asked to do it instead: open, osascript, launchctl, Keychain, clipboard', () => {
  const profile = seatbelt({ ...walls, network: 'full' })
  for (const way of [
    'launchd',
    'launchservicesd',
    'appleevent',
    'securityd',
    'SecurityServer',
    'pasteboard',
    'lsd',
  ])
    expect(profile).not.toContain(way)
})

test('a path cannot end the rule it stands in', () => {
  const to = '/w") (allow file-write* (subpath "/'
  const profile = seatbelt({ ...walls, mounts: [{ from: to, to, access: 'read' }], hidden: [] })
  expect(profile).toContain('(subpath "/w\\") (allow file-write* (subpath \\"/")')
})

test('the profile comes with the command', () => {
  expect(seatbeltArgv(walls, ['claude', '-p'])).toEqual([
    '/usr/bin/sandbox-exec',
    '-p',
    seatbelt(walls),
    'claude',
    '-p',
  ])
})
