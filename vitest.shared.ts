// Every run has a home of its own: no test reads or writes the settings of whoever runs it.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ViteUserConfig } from 'vitest/config'
import { version } from './scripts/version.mjs'

const home = mkdtempSync(join(tmpdir(), 'agency-home-'))
process.once('exit', () => rmSync(home, { recursive: true, force: true }))

const unset = Object.keys(process.env).filter((name) =>
  /^(AGENCY_(?!SEED)|H2_|AG_|CLAUDE|ANTHROPIC_|GIT_|XDG_|OTEL_|NODE_EXTRA_CA_CERTS|NODE_OPTIONS|NO_COLOR|FORCE_COLOR)/.test(
    name,
  ),
)
for (const name of unset) delete process.env[name]

export const shared = (include: string[], exclude: string[] = []): ViteUserConfig => ({
  define: { AGENCY_VERSION: JSON.stringify(version()) },
  test: {
    include,
    exclude: ['node_modules/**', 'dist/**', 'build/**', ...exclude],
    setupFiles: ['test/kit/seed.ts'],
    pool: 'forks',
    // Most of them wait for processes most of the time: more of them than cores.
    maxWorkers: 4,
    // Generous on purpose: a busy machine is no failure. A hang is still one.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    teardownTimeout: 20_000,
    env: { HOME: home, XDG_CONFIG_HOME: join(home, '.config'), GIT_CONFIG_NOSYSTEM: '1' },
  },
})
