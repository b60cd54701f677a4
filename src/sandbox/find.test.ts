import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { lookForBuilder } from './find.ts'

const folder = (): string => {
  const made = mkdtempSync(join(tmpdir(), 'agency-find-'))
  onTestFinished(() => rmSync(made, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }))
  return made
}

/** A stand-in for bwrap that says `version`, and for anything else does `otherwise`. */
const fake = (version: string, otherwise: string): string => {
  const path = join(folder(), 'bwrap')
  writeFileSync(path, `#!/bin/sh\n[ "$1" = --version ] && { echo "${version}"; exit; }\n${otherwise}\n`)
  chmodSync(path, 0o755)
  return path
}
const trusting = { system: 'linux', doubtAbout: async () => undefined }

test('without bubblewrap there is a cause and what to type', async () => {
  const nowhere = join(folder(), 'bwrap')
  expect(await lookForBuilder({ ...trusting, places: [nowhere] })).toEqual({
    cause: `bubblewrap is not installed (no bwrap in ${join(nowhere, '..')})`,
    fix: 'Install it: `apt install bubblewrap`, `dnf install bubblewrap` or `pacman -S bubblewrap`.',
  })
})

test('one on PATH does not count, wherever that leads', async () => {
  const planted = fake('bubblewrap 9.9.9', 'exit 0')
  const before = process.env.PATH
  onTestFinished(() => {
    process.env.PATH = before
  })
  process.env.PATH = `${join(planted, '..')}:${before}`
  expect(await lookForBuilder({ ...trusting, places: [join(folder(), 'bwrap')] })).toHaveProperty('cause')
})

test('one that others could have changed is not even asked for its version', async () => {
  const trace = join(folder(), 'ran')
  const planted = fake('bubblewrap 9.9.9', '')
  writeFileSync(planted, `#!/bin/sh\ntouch ${trace}\necho bubblewrap 9.9.9\n`)
  chmodSync(planted, 0o777)
  const found = await lookForBuilder({ system: 'linux', places: [planted] })
  expect(found).toHaveProperty(
    'cause',
    expect.stringMatching(/does not belong to root|can be changed by others/),
  )
  expect(existsSync(trace)).toBe(false)
})

test.each([
  ['too old', 'bubblewrap 0.4.1', 'exit 0', /^bubblewrap 0.4.1 is too old$/],
  ['no bubblewrap at all', 'hello', 'exit 0', /does not say which version/],
  [
    'no namespaces',
    'bubblewrap 0.8.0',
    'echo "bwrap: No permissions to create new namespace" >&2; exit 1',
    /./,
  ],
  ['silent', 'bubblewrap 0.8.0', 'exit 1', /./],
])('%s: a cause and a fix', async (_, version, otherwise, cause) => {
  const found = await lookForBuilder({ ...trusting, places: [fake(version, otherwise)] })
  expect(found).toEqual({ cause: expect.stringMatching(cause), fix: expect.stringMatching(/^[A-Z]/) })
})

test('one that works is found with what it can do', async () => {
  const path = fake('bubblewrap 0.8.0', 'case "$*" in *default-signal*) exit 1;; esac')
  expect(await lookForBuilder({ ...trusting, places: ['/nowhere/bwrap', path] })).toEqual({
    kind: 'bubblewrap',
    path,
    version: '0.8.0',
    resets: false,
  })
})
