// Runs the cases in test/claude against the real Claude Code CLI, which is never a dependency (350 MB, its own
// licence): it is installed into .cache/claude/<version> and meets only a scripted Messages API on loopback.
//   node scripts/claude.mjs [--version X] [arguments of vitest]
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { claude as pinned } from './pinned.mjs'

const root = resolve(import.meta.dirname, '..')
const cache = join(root, '.cache', 'claude')
const binary = (folder) =>
  join(folder, 'node_modules', '@anthropic-ai', `claude-code-${process.platform}-${process.arch}`, 'claude')

const stop = (...lines) => {
  console.error(lines.join('\n'))
  process.exit(1)
}

const alive = (pid) => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}

// An empty lock is one whose owner is just writing it, unless it stays empty.
const stale = (lock) => {
  try {
    const pid = Number(readFileSync(lock, 'utf8'))
    return pid ? !alive(pid) : Date.now() - statSync(lock).mtimeMs > 10_000
  } catch (error) {
    if (error.code === 'ENOENT') return false
    throw error
  }
}

/** Two that seize a stale lock at once cost a second download, no more: the rename below has one winner. */
const locked = async (lock, work) => {
  for (let said = false; ; await sleep(250)) {
    try {
      writeFileSync(lock, String(process.pid), { flag: 'wx' })
      break
    } catch (error) {
      if (error.code !== 'EEXIST') throw error
      if (stale(lock)) rmSync(lock, { force: true })
      else if (!said) console.log(`waiting for another install (${lock}) …`)
      said = true
    }
  }
  try {
    return work()
  } finally {
    rmSync(lock, { force: true })
  }
}

const download = (version, folder) => {
  console.log(`installing Claude Code ${version} into ${folder} (350 MB, once) …`)
  const partial = `${folder}.${process.pid}`
  rmSync(partial, { recursive: true, force: true })
  mkdirSync(partial, { recursive: true })
  writeFileSync(join(partial, 'package.json'), '{"private":true}\n')
  // The binary lies inside the platform's package: no install script is needed.
  const npm = [
    'install',
    `@anthropic-ai/claude-code@${version}`,
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
  ]
  const { status } = spawnSync('npm', [...npm, '--loglevel=error'], {
    cwd: partial,
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  if (status !== 0 || !existsSync(binary(partial))) {
    rmSync(partial, { recursive: true, force: true })
    stop(
      status === 0
        ? `@anthropic-ai/claude-code@${version} brought no binary for ${process.platform}-${process.arch}.`
        : `Claude Code ${version} could not be installed (npm exit ${status}).`,
      'Nothing was changed. The registry must be reachable once; afterwards the cases run offline.',
      'When it is, run `npm run test:claude` again.',
    )
  }
  try {
    renameSync(partial, folder)
  } catch (error) {
    rmSync(partial, { recursive: true, force: true })
    if (!existsSync(binary(folder))) throw error
  }
}

const install = async (version) => {
  const folder = join(cache, version)
  const ready = () => existsSync(binary(folder))
  mkdirSync(cache, { recursive: true })
  if (!ready()) await locked(join(cache, `${version}.lock`), () => ready() || download(version, folder))
  return binary(folder)
}

/** The ways to a network that holds nothing but lo, in order of liking. */
const enclosures = [
  ['unshare', '--net'],
  ['unshare', '--user', '--map-current-user', '--keep-caps', '--net'],
  ['unshare', '--user', '--map-root-user', '--net'],
]
const enclosed = () => {
  const up = ['sh', '-c', 'ip link set lo up && exec "$@"', 'sh']
  for (const [command, ...args] of enclosures) {
    const way = [...args, '--', ...up]
    if (spawnSync(command, [...way, 'true'], { stdio: 'ignore' }).status === 0) return [command, ...way]
  }
  console.log(
    'A network of its own is not permitted here (unshare -n): the cases run on this machine’s network.',
  )
  return []
}

const args = process.argv.slice(2)
const at = args.indexOf('--version')
const [, named] = at < 0 ? [] : args.splice(at, 2)
if (at >= 0 && !/^\d+\.\d+\.\d+[\w.-]*$/.test(named ?? '')) stop('--version wants a version such as 2.1.325')
const version = named ?? pinned
const program = await install(version)

const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs')
const [command, ...rest] = [
  ...enclosed(),
  process.execPath,
  vitest,
  'run',
  '-c',
  join(root, 'vitest.claude.config.ts'),
  ...args,
]
console.log(`Claude Code ${version}${version === pinned ? '' : ` (pinned: ${pinned})`}`)
const child = spawn(command, rest, {
  cwd: root,
  stdio: ['ignore', 'inherit', 'inherit'],
  env: { ...process.env, TEST_CLAUDE_BIN: program, TMPDIR: tmpdir() },
})
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
child.on('exit', (code, signal) => process.exit(signal ? 1 : (code ?? 1)))
