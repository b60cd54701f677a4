import { expect, test } from 'vitest'
import { order } from '../../../test/samples/order.ts'
import type { AgencyError } from '../../base/error/fail.ts'
import { claude } from './driver.ts'

const driver = claude('2.1.325 (Claude Code)\n')

const failureOf = (act: () => unknown): AgencyError => {
  try {
    act()
  } catch (error) {
    return error as AgencyError
  }
  throw new Error('nothing was thrown')
}

test('a headless launch: the prompt goes by stdin, the secrets into files', () => {
  const prompt = '--help me'
  const environment = {
    ...order.environment,
    credentials: { ANTHROPIC_API_KEY: 'sk-0123456789abcdefghijklmnop' },
  }
  const launch = driver.launch('claude', { ...order, terminal: false, prompt, environment })
  expect(launch.argv[0]).toBe('claude')
  expect(launch.argv.join(' ')).not.toContain(prompt)
  expect(launch.argv.join(' ')).not.toContain('secret')
  expect(launch.stdin).toBe(prompt)
  expect(Object.values(launch.env).join(' ')).not.toContain('hook-secret')
  expect(launch.files.map(({ path, once }) => [path, once])).toEqual([
    ['/home/user/.agency/sessions/coder-1/settings.json', true],
    ['/home/user/.agency/sessions/coder-1/.claude/.claude.json', false],
  ])
  const [settings, state] = launch.files.map((file) => JSON.parse(file.text))
  expect(settings).toMatchObject({ disableAllHooks: false })
  expect(state).toEqual({
    theme: 'dark',
    hasCompletedOnboarding: true,
    customApiKeyResponses: { approved: ['6789abcdefghijklmnop'], rejected: [] },
    projects: { '/home/user/project': { hasTrustDialogAccepted: true } },
  })
})

test('a terminal launch has no stdin', () => {
  expect(driver.launch('claude', order)).not.toHaveProperty('stdin')
})

test('every problem of an order is named at once, and nothing is launched', () => {
  const bad = {
    ...order,
    extra: ['--bare'],
    settings: { disableAllHooks: true },
    environment: { ...order.environment, task: { LD_PRELOAD: 'x' } },
  }
  const expected = [
    '"--bare" cannot be given here; set it in the role',
    'settings.disableAllHooks cannot be set: agency needs its hooks',
    'env: the variable LD_PRELOAD cannot be set',
  ]
  expect(driver.problems(bad)).toEqual(expected)
  const error = failureOf(() => driver.launch('claude', bad))
  expect([error.code, error.problems]).toEqual(['launch_refused', expected])
})

test('a message is a paste under its header, and Enter is apart', () => {
  expect(driver.typed({ id: 'm1', sender: 'ann' }, '!rm -rf /')).toEqual({
    paste: '\u001b[200~[agency m1 from ann]\n!rm -rf /\u001b[201~',
    submit: '\r',
  })
})

test.each([
  ['2.1.325', true],
  ['2.1.197', false],
])('what version %s can do', (version, permissionHookHeadless) => {
  expect(claude(version)).toMatchObject({ name: 'claude', version, capabilities: { permissionHookHeadless } })
})

test.each([
  ['bash: claude: not found', 'cli_version_unknown'],
  ['', 'cli_version_unknown'],
  ['1.0.30 (Claude Code)', 'cli_too_old'],
])('%j is no CLI to start', (printed, code) => {
  expect(failureOf(() => claude(printed)).code).toBe(code)
})
