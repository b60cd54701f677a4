import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { activity } from '../journal/rules.ts'
import { openStore } from './sqlite.ts'

test('what was written comes into the file by itself once nobody writes', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'agency-rest-'))
  const file = join(folder, 'db')
  const store = await openStore({ file, reduce: () => () => ({}), now: () => new Date(0) })
  onTestFinished(async () => {
    await store.close()
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  })
  const size = (): number => statSync(file).size
  const text = 'x'.repeat(1_000)
  const before = size()
  for (let at = 0; at < 100; at++) await store.append([activity('tool.called', 't', { text })])
  for (const late = Date.now() + 20_000; size() < before + 100_000 && Date.now() < late; ) await pause(20)
  expect(size()).toBeGreaterThan(before + 100_000)
})
