// Where no walls can be made, nothing is launched without them: it is said why, and what to type.
import { spawn } from 'node:child_process'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { stage } from '../agent/kit.ts'
import { collect, program } from '../cli/kit.ts'
import { needWalls } from './kit.ts'

needWalls()

const role = 'name: s\nagent_type: scripted\ninstructions: Work.\nsandbox: {enabled: true}\n'

/** Hidden for the program and all it starts, in a mount namespace of their own. */
const hiding = (file: string, args: readonly string[]): readonly string[] => {
  const mine = process.getuid?.() === 0 ? [] : ['--map-root-user']
  const script = `mount --bind ${file} /usr/bin/bwrap && exec "$@"`
  return ['unshare', ...mine, '--mount', 'sh', '-c', script, 'sh', ...args]
}

test.each([
  ['missing', '', 0o600, /bwrap/],
  ['too old', '#!/bin/sh\necho bubblewrap 0.4.1\n', 0o755, /bubblewrap 0\.4\.1 is too old/],
  [
    'without namespaces',
    '#!/bin/sh\n[ "$1" = --version ] && { echo bubblewrap 0.8.0; exit; }\necho "bwrap: No permissions to create new namespace" >&2; exit 1\n',
    0o755,
    /could not make one \(bwrap: No permissions|user namespaces|AppArmor/,
  ],
] as const)('bubblewrap is %s', async (_, text, mode, cause) => {
  const at = await stage({ scripts: [] }, { s: role })
  const file = join(at.folder, 'bwrap')
  writeFileSync(file, text)
  chmodSync(file, mode)
  const ask = (args: readonly string[]) => {
    const [first = '', ...rest] = hiding(file, [program, ...args])
    return collect(spawn(first, rest, { cwd: at.cwd, env: at.env, stdio: ['ignore', 'pipe', 'pipe'] }))
  }
  const doctor = await ask(['doctor', '--json'])
  const { findings } = JSON.parse(doctor.out) as {
    findings: { check: string; state: string; found: string; fix?: string }[]
  }
  expect(findings.find(({ check }) => check === 'sandbox')).toEqual({
    check: 'sandbox',
    state: 'warning',
    // Whoever is root only in there does not see the real root own anything.
    found: expect.stringMatching(new RegExp(`${cause.source}|does not belong to root`)),
    fix: expect.stringMatching(/\S/),
  })
  const refused = await ask(['run', '--role', 's', '--name', 'a', '--detach', '--json'])
  expect(JSON.parse(refused.out)).toMatchObject({ error: 'sandbox_error' })
  expect(refused.code).toBe(1)
  expect(await at.agents()).toEqual([])
})

test('a `bwrap` on PATH, in the tree, is not even looked at', async () => {
  const at = await stage({ scripts: [] }, { s: role })
  writeFileSync(
    join(at.cwd, 'bwrap'),
    `#!/bin/sh\ntouch ${at.folder}/RAN\nwhile [ "$1" != -- ]; do shift; done; shift; exec "$@"\n`,
  )
  chmodSync(join(at.cwd, 'bwrap'), 0o755)
  at.env.PATH = `.:${at.cwd}:${at.env.PATH}`
  const { code, err } = await at.run('a')
  expect(code, err).toBe(0)
  expect(at.tree().filter((path) => path.endsWith('RAN'))).toEqual([])
})
