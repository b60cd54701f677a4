import { expect, test } from 'vitest'
import { order } from '../../../../test/samples/order.ts'
import type { Order } from '../../schema.ts'
import { environment, environmentProblems } from './rules.ts'

const plain = {
  PATH: '/usr/bin',
  HOME: '/home/user',
  AGENCY_ROOT: '/home/user/.agency',
  AGENCY_ACTOR: 'coder-1',
  AGENCY_SESSION: '00000000-0000-4000-8000-000000000001',
  AGENCY_SESSION_DIR: '/home/user/.agency/sessions/coder-1',
  AGENCY_ROLE: 'coder',
  H2_DIR: '/home/user/.agency',
  H2_ACTOR: 'coder-1',
  H2_SESSION_DIR: '/home/user/.agency/sessions/coder-1',
  H2_ROLE: 'coder',
  CLAUDE_CODE_ENABLE_TELEMETRY: '1',
  OTEL_LOGS_EXPORTER: 'otlp',
  OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
  OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4000',
  OTEL_EXPORTER_OTLP_HEADERS: 'Authorization=Bearer telemetry-secret',
  OTEL_LOGS_EXPORT_INTERVAL: '500',
  CLAUDE_CONFIG_DIR: '/home/user/.agency/sessions/coder-1/.claude',
  CLAUDE_CODE_TMPDIR: '/home/user/.agency/sessions/coder-1/tmp',
  CLAUDE_CODE_MAX_RETRIES: '3',
  CLAUDE_CODE_STOP_HOOK_BLOCK_CAP: '1000',
  DISABLE_AUTOUPDATER: '1',
}

const caller = (more: Record<string, string>, inherit: 'all' | 'listed' = 'all'): Partial<Order> => ({
  environment: { caller: { ...order.environment.caller, ...more }, inherit },
})

const discreet = {
  DISABLE_TELEMETRY: '1',
  DISABLE_ERROR_REPORTING: '1',
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
}

const cases: readonly [string, Partial<Order>, Record<string, string>][] = [
  ['nothing special', {}, {}],
  [
    'marks of an outer session and switches against hooks are dropped',
    caller({
      CLAUDECODE: '1',
      CLAUDE_CODE_SIMPLE: '1',
      CLAUDE_CODE_SAFE_MODE: '1',
      CLAUDE_CODE_SESSION_ID: 'x',
      CLAUDE_CONFIG_DIR: '/elsewhere',
      CLAUDE_PROJECT_DIR: '/elsewhere',
      AGENCY_ACTOR: 'other',
      AGENCY_POD: 'other',
      H2_POD: 'other',
      OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: 'http://elsewhere',
      IS_SANDBOX: '1',
    }),
    {},
  ],
  [
    'a login, company certificates and what else the person has stay',
    caller({
      CLAUDE_CODE_OAUTH_TOKEN: 't',
      ANTHROPIC_API_KEY: 'k',
      NODE_EXTRA_CA_CERTS: '/ca.pem',
      EDITOR: 'vi',
    }),
    { CLAUDE_CODE_OAUTH_TOKEN: 't', ANTHROPIC_API_KEY: 'k', NODE_EXTRA_CA_CERTS: '/ca.pem', EDITOR: 'vi' },
  ],
  [
    'a sandboxed agent sees a list',
    caller(
      { ANTHROPIC_API_KEY: 'k', SSH_AUTH_SOCK: '/s', AWS_SECRET_ACCESS_KEY: 's', LC_ALL: 'C', TERM: 'x' },
      'listed',
    ),
    { LC_ALL: 'C', TERM: 'x' },
  ],
  ...(['all', 'listed'] as const).map((inherit): [string, Partial<Order>, Record<string, string>] => [
    `that nothing is told to its maker counts for every agent: ${inherit}`,
    caller({ ...discreet, CLAUDE_CODE_X: '1' }, inherit),
    discreet,
  ]),
  [
    'around a proxy, whatever its spelling',
    caller({ https_proxy: 'http://proxy:3128', no_proxy: 'example.com, 127.0.0.1' }),
    {
      https_proxy: 'http://proxy:3128',
      NO_PROXY: 'example.com,127.0.0.1,localhost,::1',
      no_proxy: 'example.com,127.0.0.1,localhost,::1',
    },
  ],
  ['root that skips permissions', { asRoot: true, permissionMode: 'bypassPermissions' }, { IS_SANDBOX: '1' }],
  ['root that does not', { asRoot: true }, {}],
  ['not root', { permissionMode: 'bypassPermissions' }, {}],
  ['a shared login', { paths: { ...order.paths, login: '/l' } }, { CLAUDE_SECURESTORAGE_CONFIG_DIR: '/l' }],
  ['a pod', { agent: { name: 'coder-1', role: 'coder', pod: 'web' } }, { AGENCY_POD: 'web', H2_POD: 'web' }],
  [
    'credentials and a task: the latter is nearer',
    { environment: { ...order.environment, credentials: { GITHUB_TOKEN: 'a', X: '1' }, task: { X: '2' } } },
    { GITHUB_TOKEN: 'a', X: '2' },
  ],
]

test.each(cases)('%s', (_, change, more) => {
  expect(environment({ ...order, ...change })).toEqual({ ...plain, ...more })
})

test('an agent without role has none in its environment', () => {
  const { AGENCY_ROLE, H2_ROLE, ...rest } = plain
  expect(environment({ ...order, agent: { name: 'coder-1' } })).toEqual(rest)
})

test.each(
  [
    'LD_PRELOAD',
    'DYLD_INSERT_LIBRARIES',
    'NODE_OPTIONS',
    'BASH_ENV',
    'ENV',
    'AGENCY_ACTOR',
    'H2_DIR',
    'PATH',
    'HOME',
  ]
    .concat([
      'CLAUDE_CONFIG_DIR',
      'CLAUDECODE',
      'ANTHROPIC_BASE_URL',
      'OTEL_LOGS_EXPORTER',
      'GIT_SSH_COMMAND',
    ])
    .concat([
      'https_proxy',
      'HTTP_PROXY',
      'NODE_TLS_REJECT_UNAUTHORIZED',
      'IS_SANDBOX',
      'ANTHROPIC_API_KEY_X',
    ]),
)('a task cannot set %s', (name) => {
  expect(environmentProblems({ [name]: 'x' })).toEqual([`the variable ${name} cannot be set`])
})

test.each([
  [
    { GITHUB_TOKEN: 'x', DEBUG: '1', ANTHROPIC_API_KEY: 'k', GIT_AUTHOR_NAME: 'ann', HTTP_PROXY_NOTE: 'x' },
    [],
  ],
  [{ 'A B': 'x' }, ['"A B" is no name of a variable']],
  [{ 'A=B': 'x' }, ['"A=B" is no name of a variable']],
  [{ 'BASH_FUNC_ls%%': '() { :; }' }, ['"BASH_FUNC_ls%%" is no name of a variable']],
  [{ '': 'x' }, ['"" is no name of a variable']],
  [{ A: 'x\0y' }, ['the value of A contains a NUL character']],
])('variables of a task %#', (task, problems) => {
  expect(environmentProblems(task as Record<string, string>)).toEqual(problems)
})
