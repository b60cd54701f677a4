import { expect, test } from 'vitest'
import { judge } from './rules.ts'
import type { Facts } from './schema.ts'

const program = { path: '/usr/bin/x', version: '1.2' }
const fine: Facts = {
  asRoot: false,
  node: 'v20.19.0',
  git: program,
  claude: program,
  sandbox: { kind: 'bubblewrap', path: '/usr/bin/bwrap', version: '0.8.0', resets: true },
  limits: true,
  root: { path: '/r', freeBytes: 2 ** 40 },
  traces: [{ what: 'the host', path: '/r/host.json', live: true }],
  files: [],
  credentials: [{ name: 'claude-token', state: 'stored', says: '' }],
}

const states = (facts: Partial<Facts>): string[] =>
  judge({ ...fine, ...facts })
    .filter(({ state }) => state !== 'ok')
    .map(({ check, state }) => `${check} ${state}`)

const cases: [string, Partial<Facts>, string[]][] = [
  ['nothing is wrong', {}, []],
  ['old node', { node: 'v20.18.9' }, ['node problem']],
  ['newer node', { node: 'v22.1.0' }, []],
  ['no git', { git: undefined }, ['git problem']],
  ['no claude', { claude: undefined }, ['claude warning']],
  ['root user', { asRoot: true }, ['user warning']],
  [
    'no sandbox',
    { sandbox: { cause: 'bubblewrap is not installed', fix: 'Install it.' }, limits: false },
    ['sandbox warning'],
  ],
  ['no limits', { limits: false }, ['limits warning']],
  ['no root', { root: { trouble: 'none', fix: 'Type `agency init`.' } }, ['root warning']],
  ['little space', { root: { path: '/r', freeBytes: 500 * 2 ** 20 } }, ['disk space warning']],
  ['a file that is not valid', { files: ['config.yaml:1:1 x', 'roles/x.yaml:1:1 y'] }, ['files problem']],
  ['a token that others read', { token: { trouble: 'open', fix: 'rm' } }, ['token problem']],
  ['no space', { root: { path: '/r', freeBytes: 5 } }, ['disk space problem']],
  [
    'stale socket',
    { traces: [{ what: 'agent a', path: '/r/sockets/a', live: false }] },
    ['left over warning'],
  ],
  [
    'no claude token',
    { credentials: [{ name: 'claude-token', state: 'absent', says: '' }] },
    ['credential claude-token warning'],
  ],
  [
    'claude token in the environment',
    { credentials: [{ name: 'claude-token', state: 'environment', says: '' }] },
    [],
  ],
  ['no github token is fine', { credentials: [{ name: 'github-token', state: 'absent', says: '' }] }, []],
  [
    'readable by others',
    { credentials: [{ name: 'github-token', state: 'unsafe', says: '' }] },
    ['credential github-token problem'],
  ],
  [
    'empty',
    { credentials: [{ name: 'github-token', state: 'bad', says: '' }] },
    ['credential github-token problem'],
  ],
]
test.each(cases)('%s', (_, facts, expected) => expect(states(facts)).toEqual(expected))

test('whatever is not fine comes with its fix', () => {
  for (const [, facts] of cases) {
    for (const finding of judge({ ...fine, ...facts })) {
      expect(finding.state === 'ok' || (finding.fix ?? '') !== '').toBe(true)
    }
  }
})
