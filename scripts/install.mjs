// npm run test:install: what a user gets. Packs, installs the tarball into an empty folder without
// running any install script, and uses it. Limits: 50 MB on disk, and 15 s. The time is mostly the registry's, which may
// be slow or ask to wait, so it is printed and fails only far beyond that.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const folder = mkdtempSync(join(tmpdir(), 'agency-install-'))
const home = join(folder, 'home')
const bare = {
  PATH: process.env.PATH,
  HOME: home,
  npm_config_cache: process.env.npm_config_cache ?? '',
  ...proxies(),
}
let failed = false

function proxies() {
  const kept = Object.entries(process.env).filter(([name]) =>
    /^(npm_config_userconfig|NODE_EXTRA_CA_CERTS|https?_proxy|no_proxy)$/i.test(name),
  )
  return Object.fromEntries(kept)
}
const size = (path) =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory()
    ? readdirSync(path).reduce((sum, name) => sum + size(join(path, name)), 0)
    : (statSync(path, { throwIfNoEntry: false })?.size ?? 0)
const claim = (holds, sentence) => {
  console.log(`${holds ? 'ok  ' : 'FAIL'} ${sentence}`)
  failed ||= !holds
}

try {
  const packed = JSON.parse(
    execFileSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }),
  )
  const tarball = resolve(folder, packed[0]?.filename ?? Object.values(packed)[0].filename)
  const into = join(folder, 'app')
  execFileSync('mkdir', ['-p', into, home])
  writeFileSync(join(into, 'package.json'), '{"private":true}\n')
  const from = process.hrtime.bigint()
  execFileSync(
    'npm',
    [
      'install',
      '--ignore-scripts',
      '--prefer-offline',
      '--fetch-retries=8',
      '--no-audit',
      '--no-fund',
      '--loglevel=error',
      tarball,
    ],
    { cwd: into, stdio: 'inherit' },
  )
  const seconds = Number(process.hrtime.bigint() - from) / 1e9
  const megabytes = size(join(into, 'node_modules')) / 1e6
  claim(megabytes <= 50, `installed ${megabytes.toFixed(1)} MB (at most 50)`)
  claim(
    seconds <= 45,
    `in ${seconds.toFixed(1)} s (promised: 15 with a quick registry), without install scripts`,
  )
  const agency = (...words) =>
    execFileSync(join(into, 'node_modules/.bin/agency'), words, {
      cwd: home,
      env: { ...bare, AGENCY_ROOT: join(folder, 'root') },
      encoding: 'utf8',
    })
  claim(agency('version').trim().length > 0, 'agency version answers')
  const roz = join(into, 'node_modules/agency/dist/plugin/bin/roz')
  const gate = execFileSync(roz, ['hook', 'session-start'], {
    env: bare,
    input: JSON.stringify({ session_id: 's', cwd: home, source: 'startup' }),
    encoding: 'utf8',
  })
  claim(gate.includes('review gate'), 'the hooks of its plugin for Claude Code answer')
  agency('init')
  agency('up', '--detach')
  try {
    claim(
      JSON.parse(agency('status', '--json')).host.state === 'idle',
      'a host starts from the installed package and is idle',
    )
  } finally {
    agency('shutdown', '--all')
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
process.exitCode = failed ? 1 : 0
