// Walls as a profile of macOS's sandbox-exec. Of two rules that match, the later one counts; what no rule names is
// denied. Not used for launches until it was tried on a Mac.
import type { Mount, Walls } from '../schema.ts'

/** A string of the profile's language. */
const text = (path: string): string => `"${path.replace(/[\\"]/g, '\\$&')}"`

const below = (path: string): string => `(subpath ${text(path)})`

const rule = (verb: 'allow' | 'deny', what: string, where: readonly string[]): readonly string[] =>
  where.length === 0 ? [] : [`(${verb} ${what} ${where.join(' ')})`]

/** The kernel sees through links, so the real names of /tmp, /var and /etc are meant. */
const system = ['/bin', '/sbin', '/usr', '/opt/homebrew', '/Library/Apple', '/System', '/private/etc/ssl']
const files = ['/dev/null', '/dev/zero', '/dev/random', '/dev/urandom', '/dev/tty', '/private/etc/localtime']

/**
 * What a C library needs. Neither launchd's own door, the Keychain, the pasteboard, Apple events nor launch services:
 * through each of them a program outside would do what is denied in here.
 */
const services = [
  'com.apple.system.logger',
  'com.apple.system.notification_center',
  'com.apple.system.opendirectoryd.libinfo',
  'com.apple.trustd.agent',
]

const network = ({ network: kind, doors }: Walls): readonly string[] => {
  if (kind === 'full') return ['(allow network*)']
  const here = doors.map(({ port }) => `(remote ip "localhost:${port}")`)
  return rule('allow', 'network-outbound', here)
}

const bind = ({ access, to }: Mount): readonly string[] =>
  access === 'write'
    ? [`(allow file-read* file-write* ${below(to)})`]
    : [`(allow file-read* ${below(to)})`, `(deny file-write* ${below(to)})`]

/** What is frozen is denied by name, so it cannot be made either; renaming what it lies in is a write to it. */
export const seatbelt = (walls: Walls): string => {
  const { mounts, hidden } = walls
  const inside = (path: string): boolean => hidden.some((one) => path.startsWith(`${one}/`))
  return [
    '(version 1)',
    '(deny default)',
    '(allow process-exec process-fork)',
    '(allow signal (target same-sandbox))',
    '(allow sysctl-read)',
    '(allow pseudo-tty)',
    // Without it no path can be walked; names can then be guessed, contents not.
    '(allow file-read-metadata)',
    `(allow mach-lookup ${services.map((name) => `(global-name ${text(name)})`).join(' ')})`,
    `(allow file-read* ${[...system.map(below), ...files.map((path) => `(literal ${text(path)})`)].join(' ')})`,
    '(allow file-write-data (literal "/dev/null") (literal "/dev/tty"))',
    '(allow file-ioctl (literal "/dev/tty"))',
    ...network(walls),
    ...mounts.filter(({ to }) => !inside(to)).flatMap(bind),
    ...rule('deny', 'file-read* file-write*', hidden.map(below)),
    ...mounts.filter(({ to }) => inside(to)).flatMap(bind),
    '',
  ].join('\n')
}

export const seatbeltArgv = (walls: Walls, argv: readonly string[]): readonly string[] => [
  '/usr/bin/sandbox-exec',
  '-p',
  seatbelt(walls),
  ...argv,
]
