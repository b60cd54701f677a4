// A host in the process of the test, over files of its own. What is set up later is ended earlier.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { type Host, type HostOptions, startHost } from '../../src/host/host.ts'

/** A root with these files, gone after the test. */
export const newRoot = (files: Readonly<Record<string, string>> = {}): string => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'agency-host-')))
  onTestFinished(() => rmSync(root, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }))
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  return root
}

/** Ended after the test; `leave` = launched agents stay with their keepers. */
export const startedHost = async (
  root: string,
  options: Omit<HostOptions, 'root'> = {},
  leave = false,
): Promise<Host> => {
  const host = await startHost({ root, ...options })
  onTestFinished(() => {
    host.hurry()
    return host.finish({ reason: 'the test is over', leave })
  })
  return host
}

export const untilIdle = (host: Host) =>
  expect.poll(() => host.status().state, { timeout: 60_000 }).toBe('idle')
