import { expect, test } from 'vitest'
import { fallenIn, type Seen, troubleOf, versionOf } from './rules.ts'

const fine: Seen = {
  system: 'linux',
  places: ['/usr/bin', '/bin'],
  path: '/usr/bin/bwrap',
  printed: 'bubblewrap 0.8.0',
  refused: '',
  switches: {},
}
const refused = 'bwrap: setting up uid map: Permission denied'

test.each<[string, Partial<Seen>, string | undefined]>([
  ['all is well', {}, undefined],
  ['newer', { printed: 'bubblewrap 0.11.0' }, undefined],
  ['much newer', { printed: 'bubblewrap 1.0.0' }, undefined],
  ['another system', { system: 'darwin', path: undefined }, 'agency makes none on darwin yet'],
  ['missing', { path: undefined }, 'bubblewrap is not installed (no bwrap in /usr/bin, /bin)'],
  ['planted', { doubt: 'does not belong to root' }, '/usr/bin/bwrap does not belong to root'],
  ['nonsense', { printed: 'hello' }, '/usr/bin/bwrap does not say which version of bubblewrap it is'],
  ['old', { printed: 'bubblewrap 0.6.1' }, 'bubblewrap 0.6.1 is too old'],
  [
    'none allowed',
    { refused, switches: { most: '0' } },
    'this system allows no user namespaces (user.max_user_namespaces is 0)',
  ],
  [
    'only for root',
    { refused, switches: { clone: '0' } },
    'only root may have user namespaces here (kernel.unprivileged_userns_clone is 0)',
  ],
  [
    'AppArmor',
    { refused, switches: { apparmor: '1', clone: '1', most: '9' } },
    'AppArmor refuses bubblewrap a user namespace (kernel.apparmor_restrict_unprivileged_userns is 1)',
  ],
  ['a container', { refused }, `bubblewrap could not make one (${refused})`],
  ['a switch that stands, and walls all the same', { switches: { apparmor: '1' } }, undefined],
])('%s', (_, changes, cause) => {
  const trouble = troubleOf({ ...fine, ...changes })
  expect(trouble?.cause).toBe(cause)
  expect(trouble === undefined || /^[A-Z].*[`.]/.test(trouble.fix)).toBe(true)
})

test.each([
  ['bubblewrap 0.8.0', '0.8.0'],
  ['', undefined],
  ['bubblewrap 8', undefined],
])('the version in "%s"', (text, expected) => expect(versionOf(text)).toBe(expected))

test.each([
  [[], undefined],
  [['bwrap is a program', 'sh: 1: not found'], undefined],
  [
    ['', "bwrap: Can't find source path /x: No such file or directory"],
    "bubblewrap could not put it up (Can't find source path /x: No such file or directory)",
  ],
])('walls that fell as they were put up: %j', (lines, cause) => expect(fallenIn(lines)?.cause).toBe(cause))
