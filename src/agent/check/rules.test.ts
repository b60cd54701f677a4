import { expect, test } from 'vitest'
import { check } from '../../base/problem/rules.ts'
import { agentFile } from '../schema.ts'
import { checkAgent } from './rules.ts'

test('a minimal file has every default', () => {
  expect(agentFile.parse({ port: 9000, claude: { model: 'sonnet', timeout: '5m' } })).toEqual({
    port: 9000,
    log_level: 'info',
    claude: { model: 'sonnet', timeout: '5m', max_turns: 50 },
    credentials: [],
    labels: [],
  })
  expect(agentFile.parse({}).claude).toEqual({ model: '', timeout: '30m', max_turns: 50 })
})

test.each<[object, string[]]>([
  [{ port: 80 }, ['port is 80, which only root may use: choose one from 1024 to 65535, such as 9000']],
  [{ port: 70_000 }, ['port must be at most 65535']],
  [{ port: -1 }, ['port must be at least 0']],
  [{ claude: { timeout: '9999h' } }, ['claude.timeout must be at most 24 days (576h)']],
  ...['/', '//', '/dev/', '/proc/1', '/run/.', '/x//./docker.sock/'].map((path): [object, string[]] => [
    { sandbox: { read_write_paths: [path] } },
    ['sandbox.read_write_paths[0] is refused: through it an agent leaves the sandbox'],
  ]),
  [
    { sandbox: { read_only_paths: ['/run/../var/run/docker.sock'] } },
    [
      'sandbox.read_only_paths[0] must be a path without ".."',
      'sandbox.read_only_paths[0] is refused: through it an agent leaves the sandbox',
    ],
  ],
  [
    { sandbox: { network: 'proxy', allowed_hosts: ['example.com:99999'] } },
    ['sandbox.allowed_hosts[0] must have a port up to 65535'],
  ],
  [{ port: '9000' }, ['port must be a number, not a string']],
  [{ prot: 9000 }, ['unknown field prot']],
  [{ claude: { timeout: 30 } }, ['claude.timeout must be a time with its unit, such as 30s, 10m or 1h30m']],
  [{ claude: { max_turns: 0 } }, ['claude.max_turns must be at least 1']],
  [{ claude: { model: '--help' } }, ['claude.model must be the name of a model, such as opus or sonnet']],
  [
    { sandbox: { network: 'none', allow_network: true } },
    ['sandbox.network cannot contradict allow_network: write only one of them'],
  ],
  [{ sandbox: { allowed_hosts: ['example.com'] } }, ['sandbox.allowed_hosts needs `network: proxy`']],
  [
    { sandbox: { read_write_paths: ['/var/run/docker.sock'] } },
    ['sandbox.read_write_paths[0] is refused: through it an agent leaves the sandbox'],
  ],
])('%j is refused', (file, messages) => {
  const checked = check(agentFile, file)
  expect('issues' in checked ? checked.issues.map((each) => each.message) : []).toEqual(messages)
})

test.each<[object, string | undefined, string[]]>([
  [{}, 'a', []],
  [{ name: 'a' }, 'a', []],
  [{ name: 'b' }, undefined, []],
  [{ name: 'b' }, 'a', ['name must be "a", as its directory is called']],
  ...['-rf', '..', 'ä'].map((directory): [object, string, string[]] => [
    {},
    directory,
    [
      `the directory "${directory}" must be a name: lower-case letters, digits and dashes, at most 63, not starting with a dash`,
    ],
  ]),
  [{}, 'all', ['the directory "all" has a reserved name']],
  [
    {},
    'A b',
    [
      'the directory "A b" must be a name: lower-case letters, digits and dashes, at most 63, not starting with a dash',
    ],
  ],
  [
    { permission_mode: 'bypassPermissions', sandbox: { enabled: false } },
    'a',
    ['permission_mode is bypassPermissions without a sandbox: a task could do anything you can'],
  ],
  [{ permission_mode: 'bypassPermissions' }, 'a', []],
  [
    { root_dir: '/srv', session_dir: '/tmp/x' },
    'a',
    ['session_dir has no effect: `root_dir` says where it works'],
  ],
  [{ session_dir: '../..' }, 'a', ['session_dir must be a path without ".."']],
])('%j in %j', (file, directory, messages) => {
  expect(checkAgent(agentFile.parse(file), directory).map((each) => each.message)).toEqual(messages)
})
