// What is outside cannot be seen.
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { SandboxFile } from '../../src/role/sandbox/schema.ts'
import { ground, inNode, inside, needWalls, secret, untouched, users } from './kit.ts'

needWalls()

test.each(users)('%s: neither keys nor accounts, nor other sessions, nor the root', async (user) => {
  const at = ground(user)
  const files = [
    join(at.home, '.ssh/id_ed25519'),
    join(at.root, 'credentials/claude-token'),
    join(at.root, 'token'),
    join(at.root, 'sessions/other/.claude/.credentials.json'),
    join(at.root, 'sessions/coder/keeper.json'),
    join(at.folder, 'outside'),
    '/etc/shadow',
    '/etc/sudoers',
    '/etc/ssl/private',
    '/root',
    '/sys',
    '/var',
    '/boot',
    '/run/docker.sock',
    '/var/run/docker.sock',
    '/proc/kcore',
  ]
  for (const file of files) {
    const { out } = await inside(at, `cat ${file} 2>&1; ls ${file} 2>&1`)
    expect([file, out]).toEqual([
      file,
      expect.stringMatching(/(No such file|Permission denied|Operation not)/),
    ])
    expect(out).not.toContain(secret)
  }
})

test.each(users)('%s: the accounts of this machine are not there, but one has a name', async (user) => {
  const at = ground(user)
  const { out } = await inside(at, 'cat /etc/passwd /etc/group; id -un; hostname')
  expect(out).not.toMatch(/^(root|daemon|sshd|www-data):/m)
  expect(out).toContain('agent:x:')
  expect(out).toMatch(/agency$/m)
})

test.each(users)('%s: other processes, their environment and memory', async (user) => {
  const at = ground(user)
  process.env.AGENCY_CANARY = secret
  const script = `
    ls /proc | grep -c '^[0-9]'
    cat /proc/*/environ 2>/dev/null | tr '\\0' '\\n'
    for pid in ${process.pid} ${process.ppid}; do
      [ -e /proc/$pid/environ ] && grep -q vitest /proc/$pid/cmdline && echo SEEN
      dd if=/proc/$pid/mem of=/dev/null bs=1 count=1 2>&1
      kill -0 $pid && grep -q vitest /proc/$pid/cmdline && echo SIGNALLED
    done`
  const { out } = await inside(at, script, { env: { KEPT: 'yes' } })
  delete process.env.AGENCY_CANARY
  // The shells and the forwarder of the walls, and nobody else.
  expect(Number(out.split('\n')[0])).toBeLessThan(12)
  expect(out).not.toMatch(/SEEN|SIGNALLED/)
  expect(out).not.toContain(secret)
  expect(out).toContain('KEPT=yes')
})

test.each(users)('%s: only what was given of the environment', async (user) => {
  const at = ground(user)
  process.env.GITHUB_TOKEN = secret
  const { out } = await inNode(at, 'console.log(JSON.stringify(Object.keys(process.env).sort()))', {
    settings: { network: 'full' },
    env: { LD_PRELOAD: '/nowhere.so', LANG: 'C' },
  })
  delete process.env.GITHUB_TOKEN
  expect(JSON.parse(out)).toEqual(['HOME', 'LANG', 'PATH', 'PWD'])
})

test.each(users)('%s: no secret is among the arguments that `ps` shows', async (user) => {
  const at = ground(user)
  const { out } = await inside(at, 'cat /proc/1/cmdline', {
    env: { TOKEN: secret },
    model: { base: 'http://127.0.0.1:1', headers: { 'x-api-key': secret } },
  })
  expect(out).toContain('--unshare-all')
  expect(out).not.toContain(secret)
})

test("a path of the role that holds agency's root shows everything but that", async () => {
  const at = ground()
  const settings: SandboxFile = { network: 'none', read_only_paths: [at.folder] }
  const { out } = await inside(at, `cat ${at.folder}/outside; ls -A ${at.root} ${at.root}/sessions/*`, {
    settings,
  })
  expect(out.split('\n')).toEqual([
    `${secret}${at.root}:`,
    'sessions',
    '',
    `${at.root}/sessions/coder:`,
    '.claude',
    'tmp',
    '',
  ])
  const made = await inside(at, `touch ${at.root}/x ${at.folder}/x; echo $?`, { settings })
  expect(made.out).toBe('1\n')
  untouched(at)
})
