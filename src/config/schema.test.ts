import { expect, test } from 'vitest'
import { check } from '../base/problem/rules.ts'
import { config } from './schema.ts'

test('an empty config has every default', () => {
  expect(config.parse({})).toEqual({
    store: 'sqlite',
    host: { port: 0, log_level: 'info', drain_seconds: 30 },
    attach: { detach_key: 'ctrl-\\' },
    history: { tasks: 100, megabytes: 500 },
    budgets: [],
    github: { api: 'https://api.github.com' },
    gitlab: { api: 'https://gitlab.com/api/v4' },
  })
})

test.each([
  [
    { host: { port: 80 } },
    ['host.port must be 0 (any free port) or from 1024 to 65535: lower ports need root'],
  ],
  [{ host: { port: 70000 } }, ['host.port must be at most 65535']],
  [{ host: { port: 9000 } }, []],
  [{ history: { tasks: 0 } }, ['history.tasks must be at least 1']],
  [
    { history: { days: 0, megabytes: 0 } },
    ['history.days must be at least 1', 'history.megabytes must be at least 1'],
  ],
  [{ history: { tasks: 5, days: 30, megabytes: 10 } }, []],
  [{ store: 'mysql://x' }, ['store must be "sqlite" or a postgres:// URL']],
  [{ store: 'postgres://u:p@h/d' }, []],
  [{ github: { api: 'http://127.0.0.1:8080' } }, []],
  [{ github: { api: 'https://ghe.example/api/v3' } }, []],
  [
    { github: { api: 'http://ghe.example' } },
    ['github.api must be an https:// URL without a user name (http:// only for localhost)'],
  ],
  [
    { github: { api: 'http://localhost.evil.example/' } },
    ['github.api must be an https:// URL without a user name (http:// only for localhost)'],
  ],
  [
    { github: { api: 'https://a@evil.example' } },
    ['github.api must be an https:// URL without a user name (http:// only for localhost)'],
  ],
])('%j', (value, expected) => {
  const checked = check(config, value)
  expect('issues' in checked ? checked.issues.map(({ message }) => message) : []).toEqual(expected)
})
