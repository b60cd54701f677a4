import { defineConfig } from 'vitest/config'
import { shared } from './vitest.shared.ts'

export default defineConfig(
  shared(
    ['src/**/*.test.ts', 'test/**/*.test.ts', 'bench/*.test.ts', 'generate/*.test.ts', 'soak/*.test.ts'],
    ['test/claude/**', 'test/faults/**', 'test/sandbox/**'],
  ),
)
